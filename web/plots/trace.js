// Path of a line on a canvas, for pages without the library.

/** @import { Column } from "./columns.js" */

/**
 * Path interface of a canvas context.
 *
 * @typedef {object} Pen
 * @property {(x: number, y: number) => void} moveTo
 * @property {(x: number, y: number) => void} lineTo
 */

/**
 * Adds a line to the path. It is interrupted at missing values unless it is `sparse`; with `steps` a value holds until the next.
 *
 * @param {Pen} pen
 * @param {number[]} time
 * @param {Column} column
 * @param {(at: number) => number} x
 * @param {(value: number) => number} y
 * @param {{ sparse?: boolean | undefined, steps?: boolean | undefined }} kind
 */
export function trace(pen, time, column, x, y, { sparse = false, steps = false }) {
  /** @type {number | null} */
  let last = null;
  column.forEach((value, index) => {
    if (value === null) {
      if (!sparse) last = null;
      return;
    }
    const [atX, atY] = [x(time[index] ?? 0), y(value)];
    if (last === null) pen.moveTo(atX, atY);
    else {
      if (steps) pen.lineTo(atX, last);
      pen.lineTo(atX, atY);
    }
    last = atY;
  });
}
