// What runs, how far it is, whether the stream is alive, and the reader's choices.

import { element, say } from "./dom";
import * as format from "./format";
import type { Store } from "./store";

export type Connection = "connecting" | "live" | "lost";

const SPANS: [label: string, seconds: number][] = [
  ["30 s", 30],
  ["2 min", 120],
  ["10 min", 600],
  ["Whole run", Infinity],
];

/** Whether the last run of the experiment has ended. */
function finished({ layout, ended }: Store): boolean {
  return layout !== null && ended !== null && layout.run >= layout.runs;
}

export class Header {
  /** Seconds that the plots show. */
  span = 30;
  private paused = false;
  private connection: Connection = "connecting";
  private readonly name = element("h1");
  private readonly facts = element("p", "facts");
  private readonly clock = element("span", "clock");
  private readonly progress = element("progress");
  private readonly state = element("span", "state");
  private readonly lateness = element("p", "lateness");
  private readonly notices = element("ul", "notices");
  private readonly pause = element("button", "pause", "Pause");
  private shownNotices = "";

  constructor(node: HTMLElement, onChange: (paused: boolean) => void) {
    this.pause.type = "button";
    this.pause.setAttribute("aria-pressed", "false");
    this.pause.addEventListener("click", () => {
      this.paused = !this.paused;
      this.pause.textContent = this.paused ? "Resume" : "Pause";
      this.pause.setAttribute("aria-pressed", String(this.paused));
      onChange(this.paused);
    });
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
        onChange(this.paused);
      });
      spans.append(button);
    }
    this.state.setAttribute("role", "status");
    this.progress.max = 1;
    node.append(
      element("div", "title", this.name, this.state),
      this.facts,
      element("div", "time", this.progress, this.clock),
      element("div", "controls", this.pause, spans, this.lateness),
      this.notices,
    );
  }

  connected(connection: Connection): void {
    this.connection = connection;
  }

  draw(store: Store): void {
    const { layout } = store;
    say(this.name, layout?.name ?? "Jettison live");
    document.title = layout === null ? "Jettison live" : `${layout.name} – Jettison live`;
    const facts = layout === null ? [] : [layout.variant, `seed ${layout.seed}`, `run ${layout.run} of ${layout.runs}`];
    say(this.facts, facts.filter((fact) => fact !== "").join(" · "));
    const duration = layout?.duration_s ?? 0;
    const whole = store.ended !== null;
    this.progress.value = whole ? 1 : duration > 0 ? Math.min(1, store.now / duration) : 0;
    this.progress.setAttribute("aria-label", "Progress of the run");
    say(this.clock, layout === null ? "" : `${format.clock(store.now)} of ${format.clock(duration)}`);
    const [state, text] = this.describe(store);
    this.state.dataset["state"] = state;
    say(this.state, text);
    const late = store.lateness;
    say(
      this.lateness,
      late === null
        ? ""
        : `Lateness of the router: median ${format.micros(late.p50)}, p99 ${format.micros(late.p99)}, worst ${format.micros(late.max)}`,
    );
    this.drawNotices(store);
  }

  private describe(store: Store): [string, string] {
    // The command ends with its last run, and the page's server with the command.
    if (this.connection === "lost" && finished(store)) return ["ended", "finished"];
    if (this.connection === "lost") return ["lost", "disconnected"];
    if (this.connection === "connecting") return ["connecting", "connecting"];
    if (this.paused) return ["paused", "paused"];
    if (store.ended !== null) return ["ended", "ended"];
    return store.layout === null ? ["live", "connected"] : ["live", "live"];
  }

  private drawNotices(store: Store): void {
    const newest = store.notices.slice(-5).reverse();
    const wanted = JSON.stringify(newest);
    if (wanted === this.shownNotices) return;
    this.shownNotices = wanted;
    this.notices.replaceChildren(...newest.map(({ text, end }) => element("li", end ? "end" : "", text)));
  }
}
