// A plot of lines over a common axis. Plots of a group share the pointer and the zoom.

import { onThemeChange } from "./colour.js";
import { coinciding, extent, logFloor, raised, valueAt } from "./columns.js";
import { element } from "./dom.js";
import * as format from "./format.js";
import { LibraryPainter } from "./library.js";
import { PlainPainter } from "./plain.js";
import { Tip } from "./tip.js";

/** @import { Ink } from "./colour.js" */
/** @import { Column } from "./columns.js" */
/** @import { Painter, Pointed, Shown } from "./painter.js" */

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {Ink} ink
 * @property {boolean} [whole] Whether all values are integers.
 * @property {boolean} [steps] Whether a value holds until the next one.
 * @property {boolean} [sparse] Whether to draw across missing values.
 * @property {boolean} [gaps] Whether a value may stand alone between missing ones.
 */

/**
 * @typedef {object} PlotOptions
 * @property {string} describe Description for screen readers.
 * @property {Line[]} lines
 * @property {{ kind: "time" | "value", label?: string }} x
 * @property {{ unit: string, zero?: boolean, atLeast?: number, to?: number }} y
 * @property {number} height
 * @property {number} [shade] End of the shaded part of the x axis.
 * @property {string} [group] Plots that share the pointer and the zoom.
 */

/**
 * Data of a plot: one column per line, and the ends of bands around some of them.
 *
 * @typedef {object} PlotData
 * @property {number[]} x
 * @property {Column[]} values
 * @property {(Column | null)[]} [low]
 * @property {(Column | null)[]} [high]
 */

/** @type {Map<string, Set<Plot>>} */
const groups = new Map();
/**
 * Zoom of each group.
 *
 * @type {Map<string, [from: number, to: number]>}
 */
const zooms = new Map();

/** Whether pages have the library. */
export const hasLibrary = () => typeof globalThis.uPlot === "function";

export class Plot {
  node = element("div", "canvas");
  /** Called when lines are drawn anew: shown, hidden, or with another zoom. */
  onChange = () => {};
  /** @type {(index: number | null) => void} Called with the sample under the pointer, whichever plot of the group it is on. */
  onPoint = () => {};
  #options;
  #group;
  #tip = new Tip();
  /** @type {Painter | null} */
  #painter = null;
  /** @type {PlotData} */
  #data = { x: [], values: [] };
  /** @type {[from: number, to: number]} */
  #whole = [0, 1];
  /** @type {"x" | "y" | null} */
  #log = null;
  #visible;
  #observer = new ResizeObserver(() => this.#painter?.resize(this.node.clientWidth));

