// Draws the lines of a plot with uPlot: axes, zoom by dragging, a cursor.

import { SECONDS, SPACE, labels, logMarks, powers, times } from "./axes.js";
import { axisColour, colourOf, faint, gridColour, groundColour, shadeColour } from "./colour.js";
import { span } from "./columns.js";
import { increments } from "./format.js";
import { mark } from "./markers.js";

/** @import Library from "uplot" */
/** @import { Painter, PainterEvents, Shown } from "./painter.js" */
/** @import { Column } from "./columns.js" */
/** @import { PlotOptions } from "./plot.js" */

const FONT = '12px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
/** Opacity of a band around its line. */
const BAND = 0.16;

/** @implements {Painter} */
export class LibraryPainter {
  #options;
  #events;
  #plot;
  #shown;
  /** Whether the pointer is over this plot. Otherwise another plot has placed the cursor, and new data place it again. */
  #isOver = false;

  /**
   * @param {typeof Library} library
   * @param {HTMLElement} place
   * @param {PlotOptions} options
   * @param {Shown} shown
   * @param {PainterEvents} events
   */
  constructor(library, place, options, shown, events) {
    this.#options = options;
    this.#events = events;
    this.#shown = shown;
    this.#plot = new library(this.#describe(library, place.clientWidth), /** @type {any} */ (this.#data()), place);
    this.#plot.over.addEventListener("mouseenter", () => (this.#isOver = true));
    this.#plot.over.addEventListener("mouseleave", () => (this.#isOver = false));
  }

