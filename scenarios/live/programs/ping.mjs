#!/usr/bin/env node
// ICMP echoes with ping, whose round-trip times go to the file of measures as they come; at the end how many were sent,
// received and lost, up to the newest that came back: what is under way at the end is not lost.
//
//   ping.mjs --to 198.18.0.2 [--interval 0.1] [--seconds 60]

import { end, fail, lines, options, Results, say, start, until } from "./results.mjs";

const env = process.env;
const chosen = options({
  to: env.JETTISON_TO ?? "",
  interval: "0.1",
  seconds: env.JETTISON_SECONDS ?? "Infinity",
  results: env.JETTISON_RESULTS ?? "",
});
if (!chosen.to) fail("--to is missing: the address to ping");
const results = new Results(chosen.results);

const echo = start(["ping", "-D", "-n", "-i", chosen.interval, chosen.to], { env: { ...env, LC_ALL: "C" } });
let newest = 0;
let received = 0;
lines(echo.stdout, (line) => {
  const found = /^\[([\d.]+)\] .*icmp_seq=(\d+) .*time=([\d.]+) ms/.exec(line);
  if (!found) return;
  newest = Math.max(newest, Number(found[2]));
  received += 1;
  results.point(Number(found[1]) * 1000, "rtt", Number(found[3]));
});
const last = [];
lines(echo.stderr, (line) => last.push(line));

const status = await until(Number(chosen.seconds), echo.done);
await end(echo);
results.summary("sent", newest);
results.summary("received", received);
if (newest > 0) results.summary("loss", (100 * (newest - received)) / newest);
if (status !== undefined) {
  results.note(`ping ended early with ${status}: ${last.at(-1) ?? ""}`);
  say(`ping ended early with ${status}: ${last.join("\n")}`);
  process.exit(1);
}
