// A box beside the pointer with the values of a plot.

import { colourOf } from "./colour.js";
import { element } from "./dom.js";

/** @import { Ink } from "./colour.js" */

/** Most rows: those nearest to the pointer. */
const ROWS = 12;

/**
 * @typedef {object} Row
 * @property {Ink | null} ink
 * @property {string} name
 * @property {string} value
 * @property {number} distance From the pointer, to choose from many rows.
 */

export class Tip {
  node = element("div", "tip");

  constructor() {
    this.node.hidden = true;
  }

  hide() {
    this.node.hidden = true;
  }

  /**
   * Shows rows beside a place in a box of a width.
   *
   * @param {string} head
   * @param {Row[]} rows
   * @param {{ left: number, top: number, width: number }} place
   */
  show(head, rows, { left, top, width }) {
    const far = [...rows].sort((one, other) => one.distance - other.distance)[ROWS]?.distance ?? Infinity;
    const near = rows.filter((row) => row.distance < far);
    const lines = near.map(({ ink, name, value }) => element("div", "", ...(ink === null ? [] : [swatch(ink)]), `${name} `, element("b", "", value)));
    const more = rows.length > near.length ? [element("div", "soft", `${rows.length - near.length} more`)] : [];
    this.node.replaceChildren(element("div", "when", head), ...lines, ...more);
    this.node.hidden = false;
    // On the side with more space.
    const right = left > width / 2;
    this.node.style.left = right ? "" : `${left + 14}px`;
    this.node.style.right = right ? `${width - left + 14}px` : "";
    this.node.style.top = `${Math.max(2, top)}px`;
  }
}

/** @param {Ink} ink */
export function swatch(ink) {
  const node = element("i", "swatch");
  paint(node, ink);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {Ink} ink
 */
export function paint(node, ink) {
  node.style.borderTopColor = colourOf(ink);
  node.style.borderTopStyle = ink.dash.length === 0 ? "solid" : (ink.dash[0] ?? 0) < 4 ? "dotted" : "dashed";
}
