import assert from "node:assert/strict";
import { test } from "node:test";
import { axis, logMarks, powers, times } from "../plots/axes.js";
import { coinciding, extent, isFarApart, logFloor, raised, span, valueAt } from "../plots/columns.js";
import { increments } from "../plots/format.js";
import { trace } from "../plots/trace.js";

/** @import { Column } from "../plots/columns.js" */

/**
 * Corners drawn for a column with samples at intervals of ten pixels and values as heights.
 *
 * @param {Column} column
 * @param {{ sparse?: boolean, steps?: boolean }} kind
 */
function drawn(column, kind = {}) {
  /** @type {string[]} */
  const corners = [];
  const pen = {
    /** @type {(x: number, y: number) => void} */
    moveTo: (x, y) => void corners.push(`M${x},${y}`),
    /** @type {(x: number, y: number) => void} */
    lineTo: (x, y) => void corners.push(`L${x},${y}`),
  };
  trace(pen, column.map((_, index) => 10 * index), column, (at) => at, (value) => value, kind);
  return corners;
}

test("tick marks have the minimum distance and are multiples of the step", () => {
  assert.deepEqual(axis(0, 10.8, 138, 26, increments(1)), { step: 5, marks: [0, 5, 10] });
  assert.deepEqual(axis(0, 0.35, 138, 26, increments(1e-6)).marks, [0, 0.1, 0.2, 3 * 0.1]);
  assert.deepEqual(axis(12.4, 42.4, 300, 64, [1, 2, 5, 10, 30]), { step: 10, marks: [20, 30, 40] });
  assert.deepEqual(axis(0, 5000, 10, 64, [1]).marks, [0, 5000], "no step leaves enough space");
});

test("log axes have powers of ten, and more where there is room", () => {
  assert.deepEqual(logMarks(0.7, 31), [0.7, 0.8, 0.9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30]);
  assert.deepEqual(logMarks(14.5, 19), [15, 16, 17, 18, 19]);
  assert.deepEqual(powers([15, 16, 17]), ["15", "16", "17"]);
  const marks = [1, 2, 3, 5, 10, 20, 30, 50, 100];
  assert.deepEqual(powers(marks), ["1", "", "3", "", "10", "", "30", "", "100"]);
  assert.deepEqual(powers([1, 2, 3, 4, 10]), ["1", "2", "", "", "10"]);
  assert.deepEqual(powers([1, 2, 3, 4]), ["1", "2", "3", "4"]);
  assert.deepEqual(powers([0.01, 10, 1000, 20000]), ["0.01", "10", "1000", ""]);
  assert.deepEqual(powers([null, 0, 10]), ["", "", "10"]);
});

test("times are in seconds, and in minutes from two of them on", () => {
  assert.deepEqual(times([0, 0.5, 1, null], 0.5), ["0.0 s", "0.5 s", "1.0 s", ""]);
  assert.deepEqual(times([0, 60, 120], 60), ["0:00", "1:00", "2:00"]);
});

test("an axis begins at zero unless all values are far from it", () => {
  const rounded = (/** @type {[number, number]} */ range) => range.map((end) => Math.round(100 * end) / 100);
  assert.deepEqual(rounded(span(1, 10, {})), [0, 10.6]);
  assert.deepEqual(rounded(span(9, 10, {})), [8.94, 10.06]);
  assert.deepEqual(rounded(span(9, 10, { zero: true })), [0, 10.6]);
  assert.deepEqual(span(0, 0, {}), [0, 1]);
  assert.deepEqual(rounded(span(0, 2, { atLeast: 10 })), [0, 10.6]);
  assert.deepEqual(span(null, null, {}), [0, 1]);
  assert.deepEqual(span(-2, -2, {}), [-3, -1]);
  assert.equal(span(-10, -9, { zero: true })[1], 0);
});

test("values far apart are for a log axis, whose end is above zero", () => {
  assert.equal(isFarApart([[1, 2], [0, 61]]), true);
  assert.equal(isFarApart([[1, 2], [0, 59]]), false);
  assert.equal(isFarApart([[0, 0], [5]]), false, "zeros alone are not a range");
  assert.equal(logFloor([[0, 3], [null, 600]]), 2);
  assert.equal(logFloor([[1e-9, 1e3]]), 1e3 / 1e5 / 1.5, "no more than five decades");
  assert.equal(logFloor([[0, null]]), null);
  assert.deepEqual(raised([0, null, 5], 2), [2, null, 5]);
});

test("lines that lie on each other are found", () => {
  const line = [1, 2, 3, 100];
  assert.deepEqual(coinciding([line, [9, 9, 9, 9], [1.1, 2, 3, 100]]), [[0, 2]]);
  assert.deepEqual(coinciding([line, [1, 2, 3, 99]]), []);
  assert.deepEqual(coinciding([[1, null, 5], [null, 2, null]]), [], "they share no instant");
  assert.deepEqual(coinciding([[null], []]), []);
  assert.equal(extent([[null], []]), null);
});

test("a sparse line has its latest value", () => {
  assert.equal(valueAt([1, null, null], 2, true), 1);
  assert.equal(valueAt([1, null, null], 2, false), null);
  assert.equal(valueAt([null], 0, true), null);
});

test("a line has one corner per sample and is interrupted at missing values", () => {
  assert.deepEqual(drawn([1, 2, null, 4, 5]), ["M0,1", "L10,2", "M30,4", "L40,5"]);
  assert.deepEqual(drawn([null, null]), []);
  assert.deepEqual(drawn([1, null, null, 4], { sparse: true }), ["M0,1", "L30,4"]);
  assert.deepEqual(drawn([1, 3], { steps: true }), ["M0,1", "L10,1", "L10,3"]);
});
