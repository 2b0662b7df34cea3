// Horizontal bars and dots: one row per variant.

import { axis, labels, logMarks, powers } from "../plots/axes.js";
import { axisColour, colourOf, gridColour, onThemeChange } from "../plots/colour.js";
import { FAR_APART } from "../plots/columns.js";
import { element } from "../plots/dom.js";
import * as format from "../plots/format.js";
import { Tip } from "../plots/tip.js";

/** @import { RowsSpec, SpecRow, Variant } from "./spec.js" */

const ROW = 24;
const FOOT = 26;
/** Most variants of which hidden ones have pale rows, as in crates/report/src/html/mod.rs. */
export const CROWD = 12;
/** Radius of a dot. */
const DOT = 5;
/** Width of a character. */
const CHARACTER = 6.9;
const SVG = "http://www.w3.org/2000/svg";

export class Rows {
  node = element("div", "canvas rows");
  onChange = () => {};
  #spec;
  #variants;
  #visible;
  #isLog = false;
  /** Whether only some variants are drawn as lines at first: their rows are as good as the others. */
  #isCrowded;
  #tip = new Tip();
  #drawing = document.createElementNS(SVG, "svg");
  #observer = new ResizeObserver(() => this.#draw());

  /**
   * @param {RowsSpec} spec
   * @param {Variant[]} variants
   */
  constructor(spec, variants) {
    this.#spec = spec;
    this.#variants = variants;
    this.#visible = variants.map((variant) => variant.visible);
    this.#isCrowded = variants.length > CROWD;
    this.node.append(this.#drawing, this.#tip.node);
    this.#drawing.setAttribute("role", "img");
    this.#drawing.setAttribute("aria-label", spec.title);
    this.node.addEventListener("pointermove", (event) => this.#point(event));
    this.node.addEventListener("pointerleave", () => this.#tip.hide());
    onThemeChange(() => this.#draw());
    this.#observer.observe(this.node);
  }

  /** Whether all values can be on a log axis. */
  get canBeLog() {
    const totals = this.#spec.rows.map(total);
    return this.#spec.kind === "bars" && this.#spec.parts.length === 0 && totals.every((value) => value >= 0) && totals.some((value) => value > 0);
  }

  get isFarApart() {
    const totals = this.#spec.rows.map(total).filter((value) => value > 0);
    return this.canBeLog && Math.max(...totals) > FAR_APART * Math.min(...totals);
  }

  /** @param {boolean} isLog */
  setLog(isLog) {
    this.#isLog = isLog;
    this.#draw();
  }

  /**
   * @param {number} variant
   * @param {boolean} isVisible
   */
  show(variant, isVisible) {
    this.#visible[variant] = isVisible;
    this.#draw();
  }

  #draw() {
    const width = this.node.clientWidth;
    if (width < 60) return;
    const { rows, kind } = this.#spec;
    const height = rows.length * ROW + FOOT + 16;
    const longest = (/** @type {string[]} */ texts) => Math.max(...texts.map((text) => text.length), 0) * CHARACTER + 12;
    const left = Math.min(0.4 * width, longest(rows.map((row) => row.label)));
    const right = Math.min(0.3 * width, longest(rows.map((row) => row.text)) + 6);
    const field = width - left - right;
    const [from, to] = this.#range();
    const forth = (/** @type {number} */ value) => (this.#isLog ? Math.log10(Math.max(value, from)) : value);
    const x = (/** @type {number} */ value) => left + ((forth(value) - forth(from)) / (forth(to) - forth(from))) * field;
    const drawing = this.#drawing;
    drawing.setAttribute("width", `${width}`);
    drawing.setAttribute("height", `${height}`);
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren();
    this.#axis({ from, to, x, field, bottom: rows.length * ROW, middle: left + field / 2 });
    rows.forEach((row, place) => {
      const isPale = this.#visible[row.variant] === false && !this.#isCrowded;
      const group = part("g", { opacity: isPale ? "0.3" : "1", class: "row", "data-variant": `${row.variant}` });
      const middle = place * ROW + ROW / 2;
      const label = text(shortened(row.label, Math.floor((left - 10) / CHARACTER)), left - 8, middle, "end");
      group.append(label);
      const end = kind === "bars" ? this.#bar(group, row, middle, x, from) : this.#dot(group, row, middle, x);
      group.append(text(row.text, (kind === "dots" ? x(to) : end) + 7, middle, "start"));
      drawing.append(group);
    });
  }

  /** @returns {[from: number, to: number]} */
  #range() {
    const { rows, kind } = this.#spec;
    const values = rows.flatMap((row) => [kind === "bars" ? total(row) : (row.mean ?? 0), ...(row.interval ?? [])]).filter(Number.isFinite);
    if (this.#isLog) {
      const above = rows.map(total).filter((value) => value > 0);
      const top = Math.max(...above);
      return [Math.max(Math.min(...above) / 1.6, top * 1e-6), 1.05 * Math.max(top, ...values)];
    }
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    if (low === high) return [0, 1];
    // Room beyond the ends, so that neither a cap nor zero lies on the frame.
    const room = kind === "dots" ? 0.04 * (high - low) : 0;
    return [low - room, high + room];
  }

  /** @param {{ from: number, to: number, x: (value: number) => number, field: number, bottom: number, middle: number }} view */
  #axis({ from, to, x, field, bottom, middle }) {
    const { marks, step } = this.#isLog ? { marks: logMarks(from, to), step: 1 } : axis(from, to, field, 64, format.increments(1e-9));
    const names = this.#isLog ? powers(marks) : labels(marks, step);
    marks.forEach((mark, index) => {
      if (names[index] === "") return;
      const at = Math.round(x(mark)) + 0.5;
      const isZero = mark === 0 && this.#spec.kind === "dots";
      this.#drawing.append(line(at, 0, at, bottom, isZero ? axisColour() : gridColour(), 1), text(names[index] ?? "", at, bottom + 11, "middle", "soft"));
    });
    this.#drawing.append(text(this.#spec.axis, middle, bottom + FOOT + 2, "middle", "soft"));
  }

  /**
   * @param {SVGElement} group
   * @param {SpecRow} row
   * @param {number} middle
   * @param {(value: number) => number} x
   * @param {number} start
   */
  #bar(group, row, middle, x, start) {
    let from = Math.max(0, start);
    const own = this.#variants[row.variant]?.ink;
    for (const [place, length] of row.parts) {
      const ink = place === null ? own : this.#spec.parts[place]?.ink;
      const to = this.#isLog ? length : from + length;
      const [left, right] = [Math.min(x(from), x(to)), Math.max(x(from), x(to))];
      const colour = ink === undefined ? axisColour() : colourOf(ink);
      if (this.#isLog && length > 0) group.append(line(left, middle, right, middle, colour, 2), circle(right, middle, DOT, colour, colour));
      else if (!this.#isLog) group.append(part("rect", { x: `${left}`, y: `${middle - 8}`, width: `${right - left}`, height: "16", fill: colour, rx: "1.5" }));
      from = to;
    }
    let end = Math.max(x(from), x(Math.max(0, start))) + (this.#isLog ? DOT : 0);
    if (row.interval !== null && row.interval[1] > row.interval[0]) {
      const [low, high] = row.interval;
      whisker(group, x(low), x(high), middle, axisColour());
      end = Math.max(end, x(high));
    }
    return end;
  }

  /**
   * @param {SVGElement} group
   * @param {SpecRow} row
   * @param {number} middle
   * @param {(value: number) => number} x
   */
  #dot(group, row, middle, x) {
    const ink = this.#variants[row.variant]?.ink;
    const colour = ink === undefined ? axisColour() : colourOf(ink);
    if (row.interval !== null) {
      const [low, high] = row.interval.map(x);
      group.append(line(low ?? 0, middle, high ?? 0, middle, colour, 2));
      for (const end of [low, high]) group.append(line(end ?? 0, middle - 5, end ?? 0, middle + 5, colour, 2));
    }
    group.append(circle(x(row.mean ?? 0), middle, DOT, row.sure ? colour : "var(--card)", colour));
    return x(row.mean ?? 0);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { left, top, width } = this.node.getBoundingClientRect();
    const row = this.#spec.rows[Math.floor((event.clientY - top) / ROW)];
    if (row === undefined) {
      this.#tip.hide();
      return;
    }
    const own = this.#variants[row.variant]?.ink ?? null;
    const parts = row.parts.flatMap(([place, length]) => {
      const named = place === null ? undefined : this.#spec.parts[place];
      return named === undefined || length === 0 ? [] : [{ ink: named.ink, name: named.name, value: format.number(length), distance: 0 }];
    });
    const rows = parts.length > 0 ? parts : [{ ink: own, name: "", value: row.text, distance: 0 }];
    const interval = row.interval === null ? [] : [{ ink: null, name: "95 %:", value: row.interval.map(format.number).join(" to "), distance: 0 }];
    const place = { left: event.clientX - left, top: event.clientY - top + 12, width };
    this.#tip.show(row.label, [...rows, ...interval], place);
  }
}

/** @param {SpecRow} row */
function total(row) {
  return row.parts.reduce((sum, [, length]) => sum + length, 0);
}

/**
 * @param {string} label
 * @param {number} most
 */
function shortened(label, most) {
  return label.length > most ? `${label.slice(0, Math.max(1, most - 1))}…` : label;
}

/**
 * @param {SVGElement} group
 * @param {number} low
 * @param {number} high
 * @param {number} middle
 * @param {string} colour
 */
function whisker(group, low, high, middle, colour) {
  // An outline keeps the whisker visible on dark bars.
  for (const [stroke, width] of /** @type {[string, number][]} */ ([["var(--card)", 4], [colour, 1.5]])) {
    group.append(line(low, middle, high, middle, stroke, width));
    for (const end of [low, high]) group.append(line(end, middle - 4, end, middle + 4, stroke, width));
  }
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function part(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return /** @type {SVGElement} */ (node);
}

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} stroke
 * @param {number} width
 */
function line(x1, y1, x2, y2, stroke, width) {
  return part("line", { x1: `${x1}`, y1: `${y1}`, x2: `${x2}`, y2: `${y2}`, stroke, "stroke-width": `${width}` });
}

/**
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {string} fill
 * @param {string} stroke
 */
function circle(cx, cy, r, fill, stroke) {
  return part("circle", { cx: `${cx}`, cy: `${cy}`, r: `${r}`, fill, stroke, "stroke-width": "2" });
}

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 * @param {string} [name]
 */
function text(content, x, y, anchor, name = "") {
  const node = part("text", { x: `${x}`, y: `${y}`, "text-anchor": anchor, "dominant-baseline": "central", class: name });
  node.textContent = content;
  return node;
}
