// Canvas of a plot: axes and lines.

import * as format from "./format.js";
import { axis, greatest, trace, visible } from "./geometry.js";
import { axisColor, gridColor } from "./palette.js";

/** @import { Line } from "./plot.js" */

export const HEIGHT = 170;
/** Pixels between the edges of the canvas and the area of the lines. */
export const MARGIN = { top: 8, right: 16, bottom: 24, left: 42 };
/** Minimum distance of two tick marks in pixels. */
const SPACE = { time: 64, value: 26 };
const SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600];

/**
 * Transformation of a plot from times and values to pixels, relative to the upper left corner of the canvas.
 *
 * @typedef {object} View
 * @property {(time: number) => number} x
 * @property {(value: number) => number} y
 */

export class Chart {
  node = document.createElement("canvas");
  #lines;
  #atLeast;
  #steps;

  /**
   * @param {Line[]} lines
   * @param {number} atLeast Minimum of the upper end of the value axis.
   */
  constructor(lines, atLeast) {
    this.#lines = lines;
    this.#atLeast = atLeast;
    this.#steps = format.increments(lines.every((line) => line.whole) ? 1 : 1e-6);
  }

  /**
   * Draws `time` and the columns between `from` and `to`, `width` pixels wide.
   *
   * @param {number[]} time
   * @param {number} from
   * @param {number} to
   * @param {number} width
   * @returns {View}
   */
  draw(time, from, to, width) {
    const range = visible(time, from, to);
    const top = Math.max(this.#atLeast, greatest(this.#lines.map((line) => line.column), ...range) * 1.08);
    const field = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    /** @type {View} */
    const view = {
      x: (at) => MARGIN.left + ((at - from) / (to - from)) * field.width,
      y: (value) => MARGIN.top + (1 - value / top) * field.height,
    };
    const pen = prepared(this.node, width);
    this.#drawAxes(pen, view, { from, to, top, ...field });
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, 0, field.width, HEIGHT - MARGIN.bottom + 1);
    pen.clip();
    for (const line of this.#lines) drawLine(pen, line, time, range, view);
    pen.restore();
    return view;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {View} view
   * @param {{ from: number, to: number, top: number, width: number, height: number }} field
   */
  #drawAxes(pen, { x, y }, { from, to, top, width, height }) {
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = axisColor();
    pen.strokeStyle = gridColor();
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const values = axis(0, top, height, SPACE.value, this.#steps);
    for (const mark of values.marks) {
      // Centred on a pixel, so that the line is one pixel wide.
      const at = Math.round(y(mark)) + 0.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left, at);
      pen.lineTo(MARGIN.left + width, at);
      pen.stroke();
      pen.fillText(format.tick(mark, values.step), MARGIN.left - 6, at);
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    for (const mark of axis(from, to, width, SPACE.time, SECONDS).marks) {
      pen.fillText(to >= 120 ? format.clock(mark) : `${mark} s`, x(mark), HEIGHT - 6);
    }
  }
}


/**
 * Clears the canvas and returns its context in page pixels, with the resolution of the screen.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 */
function prepared(canvas, width) {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(HEIGHT * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    [canvas.width, canvas.height] = [across, down];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${HEIGHT}px`];
  }
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("the browser must support 2D canvases");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, HEIGHT);
  return pen;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Line} line
 * @param {number[]} time
 * @param {[first: number, last: number]} range
 * @param {View} view
 */
function drawLine(pen, line, time, range, { x, y }) {
  const at = (/** @type {number} */ index) => x(time[index] ?? 0);
  pen.strokeStyle = pen.fillStyle = line.ink.color();
  pen.lineWidth = 1.5;
  pen.lineJoin = "round";
  pen.setLineDash(line.ink.dash);
  pen.beginPath();
  const isolated = trace(pen, line.column, range, at, y, line);
  pen.stroke();
  for (const index of isolated) {
    pen.beginPath();
    pen.arc(at(index), y(line.column[index] ?? 0), 2, 0, 2 * Math.PI);
    pen.fill();
  }
}