  /** @param {PlotOptions} options */
  constructor(options) {
    this.#options = options;
    this.#visible = options.lines.map(() => true);
    this.#group = groups.get(options.group ?? "") ?? new Set();
    if (options.group !== undefined) groups.set(options.group, this.#group);
    this.#group.add(this);
    this.node.style.height = `${options.height}px`;
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", options.describe);
    this.node.append(this.#tip.node);
    this.node.addEventListener("pointerleave", () => this.#point(null));
    this.#observer.observe(this.node);
    plots.add(this);
  }

  /**
   * Shows data from one end of the x axis to the other.
   *
   * @param {PlotData} data
   * @param {number} from
   * @param {number} to
   */
  set(data, from, to) {
    this.#data = data;
    this.#whole = [from, to];
    if (this.#painter === null) this.#draw();
    else this.#painter.set(this.#shown());
    this.onChange();
  }

  /**
   * @param {number} line
   * @param {boolean} isVisible
   */
  show(line, isVisible) {
    if (this.#visible[line] === isVisible) return;
    this.#visible[line] = isVisible;
    this.#painter?.show(line, isVisible);
    this.onChange();
  }

  /** @param {"x" | "y" | null} axis */
  setLog(axis) {
    if (axis === this.#log) return;
    this.#log = axis;
    if (this.#painter === null) return;
    this.#painter.destroy();
    this.#draw();
    this.onChange();
  }

  get isZoomed() {
    return this.#zoom() !== undefined;
  }

  /** Names of visible lines that lie on each other. @returns {string[][]} */
  get coinciding() {
    const places = this.#visible.flatMap((isVisible, place) => (isVisible ? [place] : []));
    const { values, log } = this.#shown();
    const drawn = (/** @type {Column} */ column) => (log === "y" ? column.map((value) => (value === null ? null : Math.log10(value))) : column);
    const shared = coinciding(places.map((place) => drawn(values[place] ?? [])));
    return shared.map((group) => group.map((index) => this.#options.lines[places[index] ?? 0]?.name ?? ""));
  }

  /**
   * Zooms this plot and the others of its group; out with `null`.
   *
   * @param {[from: number, to: number] | null} range
   */
  zoom(range) {
    const { group } = this.#options;
    if (group === undefined) this.#own = range ?? undefined;
    else if (range === null) zooms.delete(group);
    else zooms.set(group, range);
    for (const plot of this.#group) plot.#zoomed();
  }

  redraw() {
    this.#painter?.redraw();
  }

  destroy() {
    this.#observer.disconnect();
    this.#painter?.destroy();
    this.#group.delete(this);
    plots.delete(this);
  }

  /** @type {[from: number, to: number] | undefined} */
  #own;

  #zoom() {
    const { group } = this.#options;
    return group === undefined ? this.#own : zooms.get(group);
  }

  #zoomed() {
    const { from, to } = this.#shown();
    this.#painter?.zoom(from, to);
    this.onChange();
  }

  #draw() {
    if (this.node.clientWidth < 60) return;
    const shown = this.#shown();
    const events = { onPoint: (/** @type {Pointed | null} */ at) => this.#point(at), onZoom: (/** @type {[number, number] | null} */ range) => this.zoom(range) };
    const library = globalThis.uPlot;
    this.#painter = library !== undefined && hasLibrary() ? new LibraryPainter(library, this.node, this.#options, shown, events) : new PlainPainter(this.node, this.#options, shown);
  }

  /** @returns {Shown} */
  #shown() {
    const { x, values, low = [], high = [] } = this.#data;
    let [from, to] = this.#zoom() ?? this.#whole;
    const visible = [...this.#visible];
    const none = values.map(() => null);
    const ends = { low: low.length > 0 ? low : none, high: high.length > 0 ? high : none };
    if (this.#log === "x") {
      // What a log axis cannot show is left out on x, and raised on y.
      const first = x.findIndex((at) => at > 0);
      const least = first < 0 ? 1 : (x[first] ?? 1);
      const own = x.map((at) => Math.max(at, least));
      if (from < least) from = least;
      return { x: own, values, ...ends, visible, from, to: Math.max(to, 1.01 * from), log: "x" };
    }
    const floor = this.#log === "y" ? logFloor(values) : null;
    if (floor === null) return { x, values, ...ends, visible, from, to, log: null };
    const lift = (/** @type {Column | null} */ column) => (column === null ? null : raised(column, floor));
    return { x, values: values.map((column) => raised(column, floor)), low: ends.low.map(lift), high: ends.high.map(lift), visible, from, to, log: "y" };
  }

  /** @param {Pointed | null} pointed */
  #point(pointed) {
    for (const plot of this.#group) {
      if (plot !== this) plot.#painter?.point(pointed?.at ?? null);
      plot.onPoint(pointed === null ? null : plot.#nearest(pointed.at));
    }
    if (pointed === null) {
      this.#tip.hide();
      return;
    }
    const { lines, x, y } = this.#options;
    const at = this.#data.x[pointed.index] ?? 0;
    const rows = lines.flatMap((line, place) => {
      const value = valueAt(this.#data.values[place] ?? [], pointed.index, line.sparse === true);
      if (value === null || this.#visible[place] === false) return [];
      const text = line.whole === true ? format.count(value) : format.number(value);
      return [{ ink: line.ink, name: line.name, value: `${text} ${y.unit}`.trimEnd(), distance: pointed.distance(value) }];
    });
    const head = x.kind === "time" ? format.time(at) : `${format.number(at)} ${x.label ?? ""}`.trimEnd();
    this.#tip.show(head, rows, { left: pointed.left, top: 8, width: this.node.clientWidth });
  }

  /** @param {number} at */
  #nearest(at) {
    const { x } = this.#data;
    if (x.length === 0) return null;
    let [low, high] = [0, x.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((x[middle] ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return low > 0 && at - (x[low - 1] ?? 0) < (x[low] ?? 0) - at ? low - 1 : low;
  }
}

/** @type {Set<Plot>} */
const plots = new Set();
onThemeChange(() => {
  for (const plot of plots) plot.redraw();
});

/**
 * Ends of the x axis of these times or values.
 *
 * @param {number[]} x
 * @returns {[number, number]}
 */
export function ends(x) {
  return extent([x]) ?? [0, 1];
}
