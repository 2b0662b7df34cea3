// The cards: one a queue, one for the flows.

import { element } from "./dom";
import { flowInk, partInk, queueInk, type Ink } from "./palette";
import { Plot, type Line, type PlotOptions } from "./plot";
import type { Column, FlowColumns, Store } from "./store";

/** So many queues are open at first: a topology may have dozens, and most of them are empty. */
const OPEN = 3;

export class Cards {
  private plots: { card: HTMLDetailsElement; plot: Plot }[] = [];
  private built: Store | null = null;
  private shape = 0;
  /** Which cards the reader has opened or closed, by name: kept from run to run. */
  private readonly wishes = new Map<string, boolean>();

  constructor(
    private readonly main: HTMLElement,
    private readonly onOpen: () => void,
  ) {}

  draw(store: Store, span: number): void {
    this.build(store);
    const duration = store.layout?.duration_s ?? 0;
    // From the start on the axis stands still until the span is full.
    const width = Math.max(1, span === Infinity ? Math.min(Math.max(duration, store.now), 600) : span);
    const to = Math.max(store.now, width);
    for (const { card, plot } of this.plots) if (card.open) plot.draw(store.time, to - width, to);
  }

  redraw(): void {
    for (const { plot } of this.plots) plot.redraw();
  }

  /** Makes the cards anew if there are other lines than before. */
  private build(store: Store): void {
    if (store === this.built && store.shape === this.shape) return;
    this.built = store;
    this.shape = store.shape;
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    const scroll = window.scrollY;
    this.main.replaceChildren();
    if (store.layout === null) {
      this.main.append(element("p", "waiting", "Waiting for a run to begin."));
      return;
    }
    store.layout.queues.forEach((name, index) => this.card(name, index < OPEN, queuePlots(store, index, name)));
    if (store.flows.length > 0) this.card("Flows", true, flowPlots(store, store.layout.flows));
    window.scrollTo(0, scroll);
  }

  private card(name: string, open: boolean, plots: PlotOptions[]): void {
    const grid = element("div", "plots");
    const card = element("details", "card", element("summary", "", name), grid);
    card.open = this.wishes.get(name) ?? open;
    card.addEventListener("toggle", () => {
      this.wishes.set(name, card.open);
      if (card.open) this.onOpen();
    });
    this.main.append(card);
    for (const options of plots) {
      const plot = new Plot(options);
      grid.append(plot.node);
      this.plots.push({ card, plot });
    }
  }
}

function queuePlots(store: Store, index: number, name: string): PlotOptions[] {
  const queue = store.queues[index];
  if (queue === undefined) return [];
  const only = (column: Column, whole = false): Line[] => [{ name: "", ink: queueInk, column, whole }];
  const count = { whole: true, steps: true };
  const reasons = [...queue.drops].map(([name, column], at): Line => ({ name, ink: partInk(at), column, ...count }));
  const marks: Line = { name: "marked", ink: { ...queueInk, dash: [4, 4] }, column: queue.marks, ...count };
  const plot = (title: string, unit: string, atLeast: number, lines: Line[]): PlotOptions => {
    return { title, unit, atLeast, lines, describe: `${title} of ${name} over time, in ${unit}` };
  };
  return [
    plot("Backlog", "packets", 10, only(queue.backlog, true)),
    plot("Sojourn time", "ms", 1, only(queue.sojourn)),
    plot("Throughput", "Mbit/s", 0.1, only(queue.throughput)),
    plot("Drops since the start", "packets", 10, [...reasons, marks]),
  ];
}

function flowPlots(store: Store, names: string[]): PlotOptions[] {
  const plot = (title: string, unit: string, atLeast: number, column: (flow: FlowColumns) => Column): PlotOptions => {
    const lines = store.flows.map((flow, index): Line => {
      const ink: Ink = flowInk(index);
      return { name: names[index] ?? "", ink, column: column(flow), sparse: column(flow) !== flow.goodput };
    });
    // Of what is not measured everywhere only the flows that have it.
    const shown = lines.filter((line) => line.sparse !== true || store.measured.has(line.column));
    return { title, unit, atLeast, lines: shown, describe: `${title} of the flows over time, in ${unit}` };
  };
  const plots = [
    plot("Goodput", "Mbit/s", 0.1, (flow) => flow.goodput),
    plot("Round-trip time", "ms", 1, (flow) => flow.rtt),
    plot("One-way delay", "ms", 1, (flow) => flow.owd),
    plot("Playout buffer", "s", 1, (flow) => flow.buffer),
  ];
  return plots.filter((options) => options.lines.length > 0);
}
