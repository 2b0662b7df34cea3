// Ticks of axes: their distances and labels.

import * as format from "./format.js";

/** Distances of ticks on an axis of time, in seconds. */
export const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];
/** Pixels between two ticks. */
export const SPACE = { across: 64, down: 28 };
/** Decades below which all marks of a log axis have labels. */
const NARROW = 0.7;

/**
 * Labels of ticks.
 *
 * @param {(number | null)[]} marks
 * @param {number} step
 */
export function labels(marks, step) {
  return marks.map((mark) => (mark === null ? "" : format.tick(mark, step)));
}

/**
 * Labels of ticks on an axis of time, which has minutes from two of them on.
 *
 * @param {(number | null)[]} marks
 * @param {number} step
 */
export function times(marks, step) {
  const last = marks.findLast((mark) => mark !== null) ?? 0;
  return marks.map((mark) => {
    if (mark === null) return "";
    return last >= 120 && step >= 1 ? format.clock(mark) : `${format.tick(mark, step)} s`;
  });
}

/**
 * Labels of ticks on a log axis: powers of ten, and what lies between them where there is room.
 *
 * @param {(number | null)[]} marks
 */
export function powers(marks) {
  const shown = marks.filter((mark) => mark !== null && mark > 0);
  const decades = Math.log10((shown.at(-1) ?? 1) / (shown[0] ?? 1));
  if (decades < NARROW) {
    const step = Math.min(...shown.slice(1).map((mark, index) => (mark ?? 0) - (shown[index] ?? 0)), 1);
    return labels(marks.map((mark) => (mark !== null && mark > 0 ? mark : null)), step);
  }
  const wanted = decades > 2.5 ? [1] : decades > 1.4 ? [1, 3] : [1, 2, 5];
  return marks.map((mark) => {
    if (mark === null || mark <= 0) return "";
    const first = mark / 10 ** Math.floor(Math.log10(mark) + 1e-9);
    return wanted.some((digit) => Math.abs(first - digit) < 1e-6) ? format.tick(mark, Math.min(1, mark)) : "";
  });
}

/**
 * Ticks of a linear axis over `room` pixels and their distance, for pages without the library.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} room
 * @param {number} space
 * @param {number[]} steps
 * @returns {{ step: number, marks: number[] }}
 */
export function axis(from, to, room, space, steps) {
  const step = steps.find((candidate) => (candidate / (to - from)) * room >= space) ?? to - from;
  const marks = [];
  // Multiples of the step avoid accumulated rounding errors. Adding 0 avoids a mark at -0.
  for (let i = Math.ceil(from / step - 1e-9) + 0; i * step <= to + step * 1e-9; i += 1) marks.push(i * step);
  return { step, marks };
}

/**
 * Ticks of a log axis: multiples of powers of ten between two values.
 *
 * @param {number} from
 * @param {number} to
 */
export function logMarks(from, to) {
  const marks = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power += 1) {
    for (let digit = 1; digit < 10; digit += 1) {
      // "3e-1" is the closest number to three tenths, which 3 * 10 ** -1 may not be.
      const mark = Number(`${digit}e${power}`);
      if (mark >= from * (1 - 1e-9) && mark <= to * (1 + 1e-9)) marks.push(mark);
    }
  }
  // A narrow range may hold none.
  return marks.length > 2 ? marks : axis(from, to, 6, 1, format.increments(1e-9)).marks;
}
