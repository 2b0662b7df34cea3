// Colour-blind-safe colours of flows: Okabe & Ito 2008 (Color Universal Design). Dark colours are lightened on a dark background,
// pale ones darkened on a light background. The order is that of the report.

/** @import { Ink } from "../plots/colour.js" */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#3b95cc", "#3c3c3c", "#8a8000"];
const DARK = ["#4aa3e0", "#ff8a3d", "#2fc79a", "#e39ac2", "#f0b429", "#86cdf5", "#c9ced3", "#d8cf4a"];

// Colours of drop reasons, distinct from those of flows: Paul Tol's "muted" scheme.
const LIGHT_PARTS = ["#882255", "#332288", "#999933", "#44aa99", "#aa4499", "#b39b2e", "#cc6677", "#4d93b8"];
const DARK_PARTS = ["#e07aa8", "#8f86e8", "#c5c55a", "#5fd0bf", "#d987cb", "#ddcc77", "#e88a98", "#88ccee"];

// Dash patterns for indices beyond the number of colours.
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

/**
 * Style of a flow by index, the same in all plots.
 *
 * @param {number} index
 */
export function flowInk(index) {
  return ink(LIGHT, DARK, index);
}

/**
 * Style of a drop reason by index.
 *
 * @param {number} index
 */
export function partInk(index) {
  return ink(LIGHT_PARTS, DARK_PARTS, index);
}

/**
 * Style of series of the whole queue.
 *
 * @type {Ink}
 */
export const queueInk = { light: "#37434d", dark: "#c9d3db", dash: [] };

/**
 * @param {string[]} light
 * @param {string[]} dark
 * @param {number} index
 * @returns {Ink}
 */
function ink(light, dark, index) {
  const at = index % light.length;
  const dash = DASHES[Math.floor(index / light.length) % DASHES.length] ?? [];
  return { light: light[at] ?? "gray", dark: dark[at] ?? "gray", dash };
}
