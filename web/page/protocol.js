// Types of the event stream, defined in crates/watch/src/snapshot.rs.

/**
 * @typedef {object} Layout
 * @property {"layout"} type
 * @property {string} name
 * @property {string} variant
 * @property {string} seed
 * @property {number} run
 * @property {number} runs
 * @property {number} duration_s
 * @property {string[]} queues
 * @property {string[]} flows
 * @property {number[]} open Queues whose cards are open at first; the first ones if empty.
 */

/**
 * @typedef {object} QueueSnapshot
 * @property {number} backlog_packets
 * @property {number} backlog_bytes
 * @property {number | null} sojourn_ms
 * @property {number} throughput_mbit
 * @property {[reason: string, count: number][]} drops Counts since the start of the run, by reason.
 * @property {number} marks
 */

/**
 * @typedef {object} FlowSnapshot
 * @property {number} goodput_mbit
 * @property {number | null} owd_ms
 * @property {number | null} rtt_ms
 * @property {number | null} buffer_s
 */

/** @typedef {{ p50: number, p99: number, max: number }} Lateness */

/**
 * @typedef {object} Snapshot
 * @property {"snapshot"} type
 * @property {number} run
 * @property {number} time_s
 * @property {QueueSnapshot[]} queues
 * @property {FlowSnapshot[]} flows
 * @property {Lateness} lateness_us
 */

/** @typedef {{ type: "note", text: string }} Note */
/** @typedef {{ type: "ended", message: string }} Ended */
/** @typedef {Layout | Snapshot | Note | Ended} WatchEvent */

/**
 * Parses an event. Page and server are one program, so the JSON has the types above. A seed may need 64 bits, more than a JavaScript
 * number holds, and is therefore read as text.
 *
 * @param {string} json
 * @returns {WatchEvent}
 */
export function parse(json) {
  return JSON.parse(json.replace(/^(\{"type":"layout",.*?"seed":)(\d+)/, '$1"$2"'));
}
