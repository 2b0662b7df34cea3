// Formatting of numbers.

/**
 * About three significant digits, never an exponent: `0.42`, `12.3`, `1,250`, `1.25M`.
 *
 * @param {number | null | undefined} value
 */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toPrecision(3)}M`;
  if (size >= 100) return Math.round(value).toLocaleString("en");
  if (size >= 10) return value.toFixed(1);
  if (size === 0) return "0";
  return size >= 0.01 ? value.toFixed(2) : value.toPrecision(1);
}

/**
 * A count with all digits.
 *
 * @param {number | null | undefined} value
 */
export function count(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en");
}

/**
 * Possible steps of an axis: 1, 2 and 5 times powers of ten, starting at `least`.
 *
 * @param {number} least
 */
export function increments(least) {
  const lowest = Math.round(Math.log10(least));
  const powers = Array.from({ length: 12 - lowest }, (_, index) => lowest + index);
  // "1e-3" is the closest number to a thousandth, which 10 ** -3 may not be.
  return powers.flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
}

/**
 * Label of a tick mark, with as many decimals as `step` (one of `increments`) requires: `0.5`, `1.0`; `20k`.
 *
 * @param {number} value
 * @param {number} step
 */
export function tick(value, step) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  if (size >= 1e4) return `${trim(value / 1e3)}k`;
  return value.toFixed(step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
}

/**
 * Time as `42.0 s`, or as `2:05` from two minutes on.
 *
 * @param {number} seconds
 */
export function time(seconds) {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return clock(seconds);
}

/**
 * Time as `0:42` or `1:02:03`.
 *
 * @param {number} seconds
 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const rest = `${whole % 60}`.padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${`${minutes % 60}`.padStart(2, "0")}:${rest}`;
}

/**
 * Microseconds, or milliseconds from 1 ms on.
 *
 * @param {number} value
 */
export function micros(value) {
  return value < 1000 ? `${number(value)} µs` : `${number(value / 1000)} ms`;
}

/** @param {number} value */
function trim(value) {
  return String(Number(value.toFixed(2)));
}
