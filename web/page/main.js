// Reads the event stream and redraws at most once per frame.

import { onThemeChange } from "../plots/colour.js";
import { Cards } from "./cards.js";
import { Header } from "./header.js";
import { parse } from "./protocol.js";
import { Store } from "./store.js";

/** Maximum frame rate: the browser may run on the measuring machine. */
const MAX_FRAME_RATE = 10;

const store = new Store();
/**
 * Copy of the data at the time of the pause, while paused.
 *
 * @type {Store | null}
 */
let held = null;
const header = new Header(required("header"), (paused) => {
  if (paused !== (held !== null)) held = paused ? store.copy() : null;
  schedule();
});
const cards = new Cards(required("main"), schedule);
let due = false;
let last = -Infinity;

/** @param {number} now */
function draw(now) {
  if (now - last < 1000 / MAX_FRAME_RATE) {
    requestAnimationFrame(draw);
    return;
  }
  due = false;
  last = now;
  const shown = held ?? store;
  header.draw(shown);
  cards.draw(shown, header.span);
}

/** Schedules a redraw. A hidden page gets no frames and draws nothing. */
function schedule() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

const stream = new EventSource("/events");
stream.addEventListener("open", () => {
  // Each connection starts with the server's whole history.
  store.reset();
  header.connected("live");
  schedule();
});
stream.addEventListener("error", () => {
  header.connected("lost");
  schedule();
});
stream.addEventListener("message", (message) => {
  store.take(parse(message.data));
  schedule();
});

window.addEventListener("resize", schedule);
onThemeChange(() => cards.recolour());
schedule();

/** @param {string} id */
function required(id) {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`the page must contain #${id}`);
  return node;
}
