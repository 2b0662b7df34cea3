// Data of the displayed run: columns of numbers.

/** @import { Lateness, Layout, Snapshot, WatchEvent } from "./protocol.js" */

/** Limits of the history, equal to the server's in crates/watch/src/history.rs. */
export const LOOK_BACK_S = 600;
export const SNAPSHOTS = 5000;

/** @import { Column as PlotColumn } from "../plots/columns.js" */
/** @typedef {PlotColumn} Column */

/**
 * @typedef {object} QueueColumns
 * @property {Column} backlog
 * @property {Column} sojourn
 * @property {Column} throughput
 * @property {Map<string, Column>} drops Counts since the start of the run. A reason appears at its first drop, with zeros before.
 * @property {Column} marks
 */

/** @typedef {{ goodput: Column, owd: Column, rtt: Column, buffer: Column }} FlowColumns */

/**
 * @typedef {object} Notice
 * @property {string} text
 * @property {boolean} end Whether the notice is the end of a run.
 */

export class Store {
  /** @type {Layout | null} */
  layout = null;
  /** @type {number[]} */
  time = [];
  /** @type {QueueColumns[]} */
  queues = [];
  /** @type {FlowColumns[]} */
  flows = [];
  /** @type {Lateness | null} */
  lateness = null;
  /**
   * Result of the displayed run, once it has ended.
   *
   * @type {string | null}
   */
  ended = null;
  /** @type {Notice[]} */
  notices = [];
  /**
   * Columns of flows that have had a value.
   *
   * @type {Set<Column>}
   */
  measured = new Set();
  /** Changes with the set of series: at a new run, or at a new drop reason. */
  shape = 0;

  /** Clears the store, because the stream restarts. */
  reset() {
    this.layout = null;
    this.notices = [];
    this.#beginRun();
  }

  /** Copies the store, for a paused page. */
  copy() {
    // One clone of all fields, so that `measured` refers to the copy's columns.
    return Object.assign(new Store(), structuredClone({ ...this }));
  }

  /** @param {WatchEvent} event */
  take(event) {
    switch (event.type) {
      case "layout":
        this.layout = event;
        this.#beginRun();
        break;
      case "snapshot":
        if (this.layout !== null && event.run === this.layout.run) this.#takeSnapshot(event);
        break;
      case "note":
        this.notices.push({ text: event.text, end: false });
        break;
      case "ended":
        this.ended = event.message;
        this.notices.push({ text: `${this.#runName()} ended: ${event.message}`, end: true });
        break;
    }
    if (this.notices.length > 100) this.notices.shift();
  }

  /** Time of the newest snapshot in seconds since the start of the run. */
  get now() {
    return this.time.at(-1) ?? 0;
  }

  #runName() {
    if (this.layout === null) return "Run";
    const { run, variant, seed } = this.layout;
    return variant === "" ? `Run ${run} (seed ${seed})` : `Run ${run} (${variant}, seed ${seed})`;
  }

  #beginRun() {
    this.time = [];
    this.ended = null;
    this.lateness = null;
    this.measured = new Set();
    this.queues = (this.layout?.queues ?? []).map(() => ({
      backlog: [],
      sojourn: [],
      throughput: [],
      drops: new Map(),
      marks: [],
    }));
    this.flows = (this.layout?.flows ?? []).map(() => ({ goodput: [], owd: [], rtt: [], buffer: [] }));
    this.shape += 1;
  }

  /** @param {Snapshot} snapshot */
  #takeSnapshot(snapshot) {
    // The plots require increasing times.
    if (this.time.length > 0 && snapshot.time_s <= this.now) return;
    const before = this.time.length;
    this.time.push(snapshot.time_s);
    this.queues.forEach((columns, index) => {
      const queue = snapshot.queues[index];
      columns.backlog.push(queue?.backlog_packets ?? null);
      columns.sojourn.push(queue?.sojourn_ms ?? null);
      columns.throughput.push(queue?.throughput_mbit ?? null);
      columns.marks.push(queue?.marks ?? null);
      for (const [reason] of queue?.drops ?? []) {
        if (!columns.drops.has(reason)) {
          columns.drops.set(reason, new Array(before).fill(0));
          this.shape += 1;
        }
      }
      const counts = new Map(queue?.drops);
      for (const [reason, column] of columns.drops) column.push(counts.get(reason) ?? column.at(-1) ?? 0);
    });
    this.flows.forEach((columns, index) => {
      const flow = snapshot.flows[index];
      this.#add(columns.goodput, flow?.goodput_mbit);
      this.#add(columns.owd, flow?.owd_ms);
      this.#add(columns.rtt, flow?.rtt_ms);
      this.#add(columns.buffer, flow?.buffer_s);
    });
    this.lateness = snapshot.lateness_us;
    this.#forget(snapshot.time_s - LOOK_BACK_S);
  }

  /**
   * @param {Column} column
   * @param {number | null | undefined} value
   */
  #add(column, value) {
    column.push(value ?? null);
    if (value === null || value === undefined || this.measured.has(column)) return;
    this.measured.add(column);
    this.shape += 1;
  }

  /**
   * Removes samples older than `since` or beyond the maximum number. Rarely, because each column must be moved.
   *
   * @param {number} since
   */
  #forget(since) {
    const old = this.time.findIndex((time) => time >= since);
    const many = this.time.length - SNAPSHOTS;
    const surplus = Math.max(old, many);
    if (surplus < SNAPSHOTS / 20) return;
    this.time.splice(0, surplus);
    for (const { backlog, sojourn, throughput, marks, drops } of this.queues) {
      for (const column of [backlog, sojourn, throughput, marks, ...drops.values()]) column.splice(0, surplus);
    }
    for (const { goodput, owd, rtt, buffer } of this.flows) {
      for (const column of [goodput, owd, rtt, buffer]) column.splice(0, surplus);
    }
  }
}
