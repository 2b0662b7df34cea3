// Cards: one per queue, and one for the flows.

import { element } from "../plots/dom.js";
import { Figure } from "./figure.js";
import { flowInk, partInk, queueInk } from "./palette.js";

/** @import { FigureOptions, LiveLine } from "./figure.js" */
/** @import { Column, FlowColumns, Store } from "./store.js" */

/** Number of queues that are open initially without known bottlenecks: a topology may have dozens, most of which are empty. */
const OPEN = 3;

export class Cards {
  /** @type {{ card: HTMLDetailsElement, figure: Figure }[]} */
  #figures = [];
  /** @type {Store | null} */
  #built = null;
  #shape = 0;
  /**
   * Cards that the user has opened or closed, by name. Kept across runs.
   *
   * @type {Map<string, boolean>}
   */
  #choices = new Map();
  #main;
  #onOpen;

  /**
   * @param {HTMLElement} main
   * @param {() => void} onOpen
   */
  constructor(main, onOpen) {
    this.#main = main;
    this.#onOpen = onOpen;
  }

  /**
   * @param {Store} store
   * @param {number} span
   */
  draw(store, span) {
    this.#build(store);
    const duration = store.layout?.duration_s ?? 0;
    // At the start of a run the axis stays fixed until the span is full.
    const width = Math.max(1, span === Infinity ? Math.min(Math.max(duration, store.now), 600) : span);
    const to = Math.max(store.now, width);
    for (const { card, figure } of this.#figures) if (card.open) figure.draw(store.time, to - width, to);
  }

  recolour() {
    for (const { figure } of this.#figures) figure.recolour();
  }

  /**
   * Rebuilds the cards if the lines have changed.
   *
   * @param {Store} store
   */
  #build(store) {
    if (store === this.#built && store.shape === this.#shape) return;
    this.#built = store;
    this.#shape = store.shape;
    for (const { figure } of this.#figures) figure.destroy();
    this.#figures = [];
    const scroll = window.scrollY;
    this.#main.replaceChildren();
    if (store.layout === null) {
      this.#main.append(element("p", "waiting", "Waiting for a run to start."));
      return;
    }
    const { queues, open } = store.layout;
    const opens = (/** @type {number} */ index) => (open.length > 0 ? open.includes(index) : index < OPEN);
    queues.forEach((name, index) => this.#card(name, opens(index), queuePlots(store, index, name)));
    if (store.flows.length > 0) this.#card("Flows", true, flowPlots(store, store.layout.flows));
    window.scrollTo(0, scroll);
  }

  /**
   * @param {string} name
   * @param {boolean} open
   * @param {FigureOptions[]} figures
   */
  #card(name, open, figures) {
    const grid = element("div", "plots");
    const card = element("details", "card", element("summary", "", name), grid);
    card.open = this.#choices.get(name) ?? open;
    card.addEventListener("toggle", () => {
      this.#choices.set(name, card.open);
      if (card.open) this.#onOpen();
    });
    this.#main.append(card);
    for (const options of figures) {
      const figure = new Figure(options);
      grid.append(figure.node);
      this.#figures.push({ card, figure });
    }
  }
}

/**
 * @param {Store} store
 * @param {number} index
 * @param {string} name
 * @returns {FigureOptions[]}
 */
function queuePlots(store, index, name) {
  const queue = store.queues[index];
  if (queue === undefined) return [];
  /** @type {(column: Column, whole?: boolean) => LiveLine[]} */
  const only = (column, whole = false) => [{ name: "", ink: queueInk, column, whole, gaps: true }];
  const count = { whole: true, steps: true };
  const reasons = [...queue.drops].map(([reason, column], at) => ({ name: reason, ink: partInk(at), column, ...count }));
  const marks = { name: "marked", ink: { ...queueInk, dash: [4, 4] }, column: queue.marks, ...count };
  /** @type {(title: string, unit: string, atLeast: number, lines: LiveLine[]) => FigureOptions} */
  const plot = (title, unit, atLeast, lines) => {
    return { title, unit, atLeast, lines, describe: `${title} of ${name} over time, in ${unit}` };
  };
  return [
    plot("Backlog", "packets", 10, only(queue.backlog, true)),
    plot("Sojourn time", "ms", 1, only(queue.sojourn)),
    plot("Throughput", "Mbit/s", 0.1, only(queue.throughput)),
    plot("Drops since the start", "packets", 10, [...reasons, marks]),
  ];
}

/**
 * @param {Store} store
 * @param {string[]} names
 * @returns {FigureOptions[]}
 */
function flowPlots(store, names) {
  /** @type {(title: string, unit: string, atLeast: number, column: (flow: FlowColumns) => Column) => FigureOptions} */
  const plot = (title, unit, atLeast, column) => {
    const lines = store.flows.map((flow, index) => {
      return { name: names[index] ?? "", ink: flowInk(index), column: column(flow), sparse: column(flow) !== flow.goodput, gaps: true };
    });
    // Series that are not measured for all flows only show the flows that have them.
    const shown = lines.filter((line) => !line.sparse || store.measured.has(line.column));
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
