// Draws the lines of a plot without a library: axes and lines, neither zoom nor cursor.

import { SECONDS, SPACE, axis, labels, logMarks, powers, times } from "./axes.js";
import { axisColour, colourOf, faint, gridColour, shadeColour } from "./colour.js";
import { extent, span } from "./columns.js";
import { increments } from "./format.js";
import { trace } from "./trace.js";

/** @import { Column } from "./columns.js" */
/** @import { Painter, Shown } from "./painter.js" */
/** @import { PlotOptions } from "./plot.js" */

const MARGIN = { top: 8, right: 14, bottom: 24, left: 52 };

/** @implements {Painter} */
export class PlainPainter {
  #canvas = document.createElement("canvas");
  #options;
  #shown;
  #width;

  /**
   * @param {HTMLElement} place
   * @param {PlotOptions} options
   * @param {Shown} shown
   */
  constructor(place, options, shown) {
    this.#options = options;
    this.#shown = shown;
    this.#width = place.clientWidth;
    place.append(this.#canvas);
    this.redraw();
  }

  /** @param {Shown} shown */
  set(shown) {
    this.#shown = shown;
    this.redraw();
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  zoom(from, to) {
    this.#shown = { ...this.#shown, from, to };
    this.redraw();
  }

  /**
   * @param {number} line
   * @param {boolean} isVisible
   */
  show(line, isVisible) {
    this.#shown.visible[line] = isVisible;
    this.redraw();
  }

  point() {}

  /** @param {number} width */
  resize(width) {
    this.#width = width;
    this.redraw();
  }

  destroy() {
    this.#canvas.remove();
  }

  redraw() {
    const { height } = this.#options;
    const pen = this.#prepare(height);
    const field = { width: this.#width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    if (pen === null || field.width <= 0) return;
    const { from, to, log } = this.#shown;
    const [low, high] = this.#range();
    const forth = (/** @type {boolean} */ isLog) => (isLog ? Math.log10 : (/** @type {number} */ value) => value);
    const [fx, fy] = [forth(log === "x"), forth(log === "y")];
    const x = (/** @type {number} */ at) => MARGIN.left + ((fx(at) - fx(from)) / (fx(to) - fx(from))) * field.width;
    const y = (/** @type {number} */ value) => MARGIN.top + (1 - (fy(value) - fy(low)) / (fy(high) - fy(low))) * field.height;
    this.#axes(pen, { x, y, low, high, ...field });
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, 0, field.width, MARGIN.top + field.height + 1);
    pen.clip();
    const shade = this.#options.shade ?? 0;
    if (shade > from) {
      pen.fillStyle = shadeColour();
      pen.fillRect(MARGIN.left, MARGIN.top, x(shade) - MARGIN.left, field.height);
    }
    this.#options.lines.forEach((line, index) => {
      if (this.#shown.visible[index] === false) return;
      const { low, high, values } = this.#shown;
      this.#band(pen, low[index] ?? null, high[index] ?? null, x, y, faint(line.ink, 0.16));
      pen.strokeStyle = colourOf(line.ink);
      pen.lineWidth = line.ink.width ?? 1.5;
      pen.lineJoin = "round";
      pen.setLineDash(line.ink.dash);
      pen.beginPath();
      trace(pen, this.#shown.x, values[index] ?? [], x, y, line);
      pen.stroke();
    });
    pen.restore();
  }

  /** @returns {[number, number]} */
  #range() {
    const { values, low, high, visible, log, x, from, to } = this.#shown;
    const inside = (/** @type {Column | null} */ column) => (column ?? []).filter((_, index) => (x[index] ?? 0) >= from && (x[index] ?? 0) <= to);
    const drawn = [...values, ...low, ...high].filter((_, index) => visible[index % values.length] !== false).map(inside);
    const found = extent(drawn);
    if (log === "y") return found === null ? [0.1, 10] : [found[0] / 1.1, found[1] * 1.15];
    const { y } = this.#options;
    return y.to !== undefined ? [0, y.to] : span(found?.[0] ?? null, found?.[1] ?? null, y);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {{ x: (at: number) => number, y: (value: number) => number, low: number, high: number, width: number, height: number }} view
   */
  #axes(pen, { x, y, low, high, width, height }) {
    const { from, to, log } = this.#shown;
    const isTime = this.#options.x.kind === "time";
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = axisColour();
    pen.strokeStyle = gridColour();
    pen.lineWidth = 1;
    const steps = increments(this.#options.lines.every((line) => line.whole === true) ? 1 : 1e-6);
    const down = log === "y" ? { marks: logMarks(low, high), step: 1 } : axis(low, high, height, SPACE.down, steps);
    const downLabels = log === "y" ? powers(down.marks) : labels(down.marks, down.step);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    down.marks.forEach((mark, index) => {
      // Centred on a pixel, so that the line is one pixel wide.
      const at = Math.round(y(mark)) + 0.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left, at);
      pen.lineTo(MARGIN.left + width, at);
      pen.stroke();
      pen.fillText(downLabels[index] ?? "", MARGIN.left - 6, at);
    });
    const across = log === "x" ? { marks: logMarks(from, to), step: 1 } : axis(from, to, width, SPACE.across, isTime ? SECONDS : increments(1e-6));
    const acrossLabels = log === "x" ? powers(across.marks) : isTime ? times(across.marks, across.step) : labels(across.marks, across.step);
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    across.marks.forEach((mark, index) => pen.fillText(acrossLabels[index] ?? "", x(mark), MARGIN.top + height + 17));
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Column | null} low
   * @param {Column | null} high
   * @param {(at: number) => number} x
   * @param {(value: number) => number} y
   * @param {string} colour
   */
  #band(pen, low, high, x, y, colour) {
    if (low === null || high === null) return;
    const points = this.#shown.x.flatMap((at, index) => {
      const [bottom, top] = [low[index] ?? null, high[index] ?? null];
      return bottom === null || top === null ? [] : [{ at: x(at), bottom: y(bottom), top: y(top) }];
    });
    pen.beginPath();
    for (const { at, top } of points) pen.lineTo(at, top);
    for (const { at, bottom } of points.reverse()) pen.lineTo(at, bottom);
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
  }

  /** @param {number} height */
  #prepare(height) {
    const ratio = devicePixelRatio || 1;
    const canvas = this.#canvas;
    [canvas.width, canvas.height] = [Math.round(this.#width * ratio), Math.round(height * ratio)];
    [canvas.style.width, canvas.style.height] = [`${this.#width}px`, `${height}px`];
    const pen = canvas.getContext("2d");
    pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  }
}
