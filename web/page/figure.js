// A figure of the live page: title with unit, legend with the values under the pointer (the newest otherwise), and plot.

import { valueAt } from "../plots/columns.js";
import { element, say } from "../plots/dom.js";
import * as format from "../plots/format.js";
import { Plot } from "../plots/plot.js";
import { paint, swatch } from "../plots/tip.js";

/** @import { Line } from "../plots/plot.js" */
/** @import { Column } from "./store.js" */

const HEIGHT = 170;

/** @typedef {Line & { column: Column }} LiveLine */

/**
 * @typedef {object} FigureOptions
 * @property {string} title
 * @property {string} unit
 * @property {string} describe Description for screen readers.
 * @property {LiveLine[]} lines
 * @property {number} atLeast Minimum of the upper end of the axis.
 */

export class Figure {
  node;
  #plot;
  #lines;
  #values;
  #swatches;
  /** @type {number | null} */
  #index = null;

  /** @param {FigureOptions} options */
  constructor({ title, unit, describe, lines, atLeast }) {
    this.#lines = lines;
    this.#values = lines.map(() => element("b"));
    this.#swatches = lines.map((line) => swatch(line.ink));
    const keys = lines.map((line, index) =>
      element("li", "", this.#swatches[index] ?? "", element("span", "name", line.name), this.#values[index] ?? ""),
    );
    // A single line needs no name.
    const single = lines.length === 1 && lines[0]?.name === "";
    const heading = element("h3", "", title, element("span", "unit", unit));
    if (single) heading.append(this.#values[0] ?? "");
    this.#plot = new Plot({ describe, lines, x: { kind: "time" }, y: { unit, zero: true, atLeast }, height: HEIGHT, group: "live" });
    this.#plot.onPoint = (index) => {
      this.#index = index;
      this.#say();
    };
    this.node = element("figure", "plot", heading, ...(single ? [] : [element("ul", "legend", ...keys)]), this.#plot.node);
  }

  /**
   * Shows `time` and the columns between `from` and `to`.
   *
   * @param {number[]} time
   * @param {number} from
   * @param {number} to
   */
  draw(time, from, to) {
    this.#plot.set({ x: time, values: this.#lines.map((line) => line.column) }, from, to);
    this.#say();
  }

  /** Takes the current colours. */
  recolour() {
    this.#lines.forEach((line, index) => {
      const node = this.#swatches[index];
      if (node !== undefined) paint(node, line.ink);
    });
  }

  destroy() {
    this.#plot.destroy();
  }

  #say() {
    this.#lines.forEach((line, place) => {
      const index = this.#index ?? line.column.length - 1;
      const value = valueAt(line.column, index, line.sparse === true);
      const node = this.#values[place];
      if (node !== undefined) say(node, line.whole === true ? format.count(value) : format.number(value));
    });
  }
}
