#!/usr/bin/env node
// A viewer: VLC without a screen, with its rate-based adaptation. What it sees goes to the file of measures, twice a second;
// at the end, or at SIGTERM, the sums follow.
//
//   vlc.mjs --url http://198.18.0.1:8080/manifest.mpd [--seconds 24] [--logic rate]
//
// VLC refuses to run as root: root starts it as nobody. Its measures come from two places:
// - its remote control (`stats`, `get_time`): frames displayed, frames lost (decoded too late to be shown: this machine was
//   too slow), the position in whole seconds, between which we count on. Half a second or more without a new frame is a
//   stall, which the network did not bring the data for; or, if there was media ahead, a decoder stall (VLC
//   counts in steps of a quarter of a second, so that shorter ones cannot be seen);
// - its log: a segment's request, whose name has number and bitrate as content.sh makes them. VLC fetches one after the
//   other, so that a request ends the one before. (It also says where it buffers again, but not when it began to stand still.)
// The buffer is what was fetched of the pictures, without the segment that is under way, less the position.

import { chownSync, mkdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { end, fail, lines, now, options, ordinaryUser, Results, say, start, until } from "./results.mjs";

const env = process.env;
const chosen = options({
  url: "",
  seconds: env.JETTISON_SECONDS ?? "Infinity",
  /** VLC's `--adaptive-logic`: `rate`, `predictive`, `nearoptimal`. */
  logic: "rate",
  /** Seconds of media in a segment. */
  segment: "4",
  results: env.JETTISON_RESULTS ?? "",
  work: env.JETTISON_WORK ?? "",
  vlc: env.JETTISON_VLC ?? "vlc",
});
if (!chosen.url) fail("--url is missing: the address of the manifest");
if (!chosen.work) fail("--work is missing, and JETTISON_WORK is not set: a scratch folder");
const { words, owner } = ordinaryUser();
const folder = join(chosen.work, "vlc");
mkdirSync(folder, { recursive: true });
if (owner !== null) chownSync(folder, owner, owner);
// The path of a socket is short: it is named from its folder.
process.chdir(folder);

const results = new Results(chosen.results);
/** Time between two questions to VLC, in milliseconds. */
const INTERVAL = 250;
/** Seconds up to which nothing is ahead: the demultiplexer is 1 s ahead of the picture, and the position is rounded down by up to 1 s. */
const NOTHING_AHEAD = 2;
/** Time without a new frame, in milliseconds, that a viewer takes for standing still: two of VLC's own steps. */
const STANDSTILL = 2 * INTERVAL - 50;
const totals = {
  stalls: 0,
  stall_time: 0,
  decoder_stalls: 0,
  decoder_stall_time: 0,
  switches: 0,
  decoder_dropped_frames: 0,
  frames: 0,
};
const segment = Number(chosen.segment);
let opened = null;
let started = false;
/** The time without a new frame: since when, and how much was ahead then. */
let pause = null;
/** The request under way: of pictures or of sound, its number, its bitrate in kbit/s. */
let request = null;
let fetched = 0;
let lastRate = null;
let kind = "video";
const sound = new Set();

const player = start(
  [
    ...words,
    chosen.vlc,
    "--verbose=2",
    "--intf=oldrc",
    "--rc-fake-tty",
    "--rc-unix=control",
    "--control=",
    "--vout=vdummy",
    "--aout=adummy",
    "--avcodec-hw=none",
    "--no-lua",
    "--no-spu",
    "--no-osd",
    "--no-video-title-show",
    "--no-interact",
    "--play-and-exit",
    `--adaptive-logic=${chosen.logic}`,
    chosen.url,
  ],
  { env: { ...env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder } },
);
const last = [];
lines(player.stdout, () => {});
lines(player.stderr, (line) => {
  last.push(line);
  if (last.length > 20) last.shift();
  heed(line);
});

/** What a line of the log says. What the adaptive demultiplexer says is kept, with its instant. */
function heed(line) {
  let found;
  if ((found = /VLC media player - (\S+)/.exec(line))) results.note(`VLC ${found[1]}`);
  if (line.includes("adaptive") && !line.includes("playlist Start") && !line.includes("cached.i_time")) process.stdout.write(`${now().toFixed(1)} ${line}\n`);
  if ((found = /adaptive demux debug: *Representation (\S+) \[([^\]]*)\]/.exec(line))) {
    if (found[2].startsWith("mp4a")) sound.add(found[1]);
  } else if (line.includes("gives access")) {
    opened ??= now();
  } else if ((found = /Retrieving \S*segment-([^/-]+)-(\d+)-(\d+)\.m4s/.exec(line))) {
    arrived();
    request = { kind: sound.has(found[1]) ? "audio" : "video", number: Number(found[3]), rate: Number(found[2]) / 1000 };
  } else if (!started && line.includes("Stream buffering done")) {
    started = true;
    if (opened !== null) results.summary("start_up_delay", (now() - opened) / 1000);
  }
}

