// One plot: a title with its unit, a legend that shows the values under the cursor (or else the newest), and uPlot.

import uPlot from "uplot";
import { element, say } from "./dom";
import * as format from "./format";
import { axisColor, gridColor, type Ink } from "./palette";
import type { Column } from "./store";

export interface Line {
  name: string;
  ink: Ink;
  column: Column;
  /** Always a whole number. */
  whole?: boolean;
  /** Changes at once, as a count does. */
  steps?: boolean;
  /** Draw through intervals without a value. */
  sparse?: boolean;
}

export interface PlotOptions {
  title: string;
  unit: string;
  /** For those who cannot see it. */
  describe: string;
  lines: Line[];
  /** The axis reaches so far at least. */
  atLeast: number;
}

const HEIGHT = 170;
/** All plots have their cursor at the same time. */
const CURSORS = uPlot.sync("time");

export class Plot {
  readonly node: HTMLElement;
  private readonly chart: uPlot;
  private readonly place: HTMLElement;
  private readonly values: HTMLElement[];
  private readonly tip: Tip;
  private readonly lines: Line[];

  constructor(options: PlotOptions) {
    this.lines = options.lines;
    this.values = this.lines.map(() => element("b"));
    const keys = this.lines.map((line, index) =>
      element("li", "", swatch(line.ink), element("span", "name", line.name), this.values[index] ?? ""),
    );
    // A single line needs no name of its own.
    const single = this.lines.length === 1 && this.lines[0]?.name === "";
    const heading = element("h3", "", options.title, element("span", "unit", options.unit));
    if (single) heading.append(this.values[0] ?? "");
    this.place = element("div", "canvas");
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", options.describe);
    this.node = element("figure", "plot", heading, ...(single ? [] : [element("ul", "legend", ...keys)]), this.place);
    this.tip = new Tip(this.lines, options);
    this.chart = new uPlot(this.settings(options), [[], ...this.lines.map(() => [])], this.place);
    this.place.append(this.tip.node);
  }

  /** Shows `time` and the columns between `from` and `to`. */
  draw(time: number[], from: number, to: number): void {
    const width = this.place.clientWidth;
    if (width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: HEIGHT });
    this.chart.batch(() => {
      this.chart.setData([time, ...this.lines.map((line) => line.column)], false);
      this.chart.setScale("x", { min: from, max: to });
    });
    this.showValues();
  }

  redraw(): void {
    this.chart.redraw(false, true);
    this.node.querySelectorAll<HTMLElement>(".swatch").forEach((node, index) => {
      const ink = this.lines[index]?.ink;
      if (ink !== undefined) paint(node, ink);
    });
  }

  destroy(): void {
    CURSORS.unsub(this.chart);
    this.chart.destroy();
  }

  private settings(options: PlotOptions): uPlot.Options {
    const axis = { stroke: axisColor, font: "12px system-ui, sans-serif", ticks: { show: false } };
    return {
      width: 300,
      height: HEIGHT,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: CURSORS.key, setSeries: false }, drag: { x: false, y: false }, y: false, points: { size: 6 } },
      scales: {
        x: { time: false },
        y: { range: (_chart, _low, high) => [0, Math.max(options.atLeast, (high ?? 0) * 1.08)] },
      },
      axes: [
        {
          ...axis,
          size: 24,
          space: 64,
          incrs: [1, 2, 5, 10, 30, 60, 120, 300, 600],
          grid: { show: false },
          values: (chart, marks) => {
            const long = (chart.scales["x"]?.max ?? 0) >= 120;
            return marks.map((mark) => (long ? format.clock(mark) : `${mark} s`));
          },
        },
        {
          ...axis,
          size: 42,
          space: 26,
          incrs: format.increments(options.lines.every((line) => line.whole) ? 1 : 1e-6),
          grid: { stroke: gridColor, width: 1 },
          values: (_chart, marks, _index, _space, step) => marks.map((mark) => format.tick(mark, step)),
        },
      ],
      series: [
        {},
        ...this.lines.map((line) => ({
          label: line.name,
          stroke: () => line.ink.color(),
          dash: line.ink.dash,
          width: 1.5,
          spanGaps: line.sparse === true,
          ...(line.steps === true ? { paths: steps } : {}),
          points: { show: () => false, size: 4, filter: isolated },
        })),
      ],
      hooks: {
        setCursor: [
          (chart) => {
            this.showValues();
            this.tip.follow(chart, this.place);
          },
        ],
      },
    };
  }

  private showValues(): void {
    const at = this.chart.cursor.idx;
    this.lines.forEach((line, index) => {
      const value = at === null || at === undefined ? newest(line) : line.column[at];
      const node = this.values[index];
      if (node !== undefined) say(node, line.whole === true ? format.count(value) : format.number(value));
    });
  }
}

/** What is under the pointer, beside it: only on the plot that the pointer is over. */
class Tip {
  readonly node = element("div", "tip");

  constructor(
    private readonly lines: Line[],
    private readonly options: PlotOptions,
  ) {
    this.node.hidden = true;
  }

  follow(chart: uPlot, place: HTMLElement): void {
    const at = chart.cursor.idx;
    const time = at === null || at === undefined ? undefined : chart.data[0][at];
    this.node.hidden = time === undefined || !place.matches(":hover");
    if (this.node.hidden || time === undefined || at === null || at === undefined) return;
    const rows = this.lines.map((line) => {
      const value = line.whole === true ? format.count(line.column[at]) : format.number(line.column[at]);
      return element("div", "", swatch(line.ink), `${line.name} `, element("b", "", value), ` ${this.options.unit}`);
    });
    this.node.replaceChildren(element("div", "when", format.time(time)), ...rows);
    const left = chart.cursor.left ?? 0;
    const width = chart.over.clientWidth;
    const inset = chart.over.offsetLeft;
    const right = left > width / 2;
    this.node.style.left = right ? "" : `${inset + left + 12}px`;
    this.node.style.right = right ? `${place.clientWidth - inset - left + 12}px` : "";
  }
}

const steps: uPlot.Series.PathBuilder = (chart, index, from, to) =>
  uPlot.paths.stepped?.({ align: 1 })(chart, index, from, to) ?? null;

/** Points only where there is no line: a value between two that are missing. */
const isolated: uPlot.Series.Points.Filter = (chart, index) => {
  const column = chart.data[index] ?? [];
  const [from, to] = chart.series[0]?.idxs ?? [0, 0];
  const alone: number[] = [];
  if (chart.series[index]?.spanGaps === true) return alone;
  for (let i = from; i <= to; i += 1) {
    if (column[i] != null && column[i - 1] == null && column[i + 1] == null) alone.push(i);
  }
  return alone;
};

/** Of a line with gaps the last value that there was. */
function newest({ column, sparse }: Line): number | null {
  if (sparse !== true) return column.at(-1) ?? null;
  return column.findLast((value) => value !== null) ?? null;
}

function swatch(ink: Ink): HTMLElement {
  const node = element("i", "swatch");
  paint(node, ink);
  return node;
}

function paint(node: HTMLElement, ink: Ink): void {
  node.style.borderTopColor = ink.color();
  node.style.borderTopStyle = ink.dash.length > 0 ? "dashed" : "solid";
}
