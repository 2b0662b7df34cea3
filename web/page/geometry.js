// Geometry of a plot: visible samples, tick marks and corners of lines.

/** @import { Column } from "./store.js" */

/**
 * Index of the first time at or after `at`.
 *
 * @param {number[]} time
 * @param {number} at
 */
export function lowerBound(time, at) {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * First and last sample between `from` and `to`, with one more on each side so that lines reach the edges.
 *
 * @param {number[]} time
 * @param {number} from
 * @param {number} to
 * @returns {[first: number, last: number]}
 */
export function visible(time, from, to) {
  return [Math.max(0, lowerBound(time, from) - 1), Math.min(time.length - 1, lowerBound(time, to))];
}

/**
 * Index of the sample nearest to `at`; `null` without samples.
 *
 * @param {number[]} time
 * @param {number} at
 */
export function nearest(time, at) {
  if (time.length === 0) return null;
  const after = Math.min(lowerBound(time, at), time.length - 1);
  const before = Math.max(0, after - 1);
  return at - (time[before] ?? 0) < (time[after] ?? 0) - at ? before : after;
}

/**
 * Maximum of the columns from `first` to `last`; 0 without values.
 *
 * @param {Column[]} columns
 * @param {number} first
 * @param {number} last
 */
export function greatest(columns, first, last) {
  let found = 0;
  for (const column of columns) {
    for (let i = first; i <= last; i += 1) found = Math.max(found, column[i] ?? 0);
  }
  return found;
}

/**
 * Tick marks of an axis from `from` to `to` over `room` pixels, and their distance: the smallest of `steps` that leaves at least
 * `space` pixels between marks.
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
 * Path interface of a canvas context.
 *
 * @typedef {object} Pen
 * @property {(x: number, y: number) => void} moveTo
 * @property {(x: number, y: number) => void} lineTo
 */

/**
 * Draws the samples from `first` to `last` as a line, which is interrupted at missing values unless it is `sparse`. With `steps` a
 * value holds until the next sample. With more samples than pixels, samples within the drawn range of their pixel are skipped.
 *
 * Returns isolated samples, which no line touches because both neighbours are missing.
 *
 * @param {Pen} pen
 * @param {Column} column
 * @param {[first: number, last: number]} range
 * @param {(index: number) => number} x
 * @param {(value: number) => number} y
 * @param {{ sparse?: boolean | undefined, steps?: boolean | undefined }} kind
 * @returns {number[]}
 */
export function trace(pen, column, [first, last], x, y, { sparse, steps }) {
  const isolated = [];
  // Number of corners so far, newest sample, and the drawn range of its pixel.
  let [corners, lastX, lastY, pixel, low, high] = [0, 0, 0, 0, 0, 0];
  let skipped = false;
  const end = () => {
    if (skipped) pen.lineTo(lastX, lastY);
    skipped = false;
  };
  for (let i = first; i <= last; i += 1) {
    const value = column[i] ?? null;
    if (value === null) {
      if (sparse === true) continue;
      end();
      corners = 0;
      continue;
    }
    const [atX, atY] = [x(i), y(value)];
    if (corners === 0) {
      pen.moveTo(atX, atY);
      if (sparse !== true && (column[i - 1] ?? null) === null && (column[i + 1] ?? null) === null) isolated.push(i);
    } else if (Math.floor(atX) === pixel && atY >= low && atY <= high) {
      [lastX, lastY, skipped] = [atX, atY, true];
      continue;
    } else {
      end();
      if (steps === true) pen.lineTo(atX, lastY);
      pen.lineTo(atX, atY);
    }
    const same = corners > 0 && Math.floor(atX) === pixel;
    low = same ? Math.min(low, atY) : atY;
    high = same ? Math.max(high, atY) : atY;
    [pixel, lastX, lastY] = [Math.floor(atX), atX, atY];
    corners += 1;
  }
  end();
  return isolated;
}
