import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../page/protocol.js";
import { SNAPSHOTS, Store } from "../page/store.js";

/** @import { Layout, Snapshot } from "../page/protocol.js" */

/** @returns {Layout} */
function layout(run = 1) {
  const names = { name: "test", variant: "", seed: "1", runs: 2, queues: ["q"], open: [], flows: ["a", "b"] };
  return { type: "layout", run, duration_s: 60, ...names };
}

/**
 * @param {number} time_s
 * @param {[string, number][]} drops
 * @returns {Snapshot}
 */
function snapshot(time_s, drops = [], run = 1) {
  const queue = { backlog_packets: 3, backlog_bytes: 4500, sojourn_ms: null, throughput_mbit: 9.5, drops, marks: 0 };
  const flow = { goodput_mbit: 4, owd_ms: null, rtt_ms: 20, buffer_s: null };
  return { type: "snapshot", run, time_s, queues: [queue], flows: [flow, flow], lateness_us: { p50: 1, p99: 2, max: 3 } };
}

/** @param {...Snapshot} snapshots */
function filled(...snapshots) {
  const store = new Store();
  store.take(layout());
  for (const item of snapshots) store.take(item);
  return store;
}

test("a snapshot adds a value to each column", () => {
  const store = filled(snapshot(0.2), snapshot(0.4));
  assert.deepEqual(store.time, [0.2, 0.4]);
  assert.deepEqual(store.queues[0]?.backlog, [3, 3]);
  assert.deepEqual(store.queues[0]?.sojourn, [null, null]);
  assert.deepEqual(store.flows[1]?.goodput, [4, 4]);
});

test("a new measurement of a flow adds a line", () => {
  const store = filled(snapshot(1));
  const shape = store.shape;
  const [flow] = store.flows;
  assert.ok(flow !== undefined && store.measured.has(flow.rtt) && !store.measured.has(flow.owd));
  const next = snapshot(2);
  next.flows = next.flows.map((flow) => ({ ...flow, owd_ms: 10 }));
  store.take(next);
  assert.ok(store.measured.has(flow.owd) && store.shape > shape);
});

test("a copy does not change with the store", () => {
  const store = filled(snapshot(1, [["codel", 1]]));
  const copy = store.copy();
  store.take(snapshot(2, [["codel", 2]]));
  assert.deepEqual([copy.now, store.now], [1, 2]);
  assert.deepEqual(copy.queues[0]?.drops.get("codel"), [1]);
  assert.ok(copy.flows[0] !== undefined && copy.measured.has(copy.flows[0].rtt));
});

test("a drop reason starts with zeros and keeps its count when it is missing", () => {
  const store = filled(snapshot(1), snapshot(2, [["codel", 5]]), snapshot(3));
  const shape = store.shape;
  assert.deepEqual(store.queues[0]?.drops.get("codel"), [0, 5, 5]);
  store.take(snapshot(4, [["codel", 6]]));
  assert.equal(store.shape, shape, "a known reason adds no line");
  store.take(snapshot(5, [["buffer-full", 1]]));
  assert.ok(store.shape > shape);
});

test("snapshots before a layout, of another run, or out of order are ignored", () => {
  const store = new Store();
  store.take(snapshot(1));
  assert.deepEqual(store.time, []);
  store.take(layout(2));
  store.take(snapshot(1, [], 1));
  store.take(snapshot(1, [], 2));
  store.take(snapshot(0.5, [], 2));
  assert.deepEqual(store.time, [1]);
});

test("a new run clears the data and keeps the notes", () => {
  const store = filled(snapshot(1));
  store.take({ type: "ended", message: "complete" });
  assert.equal(store.ended, "complete");
  store.take(layout(2));
  assert.equal(store.ended, null);
  assert.deepEqual(store.time, []);
  assert.deepEqual(store.notices, [{ text: "Run 1 (seed 1) ended: complete", end: true }]);
  store.reset();
  assert.deepEqual(store.notices, []);
});

test("old and excess samples are removed from all columns", () => {
  const many = Array.from({ length: 7000 }, (_, i) => snapshot(i / 10, i > 6900 ? [["red-early", i]] : []));
  const store = filled(...many);
  assert.ok(store.time.length <= SNAPSHOTS * 1.05, String(store.time.length));
  const columns = [store.queues[0]?.backlog, store.queues[0]?.drops.get("red-early"), store.flows[0]?.goodput];
  for (const column of columns) assert.equal(column?.length, store.time.length);
  const slow = filled(...Array.from({ length: 2000 }, (_, i) => snapshot(i)));
  assert.ok((slow.time[0] ?? 0) >= 2000 - 600 - 250, String(slow.time[0]));
});

test("a 64-bit seed keeps all digits", () => {
  const json = '{"type":"layout","name":"n","variant":"\\"seed\\":5","seed":18446744073709551615,"run":1,"runs":1}';
  const event = parse(json);
  assert.ok(event.type === "layout");
  assert.equal(event.seed, "18446744073709551615");
  assert.equal(event.variant, '"seed":5');
});
