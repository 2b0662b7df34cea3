// Light and dark: which of the two is shown, and the colours of what is drawn on canvases.

/**
 * How a line is drawn: its colour on a light and on a dark ground, dashes and gaps in pixels, and the marker's shape, if any.
 *
 * @typedef {object} Ink
 * @property {string} light
 * @property {string} dark
 * @property {number[]} dash
 * @property {number | null} [marker] Index in `SHAPES` of markers.js.
 * @property {number} [width]
 */

/** @typedef {"auto" | "light" | "dark"} Theme */

const system = matchMedia("(prefers-color-scheme: dark)");
/** @type {Set<() => void>} */
const listeners = new Set();
let printing = false;

/** Whether the page is shown on a dark ground. Paper is white. */
export function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? system.matches : chosen === "dark";
}

/** @param {Theme} theme */
export function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  tell();
}

/** @param {boolean} on */
export function setPrinting(on) {
  printing = on;
  tell();
}

/**
 * Calls `callback` when the ground changes.
 *
 * @param {() => void} callback
 */
export function onThemeChange(callback) {
  listeners.add(callback);
}

/** @param {Ink} ink */
export function colourOf(ink) {
  return isDark() ? ink.dark : ink.light;
}

/**
 * The colour with an opacity from 0 to 1.
 *
 * @param {Ink} ink
 * @param {number} opacity
 */
export function faint(ink, opacity) {
  return colourOf(ink) + Math.round(opacity * 255).toString(16).padStart(2, "0");
}

export const axisColour = () => (isDark() ? "#98a4ae" : "#5b6670");
export const gridColour = () => (isDark() ? "#2b333a" : "#e4e8ec");
export const shadeColour = () => (isDark() ? "#ffffff12" : "#0000000d");
export const groundColour = () => (isDark() ? "#1a2026" : "#ffffff");

function tell() {
  for (const callback of listeners) callback();
}

system.addEventListener("change", tell);
