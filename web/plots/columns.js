// Columns of numbers over a common axis: extent, values that a log axis can show, and lines that coincide.

/** @typedef {(number | null)[]} Column */

/** Values further apart than this factor are drawn on a log axis at first. */
export const FAR_APART = 30;
/** Decades that a log axis shows at most. */
const DECADES = 5;
/** Part of the axis by which two lines may differ and still hide each other. */
const NEAR = 0.003;

/**
 * Least and greatest value; `null` without values.
 *
 * @param {Column[]} columns
 * @returns {[least: number, greatest: number] | null}
 */
export function extent(columns) {
  let [least, greatest] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const value of column) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  return least <= greatest ? [least, greatest] : null;
}

/**
 * Whether a linear axis would flatten some of the lines: the greatest values of two lines are far apart.
 *
 * @param {Column[]} columns
 */
export function isFarApart(columns) {
  let [least, greatest] = [Infinity, 0];
  for (const column of columns) {
    const top = extent([column])?.[1] ?? 0;
    if (top <= 0) continue;
    least = Math.min(least, top);
    greatest = Math.max(greatest, top);
  }
  return greatest > FAR_APART * least;
}

/**
 * Lower end of a log axis for these values: the least above zero, and no more than some decades below the greatest. `null` if no
 * value is above zero.
 *
 * @param {Column[]} columns
 */
export function logFloor(columns) {
  let [least, greatest] = [Infinity, 0];
  for (const column of columns) {
    for (const value of column) {
      if (value === null || !(value > 0)) continue;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  return greatest > 0 ? Math.max(least, greatest / 10 ** DECADES) / 1.5 : null;
}

/**
 * The column with what a log axis cannot show raised to its lower end.
 *
 * @param {Column} column
 * @param {number} floor
 * @returns {Column}
 */
export function raised(column, floor) {
  return column.map((value) => (value === null ? null : Math.max(value, floor)));
}

/**
 * Range of an axis that shows these values: from zero unless all of them are far from it, or `zero` demands it.
 *
 * @param {number | null} least
 * @param {number | null} greatest
 * @param {{ zero?: boolean | undefined, atLeast?: number | undefined }} options
 * @returns {[from: number, to: number]}
 */
export function span(least, greatest, { zero = false, atLeast = -Infinity }) {
  if (least === null || greatest === null) return [0, Math.max(1, atLeast)];
  const top = Math.max(greatest, atLeast);
  if (least >= 0 && (zero || least < 0.6 * top || least === top)) return [0, top > 0 ? 1.06 * top : 1];
  if (least === top) return [least - 1, top + 1];
  const margin = 0.06 * (top - least);
  return [least - margin, zero ? Math.max(0, top + margin) : top + margin];
}

/**
 * Groups of lines that nobody can tell apart because they lie on each other.
 *
 * @param {Column[]} columns
 * @returns {number[][]}
 */
export function coinciding(columns) {
  const whole = extent(columns);
  if (whole === null) return [];
  const room = NEAR * (whole[1] - whole[0]);
  /** @type {number[][]} */
  const groups = [];
  columns.forEach((column, index) => {
    if (!column.some((value) => value !== null)) return;
    const group = groups.find(([first]) => areNear(columns[first ?? 0] ?? [], column, room));
    if (group === undefined) groups.push([index]);
    else group.push(index);
  });
  return groups.filter((group) => group.length > 1);
}

/**
 * @param {Column} one
 * @param {Column} other
 * @param {number} room
 */
function areNear(one, other, room) {
  let shared = 0;
  for (let i = 0; i < one.length; i += 1) {
    const [a, b] = [one[i] ?? null, other[i] ?? null];
    if (a === null || b === null) continue;
    if (Math.abs(a - b) > room) return false;
    shared += 1;
  }
  // Lines that never meet at one instant do not hide each other.
  return shared > 0;
}

/**
 * The value of a sparse column at an index, or the nearest one before it.
 *
 * @param {Column} column
 * @param {number} index
 * @param {boolean} sparse
 */
export function valueAt(column, index, sparse) {
  for (let i = index; i >= 0; i -= 1) {
    const value = column[i] ?? null;
    if (value !== null || !sparse) return value;
  }
  return null;
}
