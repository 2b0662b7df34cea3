// The page without a build and without a library: the newest minute of each measure, as lines on a canvas.
"use strict";

const SPAN = 60;
const HEIGHT = 140;
const LEFT = 44;
const BOTTOM = 18;
// Okabe & Ito 2008, of middling lightness: they show on white and on black.
const COLORS = ["#2b8cc4", "#d55e00", "#009e73", "#cc79a7", "#c28a00", "#56a4d9", "#888888", "#9a9000"];
const MEASURES = {
  queue: [
    ["Backlog", "packets", (queue) => ({ "": queue.backlog_packets })],
    ["Sojourn time", "ms", (queue) => ({ "": queue.sojourn_ms })],
    ["Throughput", "Mbit/s", (queue) => ({ "": queue.throughput_mbit })],
    ["Drops since the start", "packets", (queue) => ({ ...Object.fromEntries(queue.drops), marked: queue.marks })],
  ],
  flow: [
    ["Goodput", "Mbit/s", "goodput_mbit"],
    ["Round-trip time", "ms", "rtt_ms"],
    ["One-way delay", "ms", "owd_ms"],
    ["Playout buffer", "s", "buffer_s"],
  ],
};

const byId = (id) => document.getElementById(id);
let layout = null;
let snapshots = [];
let plots = [];
let paused = false;
let due = false;

function begin(next) {
  layout = next;
  snapshots = [];
  plots = [];
  const main = byId("main");
  main.replaceChildren();
  if (layout === null) return;
  byId("name").textContent = layout.name;
  layout.queues.forEach((name, index) => {
    const measures = MEASURES.queue.map(([title, unit, read]) => [title, unit, (s) => s.queues[index] && read(s.queues[index])]);
    section(main, name, measures);
  });
  const flows = (key) => (s) => Object.fromEntries(layout.flows.map((name, index) => [name, s.flows[index]?.[key] ?? null]));
  section(main, "Flows", MEASURES.flow.map(([title, unit, key]) => [title, unit, flows(key)]));
}

function section(main, name, measures) {
  const heading = document.createElement("h2");
  heading.textContent = name;
  const grid = document.createElement("div");
  grid.className = "plots";
  main.append(heading, grid);
  for (const [title, unit, read] of measures) {
    const figure = document.createElement("figure");
    const label = document.createElement("h3");
    label.textContent = `${title}, ${unit}`;
    const key = document.createElement("div");
    key.className = "key";
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${title} of ${name} over time, in ${unit}`);
    figure.append(label, key, canvas);
    grid.append(figure);
    plots.push({ read, key, canvas });
  }
}

function draw() {
  due = false;
  if (layout === null || paused) return;
  const newest = snapshots.at(-1);
  const now = newest?.time_s ?? 0;
  const variant = layout.variant === "" ? "" : `${layout.variant} · `;
  byId("facts").textContent =
    `${variant}seed ${layout.seed} · run ${layout.run} of ${layout.runs} · ${now.toFixed(1)} s of ${layout.duration_s} s ·`;
  if (newest !== undefined) {
    const { p50, p99, max } = newest.lateness_us;
    byId("lateness").textContent =
      `Lateness of the router: median ${p50.toFixed(0)} µs, p99 ${p99.toFixed(0)} µs, worst ${max.toFixed(0)} µs`;
  }
  const style = getComputedStyle(document.documentElement);
  const [soft, line] = ["--soft", "--line"].map((name) => style.getPropertyValue(name));
  const to = Math.max(now, SPAN);
  const shown = snapshots.filter((s) => s.time_s >= to - SPAN);
  for (const plot of plots) drawPlot(plot, shown, to, soft, line);
}

function drawPlot({ read, key, canvas }, shown, to, soft, line) {
  const rows = shown.map((s) => [s.time_s, read(s) ?? {}]);
  const names = [...new Set(rows.flatMap(([, values]) => Object.keys(values)))];
  const width = canvas.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, HEIGHT);
  const top = ceiling(Math.max(0, ...rows.flatMap(([, values]) => Object.values(values).filter((value) => value !== null))));
  const x = (time) => LEFT + ((time - to + SPAN) / SPAN) * (width - LEFT - 4);
  const y = (value) => 6 + (1 - value / top) * (HEIGHT - BOTTOM - 6);
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = soft;
  pen.strokeStyle = line;
  pen.lineWidth = 1;
  for (const part of [0, 0.5, 1]) {
    pen.beginPath();
    pen.moveTo(LEFT, y(top * part));
    pen.lineTo(width, y(top * part));
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText(+(top * part).toPrecision(3), LEFT - 5, y(top * part) + 4);
  }
  pen.textAlign = "left";
  pen.fillText(`${(to - SPAN).toFixed(0)} s`, LEFT, HEIGHT - 3);
  pen.textAlign = "right";
  pen.fillText(`${to.toFixed(0)} s`, width - 2, HEIGHT - 3);
  pen.lineWidth = 1.5;
  key.replaceChildren();
  names.forEach((name, index) => {
    const values = rows.map(([time, row]) => [time, row[name] ?? null]).filter(([, value]) => value !== null);
    if (values.length === 0) return;
    const color = COLORS[index % COLORS.length];
    pen.strokeStyle = color;
    pen.beginPath();
    values.forEach(([time, value], i) => (i === 0 ? pen.moveTo(x(time), y(value)) : pen.lineTo(x(time), y(value))));
    pen.stroke();
    const item = document.createElement("span");
    item.textContent = `${name} ${+values.at(-1)[1].toPrecision(3)}`;
    item.style.color = color;
    key.append(item);
  });
}

/** The least of 1, 2 and 5 times a power of ten that is not below `value`. */
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value);
}

function schedule() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

function note(text) {
  const item = document.createElement("li");
  item.textContent = text;
  byId("notes").prepend(item);
  while (byId("notes").children.length > 5) byId("notes").lastChild.remove();
}

function state(text) {
  byId("state").textContent = paused && text === "live" ? "paused" : text;
}

byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").textContent = paused ? "Resume" : "Pause";
  byId("pause").setAttribute("aria-pressed", String(paused));
  state("live");
  schedule();
});
window.addEventListener("resize", schedule);

const stream = new EventSource("/events");
stream.onopen = () => {
  begin(null);
  byId("notes").replaceChildren();
  state("live");
};
stream.onerror = () => state("disconnected");
stream.onmessage = (message) => {
  // A seed may need 64 bits, more than a number here has: it is read as text.
  const event = JSON.parse(message.data.replace(/^(\{"type":"layout",.*?"seed":)(\d+)/, '$1"$2"'));
  if (event.type === "layout") {
    begin(event);
    state("live");
  } else if (event.type === "snapshot" && layout !== null && event.run === layout.run) {
    snapshots.push(event);
    if (snapshots.length > 2000) snapshots = snapshots.filter((s) => s.time_s >= event.time_s - SPAN).slice(-1500);
  } else if (event.type === "note") {
    note(event.text);
  } else if (event.type === "ended") {
    note(`Run ${layout?.run ?? ""} ended: ${event.message}`);
    state("ended");
  }
  schedule();
};
