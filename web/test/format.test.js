import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../plots/format.js";

test("numbers have about three digits and no exponent", () => {
  /** @type {[number | null, string][]} */
  const cases = [
    [null, "–"], [0, "0"], [0.004, "0.004"], [0.42, "0.42"], [9.5, "9.50"], [12.34, "12.3"], [1250.4, "1,250"], [1.25e6, "1.25M"],
  ];
  for (const [value, text] of cases) assert.equal(format.number(value), text);
  assert.equal(format.count(1234567), "1,234,567");
});

test("tick labels have the decimals that their step requires", () => {
  assert.deepEqual([0, 0.5, 1].map((value) => format.tick(value, 0.5)), ["0.0", "0.5", "1.0"]);
  assert.deepEqual([0, 20, 40].map((value) => format.tick(value, 20)), ["0", "20", "40"]);
  const least = format.increments(0.01);
  assert.deepEqual(least.slice(0, 7), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  assert.equal(format.increments(1)[0], 1);
  assert.deepEqual([0.05].map((value) => format.tick(value, 0.05)), ["0.05"]);
  assert.deepEqual([12500, 2e6].map((value) => format.tick(value, 500)), ["12.5k", "2M"]);
});

test("times are shown in seconds, then minutes, then hours", () => {
  assert.equal(format.time(42), "42.0 s");
  assert.equal(format.time(125), "2:05");
  assert.equal(format.clock(9), "0:09");
  assert.equal(format.clock(3723), "1:02:03");
  assert.equal(format.micros(12.3), "12.3 µs");
  assert.equal(format.micros(1500), "1.50 ms");
});
