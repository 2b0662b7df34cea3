// The arithmetic of a plot: which samples it shows, where its axes have marks, and the corners of a line.

/** @import { Column } from "./store.js" */

/**
 * The index of the first time that is not before `at`.
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
 * The samples between `from` and `to`, and one more on each side so that lines reach the edges: first and last.
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
 * The index of the sample that is nearest to `at`; `null` if there is none.
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
 * The greatest value of the columns from `first` to `last`; 0 if they have none.
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
 * The marks of an axis that shows `from` to `to` in `room` pixels, with at least `space` pixels between two of them, and their
 * distance: the least of `steps` that leaves the space.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} room
 * @param {number} space
 * @param {number[]} steps
 * @returns {{ step: number, marks: number[] }}
 */
export function axis(from, to, room, space, steps) {
  const step = steps.find((each) => (each / (to - from)) * room >= space) ?? to - from;
  const marks = [];
  // Multiplied, not added up: the tenth mark is as exact as the first. Plus 0: there is no mark -0.
  for (let i = Math.ceil(from / step - 1e-9) + 0; i * step <= to + step * 1e-9; i += 1) marks.push(i * step);
  return { step, marks };
}

/**
 * What a line is drawn with: a canvas's context has these.
 *
 * @typedef {object} Pen
 * @property {(x: number, y: number) => void} moveTo
 * @property {(x: number, y: number) => void} lineTo
 */

/**
 * Draws the samples from `first` to `last` as a line, interrupted where a value is missing, unless it is `sparse`. With `steps` a
 * value holds until the next sample. Where samples are more than pixels, those within what is drawn of their pixel are left out.
 *
 * Gives the samples that no line touches: those between two that are missing.
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
  const alone = [];
  // Corners of the line so far, the newest sample, and what is drawn of its pixel.
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
      if (sparse !== true && (column[i - 1] ?? null) === null && (column[i + 1] ?? null) === null) alone.push(i);
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
  return alone;
}