/** The request under way is over, for another begins. */
function arrived() {
  if (request?.kind === "video") {
    fetched = Math.max(fetched, request.number * segment);
    results.point(now(), "representation_rate", request.rate);
    if (lastRate !== null && lastRate !== request.rate) totals.switches += 1;
    lastRate = request.rate;
  }
  request = null;
}

/** The position, between two of the whole seconds that VLC tells. */
const position = { second: 0, since: null };
function positionNow() {
  if (position.since === null) return 0;
  return position.second + (pause === null ? Math.min(1, (now() - position.since) / 1000) : 0);
}

/** Asks twice a second, once the control is there, and writes down what it answers. */
async function watch() {
  const control = await connect();
  if (!control) return;
  lines(control, (line) => {
    let found;
    if ((found = /frames displayed\s*:\s*(\d+)/.exec(line))) totals.frames = Number(found[1]);
    else if ((found = /frames lost\s*:\s*(\d+)/.exec(line))) totals.decoder_dropped_frames = Number(found[1]);
    else if ((found = /^(?:> )*(\d+)\s*$/.exec(line))) {
      const second = Number(found[1]);
      if (position.since === null || second !== position.second) Object.assign(position, { second, since: now() });
      if (started && totals.frames > 0) answered();
    }
  });
  control.on("error", () => {});
  const asking = setInterval(() => control.write("stats\nget_time\n"), INTERVAL);
  player.done.then(() => {
    clearInterval(asking);
    control.destroy();
  });
}

/** Answers of the last second and a bit. */
const answers = [];
let turn = 0;

/** VLC has told its counts. */
function answered() {
  const time = now();
  const before = answers.at(-1);
  if (before && before.frames === totals.frames) pause ??= { since: before.time, ahead: fetched - position.second };
  else endPause(before?.time ?? time);
  answers.push({ time, frames: totals.frames, lost: totals.decoder_dropped_frames });
  while (answers.length > 1 && answers[1].time <= time - 1000) answers.shift();
  if (turn++ % 2 === 1) return;
  results.point(time, "buffer", Math.max(0, fetched - positionNow()));
  results.point(time, "decoder_dropped_frames", totals.decoder_dropped_frames);
  const span = time - answers[0].time;
  if (span > INTERVAL) results.point(time, "frames_per_second", ((totals.frames - answers[0].frames) * 1000) / span);
}

function endPause(time) {
  if (pause === null) return;
  const lasted = time - pause.since;
  const decoder = pause.ahead > NOTHING_AHEAD;
  pause = null;
  if (lasted < STANDSTILL) return;
  totals[decoder ? "decoder_stalls" : "stalls"] += 1;
  totals[decoder ? "decoder_stall_time" : "stall_time"] += lasted / 1000;
}

/** VLC's control, as soon as it listens. */
async function connect() {
  for (let attempt = 0; attempt < 100 && player.exitCode === null; attempt++) {
    const socket = createConnection("control");
    const there = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (there) return socket;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  say("VLC's control does not answer");
  return null;
}

watch();
const status = await until(Number(chosen.seconds), player.done);
// After the last frame of the title there are none, which is no stall.
if (status !== 0) endPause(now());
// Before the player is ended, which may take longer than the run waits.
for (const [name, value] of Object.entries(totals)) results.summary(name, value);
await end(player);
if (status === 0) results.note("the title was played to its end");
if ((status !== undefined && status !== 0) || !started) {
  results.note(started ? `VLC ended early (${status})` : "no picture was shown");
  say(`${started ? `VLC ended early (${status})` : "no picture was shown"}; VLC's last words:\n${last.join("\n")}`);
  process.exit(1);
}
process.exit(0);
