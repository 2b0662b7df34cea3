// What the server streams: crates/watch/src/snapshot.rs, in TypeScript.

export interface Layout {
  type: "layout";
  name: string;
  variant: string;
  seed: string;
  run: number;
  runs: number;
  duration_s: number;
  queues: string[];
  flows: string[];
}

export interface QueueSnapshot {
  backlog_packets: number;
  backlog_bytes: number;
  sojourn_ms: number | null;
  throughput_mbit: number;
  /** Counts since the run began, by reason. */
  drops: [reason: string, count: number][];
  marks: number;
}

export interface FlowSnapshot {
  goodput_mbit: number;
  owd_ms: number | null;
  rtt_ms: number | null;
  buffer_s: number | null;
}

export interface Lateness {
  p50: number;
  p99: number;
  max: number;
}

export interface Snapshot {
  type: "snapshot";
  run: number;
  time_s: number;
  queues: QueueSnapshot[];
  flows: FlowSnapshot[];
  lateness_us: Lateness;
}

export interface Note {
  type: "note";
  text: string;
}

export interface Ended {
  type: "ended";
  message: string;
}

export type WatchEvent = Layout | Snapshot | Note | Ended;

/**
 * The page and the server are one program, so what is JSON has the shape above. A seed may need 64 bits, more than a
 * number here has: it is read as text.
 */
export function parse(json: string): WatchEvent {
  return JSON.parse(json.replace(/^(\{"type":"layout",.*?"seed":)(\d+)/, '$1"$2"')) as WatchEvent;
}
