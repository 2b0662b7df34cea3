// Header: run, progress, state of the stream, and the user's settings.

import { element, say } from "../plots/dom.js";
import * as format from "../plots/format.js";

/** @import { Store } from "./store.js" */

/** @typedef {"connecting" | "live" | "lost"} Connection */

/** @type {[label: string, seconds: number][]} */
const SPANS = [
  ["30 s", 30],
  ["2 min", 120],
  ["10 min", 600],
  ["Whole run", Infinity],
];

/**
 * Whether the last run of the experiment has ended.
 *
 * @param {Store} store
 */
function finished({ layout, ended }) {
  return layout !== null && ended !== null && layout.run >= layout.runs;
}

export class Header {
  /** Length of the plotted time in seconds. */
  span = 30;
  #paused = false;
  /** @type {Connection} */
  #connection = "connecting";
  #name = element("h1");
  #facts = element("p", "facts");
  #clock = element("span", "clock");
  #progress = element("progress");
  #state = element("span", "state");
  #lateness = element("p", "lateness");
  #notices = element("ul", "notices");
  #shownNotices = "";

  /**
   * @param {HTMLElement} node
   * @param {(paused: boolean) => void} onChange
   */
  constructor(node, onChange) {
    this.#state.setAttribute("role", "status");
    this.#progress.max = 1;
    this.#progress.setAttribute("aria-label", "Progress of the run");
    node.append(
      element("div", "title", this.#name, this.#state),
      this.#facts,
      element("div", "time", this.#progress, this.#clock),
      element("div", "controls", this.#pauseButton(onChange), this.#spanButtons(onChange), this.#lateness),
      this.#notices,
    );
  }

  /** @param {Connection} connection */
  connected(connection) {
    this.#connection = connection;
  }

  /** @param {Store} store */
  draw(store) {
    const { layout } = store;
    say(this.#name, layout?.name ?? "Jettison live");
    document.title = layout === null ? "Jettison live" : `${layout.name} – Jettison live`;
    const facts = layout === null ? [] : [layout.variant, `seed ${layout.seed}`, `run ${layout.run} of ${layout.runs}`];
    say(this.#facts, facts.filter((fact) => fact !== "").join(" · "));
    const duration = layout?.duration_s ?? 0;
    const whole = store.ended !== null;
    this.#progress.value = whole ? 1 : duration > 0 ? Math.min(1, store.now / duration) : 0;
    say(this.#clock, layout === null ? "" : `${format.clock(store.now)} of ${format.clock(duration)}`);
    const [state, text] = this.#describe(store);
    this.#state.dataset["state"] = state;
    say(this.#state, text);
    const late = store.lateness;
    say(
      this.#lateness,
      late === null
        ? ""
        : `Lateness of the router: median ${format.micros(late.p50)}, p99 ${format.micros(late.p99)}, max ${format.micros(late.max)}`,
    );
    this.#drawNotices(store);
  }

  /** @param {(paused: boolean) => void} onChange */
  #pauseButton(onChange) {
    const button = element("button", "pause", "Pause");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      this.#paused = !this.#paused;
      button.textContent = this.#paused ? "Resume" : "Pause";
      button.setAttribute("aria-pressed", String(this.#paused));
      onChange(this.#paused);
    });
    return button;
  }

  /** @param {(paused: boolean) => void} onChange */
  #spanButtons(onChange) {
    const spans = element("div", "spans");
    spans.setAttribute("role", "group");
    spans.setAttribute("aria-label", "Time shown");
    for (const [label, seconds] of SPANS) {
      const button = element("button", "", label);
      button.type = "button";
      button.setAttribute("aria-pressed", String(seconds === this.span));
      button.addEventListener("click", () => {
        this.span = seconds;
        for (const other of spans.children) other.setAttribute("aria-pressed", String(other === button));
        onChange(this.#paused);
      });
      spans.append(button);
    }
    return spans;
  }

  /**
   * @param {Store} store
   * @returns {[state: string, text: string]}
   */
  #describe(store) {
    // The command ends after its last run, which ends the page's server.
    if (this.#connection === "lost" && finished(store)) return ["ended", "finished"];
    if (this.#connection === "lost") return ["lost", "disconnected"];
    if (this.#connection === "connecting") return ["connecting", "connecting"];
    if (this.#paused) return ["paused", "paused"];
    if (store.ended !== null) return ["ended", "ended"];
    return store.layout === null ? ["live", "connected"] : ["live", "live"];
  }

  /** @param {Store} store */
  #drawNotices(store) {
    const newest = store.notices.slice(-5).reverse();
    const wanted = JSON.stringify(newest);
    if (wanted === this.#shownNotices) return;
    this.#shownNotices = wanted;
    this.#notices.replaceChildren(...newest.map(({ text, end }) => element("li", end ? "end" : "", text)));
  }
}
