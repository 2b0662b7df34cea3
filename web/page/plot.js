// A plot: title with unit, legend with the values under the pointer (the newest otherwise), and chart.

import { Chart, MARGIN } from "./chart.js";
import { element, say } from "./dom.js";
import * as format from "./format.js";
import { nearest } from "./geometry.js";

/** @import { View } from "./chart.js" */
/** @import { Ink } from "./palette.js" */
/** @import { Column } from "./store.js" */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {Ink} ink
 * @property {Column} column
 * @property {boolean} [whole] Whether all values are integers.
 * @property {boolean} [steps] Whether values change in steps, as counts do.
 * @property {boolean} [sparse] Whether to draw across missing values.
 */

/**
 * @typedef {object} PlotOptions
 * @property {string} title
 * @property {string} unit
 * @property {string} describe Description for screen readers.
 * @property {Line[]} lines
 * @property {number} atLeast Minimum of the upper end of the axis.
 */

/** Parameters of the last drawing. @typedef {{ time: number[], from: number, to: number, width: number, view: View }} Drawn */

/**
 * All plots: the pointer selects the same time on each.
 *
 * @type {Set<Plot>}
 */
const plots = new Set();
/** Plot under the pointer, and the relative horizontal position from 0 to 1. @typedef {{ plot: Plot, share: number }} Pointer */

/** @type {Pointer | null} */
let pointer = null;

/** @param {Pointer | null} next */
function point(next) {
  pointer = next;
  for (const plot of plots) plot.follow();
}

export class Plot {
  node;
  #chart;
  #lines;
  #place = element("div", "canvas");
  #cursor = element("div", "cursor");
  #tip;
  /** @type {HTMLElement[]} */
  #values;
  /** @type {Drawn | null} */
  #drawn = null;

  /** @param {PlotOptions} options */
  constructor(options) {
    this.#lines = options.lines;
    this.#values = this.#lines.map(() => element("b"));
    const keys = this.#lines.map((line, index) =>
      element("li", "", swatch(line.ink), element("span", "name", line.name), this.#values[index] ?? ""),
    );
    // A single line needs no name.
    const single = this.#lines.length === 1 && this.#lines[0]?.name === "";
    const heading = element("h3", "", options.title, element("span", "unit", options.unit));
    if (single) heading.append(this.#values[0] ?? "");
    this.#chart = new Chart(options.lines, options.atLeast);
    this.#tip = new Tip(options.lines, options.unit);
    this.#cursor.hidden = true;
    this.#place.setAttribute("role", "img");
    this.#place.setAttribute("aria-label", options.describe);
    this.#place.append(this.#chart.node, this.#cursor, this.#tip.node);
    this.#place.addEventListener("pointermove", (event) => this.#move(event));
    this.#place.addEventListener("pointerleave", () => point(null));
    this.node = element("figure", "plot", heading, ...(single ? [] : [element("ul", "legend", ...keys)]), this.#place);
    plots.add(this);
  }

  /**
   * Shows `time` and the columns between `from` and `to`.
   *
   * @param {number[]} time
   * @param {number} from
   * @param {number} to
   */
  draw(time, from, to) {
    const width = this.#place.clientWidth;
    if (width <= MARGIN.left + MARGIN.right) return;
    const view = this.#chart.draw(time, from, to, width);
    this.#drawn = { time, from, to, width, view };
    this.follow();
  }

  /** Redraws the plot with the current colours. */
  redraw() {
    this.node.querySelectorAll(".swatch").forEach((node, index) => {
      const ink = this.#lines[index]?.ink;
      if (ink !== undefined && node instanceof HTMLElement) paint(node, ink);
    });
    if (this.#drawn !== null) this.draw(this.#drawn.time, this.#drawn.from, this.#drawn.to);
  }

  destroy() {
    plots.delete(this);
    if (pointer?.plot === this) point(null);
  }

  /** Shows the values under the pointer, whichever plot it is on. */
  follow() {
    if (this.#drawn === null) return;
    const { time, from, to, width, view } = this.#drawn;
    const index = pointer === null ? null : nearest(time, from + pointer.share * (to - from));
    const at = index === null ? undefined : time[index];
    this.#lines.forEach((line, number) => {
      const node = this.#values[number];
      if (node !== undefined) say(node, valueOf(line, index === null ? newest(line) : line.column[index]));
    });
    this.#cursor.hidden = at === undefined || at < from;
    this.#tip.node.hidden = this.#cursor.hidden || pointer?.plot !== this;
    if (at === undefined || index === null || this.#cursor.hidden) return;
    const place = view.x(at);
    this.#cursor.style.left = `${place}px`;
    if (!this.#tip.node.hidden) this.#tip.show(at, index, place, width);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { left, width } = this.#place.getBoundingClientRect();
    const share = (event.clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    point(share >= 0 && share <= 1 ? { plot: this, share } : null);
  }
}

/** Tooltip with the values at one time, next to the pointer. */
class Tip {
  node = element("div", "tip");
  #lines;
  #unit;

  /**
   * @param {Line[]} lines
   * @param {string} unit
   */
  constructor(lines, unit) {
    this.#lines = lines;
    this.#unit = unit;
    this.node.hidden = true;
  }

  /**
   * @param {number} at
   * @param {number} index
   * @param {number} place
   * @param {number} width
   */
  show(at, index, place, width) {
    const rows = this.#lines.map((line) => {
      const value = element("b", "", valueOf(line, line.column[index]));
      return element("div", "", swatch(line.ink), `${line.name} `, value, ` ${this.#unit}`);
    });
    this.node.replaceChildren(element("div", "when", format.time(at)), ...rows);
    // Placed on the side with more space.
    const right = place > width / 2;
    this.node.style.left = right ? "" : `${place + 12}px`;
    this.node.style.right = right ? `${width - place + 12}px` : "";
  }
}

/**
 * @param {Line} line
 * @param {number | null | undefined} value
 */
function valueOf(line, value) {
  return line.whole === true ? format.count(value) : format.number(value);
}

/**
 * Newest value; for a sparse line the newest existing value.
 *
 * @param {Line} line
 */
function newest({ column, sparse }) {
  if (sparse !== true) return column.at(-1) ?? null;
  return column.findLast((value) => value !== null) ?? null;
}

/** @param {Ink} ink */
function swatch(ink) {
  const node = element("i", "swatch");
  paint(node, ink);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {Ink} ink
 */
function paint(node, ink) {
  node.style.borderTopColor = ink.color();
  node.style.borderTopStyle = ink.dash.length > 0 ? "dashed" : "solid";
}
