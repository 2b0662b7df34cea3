// What the page knows of the run that it shows: columns of numbers, as uPlot wants them.

import type { Lateness, Layout, Snapshot, WatchEvent } from "./protocol";

/** The server keeps as much: see crates/watch/src/history.rs. */
export const LOOK_BACK_S = 600;
export const SNAPSHOTS = 5000;

export type Column = (number | null)[];

export interface QueueColumns {
  backlog: Column;
  sojourn: Column;
  throughput: Column;
  /** Counts since the run began. A reason is here from its first drop on, with zeros before. */
  drops: Map<string, Column>;
  marks: Column;
}

export interface FlowColumns {
  goodput: Column;
  owd: Column;
  rtt: Column;
  buffer: Column;
}

export interface Notice {
  text: string;
  /** The end of a run, not a remark. */
  end: boolean;
}

export class Store {
  layout: Layout | null = null;
  time: number[] = [];
  queues: QueueColumns[] = [];
  flows: FlowColumns[] = [];
  lateness: Lateness | null = null;
  /** How the run that is shown ended, if it has. */
  ended: string | null = null;
  notices: Notice[] = [];
  /** The flows' columns that have ever had a value. */
  measured = new Set<Column>();
  /** Grows when the series, not only their values, have become others: a new run, a reason for drops that is new. */
  shape = 0;

  /** Forgets all: the stream begins anew. */
  reset(): void {
    this.layout = null;
    this.notices = [];
    this.beginRun();
  }

  /** What is known now, for a page that stands still while more comes. */
  copy(): Store {
    // In one piece: `measured` then has the copy's columns.
    return Object.assign(new Store(), structuredClone({ ...this }));
  }

  take(event: WatchEvent): void {
    switch (event.type) {
      case "layout":
        this.layout = event;
        this.beginRun();
        break;
      case "snapshot":
        if (this.layout !== null && event.run === this.layout.run) this.takeSnapshot(event);
        break;
      case "note":
        this.notices.push({ text: event.text, end: false });
        break;
      case "ended":
        this.ended = event.message;
        this.notices.push({ text: `${this.runName()} ended: ${event.message}`, end: true });
        break;
    }
    if (this.notices.length > 100) this.notices.shift();
  }

  /** Seconds since the run began, as of the newest snapshot. */
  get now(): number {
    return this.time.at(-1) ?? 0;
  }

  private runName(): string {
    if (this.layout === null) return "Run";
    const { run, variant, seed } = this.layout;
    return variant === "" ? `Run ${run} (seed ${seed})` : `Run ${run} (${variant}, seed ${seed})`;
  }

  private beginRun(): void {
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

  private takeSnapshot(snapshot: Snapshot): void {
    // uPlot needs times that grow.
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
          columns.drops.set(reason, new Array<number>(before).fill(0));
          this.shape += 1;
        }
      }
      const counts = new Map(queue?.drops);
      for (const [reason, column] of columns.drops) column.push(counts.get(reason) ?? column.at(-1) ?? 0);
    });
    this.flows.forEach((columns, index) => {
      const flow = snapshot.flows[index];
      this.add(columns.goodput, flow?.goodput_mbit);
      this.add(columns.owd, flow?.owd_ms);
      this.add(columns.rtt, flow?.rtt_ms);
      this.add(columns.buffer, flow?.buffer_s);
    });
    this.lateness = snapshot.lateness_us;
    this.forget(snapshot.time_s - LOOK_BACK_S);
  }

  private add(column: Column, value: number | null | undefined): void {
    column.push(value ?? null);
    if (value === null || value === undefined || this.measured.has(column)) return;
    this.measured.add(column);
    this.shape += 1;
  }

  /** Drops what is older than `since`, and what is too much; seldom, for each column has to be moved. */
  private forget(since: number): void {
    const old = this.time.findIndex((time) => time >= since);
    const many = this.time.length - SNAPSHOTS;
    const surplus = Math.max(old, many);
    if (surplus < SNAPSHOTS / 20) return;
    this.time.splice(0, surplus);
    for (const { backlog, sojourn, throughput, marks, drops } of this.queues) {
      for (const column of [backlog, sojourn, throughput, marks, ...drops.values()]) column.splice(0, surplus);
    }
    for (const columns of this.flows) {
      for (const column of Object.values(columns) as Column[]) column.splice(0, surplus);
    }
  }
}