  /** @param {Shown} shown */
  set(shown) {
    this.#shown = shown;
    this.#plot.batch(() => {
      this.#plot.setData(/** @type {any} */ (this.#data()), false);
      this.#plot.setScale("x", { min: shown.from, max: shown.to });
    });
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  zoom(from, to) {
    this.#shown = { ...this.#shown, from, to };
    this.#plot.setScale("x", { min: from, max: to });
  }

  /**
   * @param {number} line
   * @param {boolean} isVisible
   */
  show(line, isVisible) {
    this.#shown.visible[line] = isVisible;
    this.#plot.batch(() => {
      this.#places(line).forEach((place) => this.#plot.setSeries(place, { show: isVisible }));
    });
  }

  /**
   * Moves the cursor to a value on the x axis; away with `null`.
   *
   * @param {number | null} at
   */
  point(at) {
    const left = at === null ? -10 : this.#plot.valToPos(at, "x");
    this.#plot.setCursor({ left, top: at === null ? -10 : 0 }, false);
  }

  redraw() {
    this.#plot.redraw(false, true);
  }

  /** @param {number} width */
  resize(width) {
    if (width > 60 && width !== this.#plot.width) this.#plot.setSize({ width, height: this.#options.height });
  }

  destroy() {
    this.#plot.destroy();
  }

  /**
   * Places of a line's series: its own, and those of the ends of its band.
   *
   * @param {number} line
   */
  #places(line) {
    let place = 1;
    for (let index = 0; index < line; index += 1) place += this.#shown.low[index] === null ? 1 : 3;
    return this.#shown.low[line] === null ? [place] : [place, place + 1, place + 2];
  }

  #data() {
    const { x, values, low, high } = this.#shown;
    return [x, ...values.flatMap((column, line) => (low[line] === null ? [column] : [column, low[line] ?? [], high[line] ?? []]))];
  }

  /**
   * @param {typeof Library} library
   * @param {number} width
   * @returns {Library.Options}
   */
  #describe(library, width) {
    const { x, y, height, lines, shade } = this.#options;
    const { log, from, to } = this.#shown;
    const whole = lines.every((line) => line.whole === true);
    const grid = { stroke: gridColour, width: 1 };
    const ticks = { stroke: gridColour, width: 1, size: 4 };
    const common = { stroke: axisColour, font: FONT, grid, ticks };
    // The library's own marks of a log axis begin at its end, which is no round number.
    const logAxis = {
      splits: (/** @type {Library} */ _plot, /** @type {number} */ _axis, /** @type {number} */ min, /** @type {number} */ max) => logMarks(min, max),
      filter: (/** @type {Library} */ _plot, /** @type {number[]} */ marks) => marks,
    };
    return {
      width: Math.max(width, 80),
      height,
      pxAlign: 0,
      legend: { show: false },
      focus: { alpha: lines.length > 4 ? 0.25 : 1 },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        focus: { prox: lines.length > 4 ? 12 : -1 },
        points: { size: 7, show: lines.length <= 12 },
        bind: { dblclick: () => () => (this.#events.onZoom(null), null) },
      },
      scales: {
        x: { time: false, auto: false, distr: log === "x" ? 3 : 1, range: (_, min, max) => [min, max], min: from, max: to },
        y: {
          distr: log === "y" ? 3 : 1,
          range: (_, min, max) => (log === "y" ? logSpan(min, max) : y.to !== undefined ? [0, y.to] : span(min, max, y)),
        },
      },
      axes: [
        {
          ...common,
          ...(log === "x" ? logAxis : {}),
          size: 24,
          gap: 3,
          space: SPACE.across,
          ...(x.kind === "time" ? { incrs: SECONDS } : {}),
          values: (_, marks, _axis, _space, step) => (log === "x" ? powers(marks) : x.kind === "time" ? times(marks, step) : labels(marks, step)),
        },
        {
          ...common,
          ...(log === "y" ? logAxis : {}),
          gap: 4,
          space: SPACE.down,
          incrs: increments(whole ? 1 : 1e-6),
          size: (_, values) => 14 + 7 * Math.max(2, ...(values ?? []).map((text) => text.length)),
          values: (_, marks, _axis, _space, step) => (log === "y" ? powers(marks) : labels(marks, step)),
        },
      ],
      series: [{}, ...lines.flatMap((_, line) => this.#series(library, line))],
      bands: lines.flatMap((line, index) => {
        if (this.#shown.low[index] === null) return [];
        const [, low = 0, high = 0] = this.#places(index);
        return [{ series: /** @type {[number, number]} */ ([high, low]), fill: () => faint(line.ink, BAND) }];
      }),
      hooks: {
        drawClear: [(plot) => this.#shade(plot, shade ?? 0)],
        draw: [(plot) => this.#mark(plot)],
        setSelect: [(plot) => this.#select(plot)],
        setCursor: [(plot) => this.#move(plot)],
      },
    };
  }

  /**
   * @param {typeof Library} library
   * @param {number} index
   * @returns {Library.Series[]}
   */
  #series(library, index) {
    const line = this.#options.lines[index];
    if (line === undefined) return [];
    const show = this.#shown.visible[index] !== false;
    const stepped = library.paths.stepped?.({ align: 1 });
    const own = {
      show,
      stroke: () => colourOf(line.ink),
      width: line.ink.width ?? 1.5,
      dash: line.ink.dash,
      spanGaps: line.sparse === true,
      // A dot for a value whose neighbours are missing.
      points: line.sparse !== true && line.gaps === true ? { show: true, size: 4, filter: isolated } : { show: false },
      ...(line.steps === true && stepped !== undefined ? { paths: stepped } : {}),
    };
    if (this.#shown.low[index] === null) return [own];
    const end = { show, width: 0, spanGaps: true, points: { show: false } };
    return [own, end, end];
  }

  /**
   * @param {Library} plot
   * @param {number} until
   */
  #shade(plot, until) {
    const from = plot.scales["x"]?.min ?? 0;
    if (!(until > from)) return;
    const { left, top, height, width } = plot.bbox;
    const right = Math.min(plot.valToPos(until, "x", true), left + width);
    plot.ctx.fillStyle = shadeColour();
    plot.ctx.fillRect(left, top, right - left, height);
  }

  /** @param {Library} plot */
  #mark(plot) {
    const { lines } = this.#options;
    const { x, values, visible, from, to } = this.#shown;
    const ratio = devicePixelRatio || 1;
    lines.forEach((line, index) => {
      const shape = line.ink.marker ?? null;
      if (shape === null || visible[index] === false) return;
      const points = x.flatMap((at, place) => {
        const value = values[index]?.[place] ?? null;
        if (value === null || at < from || at > to) return [];
        return [{ x: plot.valToPos(at, "x", true), y: plot.valToPos(value, "y", true) }];
      });
      const offset = ((index * 7) % 10) / 10;
      mark(plot.ctx, points, { shape, colour: colourOf(line.ink), ground: groundColour(), offset, ratio });
    });
  }

  /** @param {Library} plot */
  #select(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#events.onZoom([from, to]);
  }

  /** @param {Library} plot */
  #move(plot) {
    if (!this.#isOver) return;
    const { left = -10, top = -10, idx } = plot.cursor;
    if (idx === null || idx === undefined || left < 0) {
      this.#events.onPoint(null);
      return;
    }
    const edge = plot.over.offsetLeft;
    const y = (/** @type {number} */ value) => plot.valToPos(value, "y");
    this.#events.onPoint({ index: idx, at: plot.posToVal(left, "x"), left: edge + left, top, distance: (value) => Math.abs(y(value) - top) });
  }
}

/**
 * @param {number | null} min
 * @param {number | null} max
 * @returns {[number, number]}
 */
function logSpan(min, max) {
  if (min === null || max === null || min <= 0) return [0.1, 10];
  return min === max ? [min / 2, max * 2] : [min / 1.1, max * 1.15];
}

/**
 * Indices of values without a neighbour.
 *
 * @param {Library} plot
 * @param {number} series
 * @param {boolean} _show
 * @returns {number[]}
 */
function isolated(plot, series, _show) {
  const column = /** @type {Column} */ (plot.data[series]);
  const alone = (/** @type {number} */ index) => (column[index - 1] ?? null) === null && (column[index + 1] ?? null) === null;
  return column.flatMap((value, index) => (value !== null && value !== undefined && alone(index) ? [index] : []));
}
