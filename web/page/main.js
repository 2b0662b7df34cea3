// Reads the stream, and draws once a frame at most what has changed.

import { Cards } from "./cards.js";
import { Header } from "./header.js";
import { onSchemeChange } from "./palette.js";
import { parse } from "./protocol.js";
import { Store } from "./store.js";

/** The machine that draws may be the one that measures: no more than so many pictures a second. */
const PICTURES = 10;

const store = new Store();
/**
 * While paused, what there was when the reader paused.
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
  if (now - last < 1000 / PICTURES) {
    requestAnimationFrame(draw);
    return;
  }
  due = false;
  last = now;
  const shown = held ?? store;
  header.draw(shown);
  cards.draw(shown, header.span);
}

/** A page that nobody looks at gets no frame, and draws nothing. */
function schedule() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

const stream = new EventSource("/events");
stream.addEventListener("open", () => {
  // Each connection begins with all that the server keeps.
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
onSchemeChange(() => cards.redraw());
schedule();

/** @param {string} id */
function required(id) {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`the page has no #${id}`);
  return node;
}
