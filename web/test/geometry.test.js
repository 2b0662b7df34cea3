import assert from "node:assert/strict";
import { test } from "node:test";
import { increments } from "../page/format.js";
import { axis, greatest, nearest, trace, visible } from "../page/geometry.js";

/** @import { Column } from "../page/store.js" */

/**
 * Corners drawn for a column with samples at intervals of `distance` pixels and values as heights; and the isolated samples.
 *
 * @param {Column} column
 * @param {{ sparse?: boolean, steps?: boolean }} kind
 */
function drawn(column, kind = {}, distance = 10) {
  /** @type {string[]} */
  const corners = [];
  const pen = {
    /** @type {(x: number, y: number) => void} */
    moveTo: (x, y) => void corners.push(`M${x},${y}`),
    /** @type {(x: number, y: number) => void} */
    lineTo: (x, y) => void corners.push(`L${x},${y}`),
  };
  const isolated = trace(pen, column, [0, column.length - 1], (index) => index * distance, (value) => value, kind);
  return { corners, isolated };
}

test("a view shows its samples and one more on each side", () => {
  const time = [1, 2, 3, 4, 5];
  assert.deepEqual(visible(time, 2.5, 3.5), [1, 3]);
  assert.deepEqual(visible(time, 2, 4), [0, 3]);
  assert.deepEqual(visible(time, -10, 10), [0, 4]);
  const [first, last] = visible([], 0, 30);
  assert.ok(first > last);
});

test("the nearest sample is found", () => {
  const time = [1, 2, 4];
  assert.deepEqual([0, 1.4, 1.6, 2.9, 3.1, 9].map((at) => nearest(time, at)), [0, 0, 1, 1, 2, 2]);
  assert.equal(nearest([], 1), null);
  assert.equal(nearest([5], 1), 0);
});

test("the maximum is over the visible samples", () => {
  assert.equal(greatest([[9, 1, null, 2], [null, null, 3, 9]], 1, 2), 3);
  assert.equal(greatest([[null]], 0, 0), 0);
  assert.equal(greatest([[1]], 0, -1), 0);
});

test("tick marks have the minimum distance and are multiples of the step", () => {
  assert.deepEqual(axis(0, 10.8, 138, 26, increments(1)), { step: 5, marks: [0, 5, 10] });
  assert.deepEqual(axis(0, 0.35, 138, 26, increments(1e-6)).marks, [0, 0.1, 0.2, 3 * 0.1]);
  assert.deepEqual(axis(12.4, 42.4, 300, 64, [1, 2, 5, 10, 30]), { step: 10, marks: [20, 30, 40] });
  assert.deepEqual(axis(0, 30, 300, 64, [1, 2, 5, 10, 30]).marks, [0, 10, 20, 30]);
  assert.deepEqual(axis(0, 5000, 10, 64, [1]).marks, [0, 5000], "no step leaves enough space");
});

test("a line has one corner per sample and is interrupted at missing values", () => {
  assert.deepEqual(drawn([1, 2, null, 4, 5]).corners, ["M0,1", "L10,2", "M30,4", "L40,5"]);
  assert.deepEqual(drawn([null, null]), { corners: [], isolated: [] });
});

test("isolated samples are returned", () => {
  assert.deepEqual(drawn([1, null, 3, null, 5, 6]).isolated, [0, 2]);
});

test("a sparse line continues across missing values", () => {
  assert.deepEqual(drawn([1, null, null, 4], { sparse: true }), { corners: ["M0,1", "L30,4"], isolated: [] });
});

test("a count holds until it changes", () => {
  assert.deepEqual(drawn([1, 1, 3], { steps: true }).corners, ["M0,1", "L10,1", "L10,1", "L20,1", "L20,3"]);
});

test("samples within the drawn range of their pixel are skipped, extremes are kept", () => {
  const column = [5, 9, 1, 4, 6, 3, 2, 8, 7, 5, /* the next pixel */ 4, 6];
  const { corners } = drawn(column, {}, 0.1);
  assert.deepEqual(corners.map((corner) => Number(corner.split(",")[1])), [5, 9, 1, 5, 4, 6]);
  const noise = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 1009);
  const many = drawn(noise, {}, 300 / 5000).corners.map((corner) => corner.slice(1).split(",").map(Number));
  assert.ok(many.length < 2500, `${many.length} corners for 300 pixels`);
  for (let pixel = 0; pixel < 300; pixel += 1) {
    const of = (/** @type {number[][]} */ points) => points.filter(([x]) => Math.floor(x ?? 0) === pixel).map(([, y]) => y ?? 0);
    const all = of(noise.map((value, i) => [(i * 300) / 5000, value]));
    const kept = of(many);
    assert.deepEqual([Math.min(...kept), Math.max(...kept)], [Math.min(...all), Math.max(...all)], `pixel ${pixel}`);
  }
});
