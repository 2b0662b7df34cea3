#!/usr/bin/env node
// One end of a WebRTC call: headless Chromium, with a generated moving picture as the caller's camera. No server crosses the
// network: the two programs hand the descriptions of the call to each other over a Unix socket in the callee's own folder.
//
//   webrtc.mjs --role callee
//   webrtc.mjs --role caller [--codec VP8] [--scalability L1T3] [--width 640] [--height 360] [--frame-rate 30] [--max-rate 2500]
//     [--camera FILE.y4m]
//
// The callee writes when each shown frame was captured and shown; the caller writes the estimated bandwidth. What getStats says, once
// a second, and the identifiers of RTP header extensions that were agreed on are in the output, which the run keeps.

import { createServer as httpServer } from "node:http";
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { Browser } from "./devtools.mjs";
import { fail, lines, options, Results, until } from "./results.mjs";

const env = process.env;
const chosen = options({
  role: "",
  seconds: env.JETTISON_SECONDS ?? "Infinity",
  codec: "VP8",
  /** As in the W3C's WebRTC-SVC: L1T1, L1T3, L3T3_KEY ... Three spatial layers need a picture of at least 960x540. */
  scalability: "L1T1",
  width: "640",
  height: "360",
  "frame-rate": "30",
  /** kbit/s that the encoder makes at most. */
  "max-rate": "2500",
  /** A field trial of WebRTC, such as WebRTC-DependencyDescriptorAdvertised/Enabled/. */
  "field-trials": "",
  /** A picture file (YUV4MPEG2) in place of the generated picture; it is shown again and again. */
  camera: "",
  /** Whether lost packets are asked for again: `no` leaves that out of what the callee is offered. */
  nack: "yes",
  /** Identifier that the call must give the dependency descriptor, as the scenario's queue reads it; without, any. */
  "descriptor-id": "",
  results: env.JETTISON_RESULTS ?? "",
  work: env.JETTISON_WORK ?? "",
  chromium: env.JETTISON_CHROMIUM ?? "chromium",
});
if (!["caller", "callee"].includes(chosen.role)) fail(`--role is ${chosen.role || "missing"}; there are caller and callee`);
if (!chosen.work) fail("--work is missing, and JETTISON_WORK is not set: a scratch folder");
const number = (name, least, most) => {
  const value = Number(chosen[name]);
  if (!(value >= least && value <= most)) fail(`--${name} is ${chosen[name]}; it must be from ${least} to ${most}`);
  return value;
};
const call = {
  codec: chosen.codec,
  scalability: chosen.scalability,
  width: number("width", 160, 3840),
  height: number("height", 90, 2160),
  rate: number("frame-rate", 1, 60),
  bitrate: number("max-rate", 30, 1e6) * 1000,
};
const seconds = Number(chosen.seconds);
if (!(seconds > 0)) fail(`--seconds is ${chosen.seconds}; it must be > 0`);
if (!/^L[123]T[123](h|_KEY|_KEY_SHIFT)?$|^S[23]T[123]h?$/.test(chosen.scalability)) {
  fail(`--scalability is ${chosen.scalability}; it must be a mode of W3C's WebRTC-SVC, such as L1T1, L1T3 or L3T3_KEY`);
}
if (!/^(?:[^/]+\/[^/]+\/)*$/.test(chosen["field-trials"])) {
  fail(`--field-trials is ${chosen["field-trials"]}; it must be pairs of a name and a group, each followed by a slash`);
}
if (!["yes", "no"].includes(chosen.nack)) fail(`--nack is ${chosen.nack}; it must be yes or no`);
const descriptorId = chosen["descriptor-id"] === "" ? null : number("descriptor-id", 1, 255);
if (chosen.camera) {
  let first = "";
  try {
    const file = openSync(chosen.camera);
    const bytes = Buffer.alloc(9);
    first = bytes.toString("latin1", 0, readSync(file, bytes));
    closeSync(file);
  } catch (error) {
    fail(`--camera ${chosen.camera} cannot be read: ${error.message}`);
  }
  if (first !== "YUV4MPEG2") fail(`--camera ${chosen.camera} is no YUV4MPEG2 file (.y4m)`);
}
call.fromFile = chosen.camera !== "";
const isCaller = chosen.role === "caller";
const results = new Results(chosen.results);

// A page of this machine, for which permission to see network interfaces can be given.
const files = {
  "/": ["text/html; charset=utf-8", "<!doctype html><title>call</title><body><script src=/page.js></script>"],
  "/page.js": ["text/javascript", readFileSync(new URL("webrtc-page.js", import.meta.url))],
};
const server = httpServer((request, response) => {
  const [type, body] = files[request.url] ?? ["text/plain", ""];
  response.setHeader("Content-Type", type);
  response.end(body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

let connected = false;
let lost;
const over = new Promise((resolve) => (lost = resolve));
const told = ({ frames, state }) => {
  if (state === "connected") connected = true;
  if (state === "failed") lost("the connection failed");
  if (!frames) return;
  results.write(...frames.map(([frame, captured_unix_ms, shown_unix_ms]) => ({ frame, captured_unix_ms, shown_unix_ms })));
};

const flags = [
  // Addresses as they are: names for them would need multicast DNS across the network.
  "--disable-features=WebRtcHideLocalIpsWithMdns,OptimizationHints,MediaRouter,DialMediaRouteProvider,Translate",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--window-size=1000,700",
  ...(chosen.camera
    ? ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", `--use-file-for-fake-video-capture=${chosen.camera}`]
    : []),
  ...(chosen["field-trials"] ? [`--force-fieldtrials=${chosen["field-trials"]}`] : []),
];
const browser = await Browser.open({
  chromium: chosen.chromium,
  work: chosen.work,
  url: `http://127.0.0.1:${server.address().port}/`,
  permissions: ["videoCapture", "audioCapture"],
  flags,
  onEvent: told,
});

// The other program's folder is beside this one's.
const rendezvous = join(isCaller ? chosen.work.replace(/\.from$/, ".to") : chosen.work, "call");
if (rendezvous.length > 107) await browser.failed(`cannot be reached: the path of a socket has at most 107 characters, ${rendezvous} is longer`);
const ask = (code) => browser.evaluate(code);
const DESCRIPTOR = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension";

/** Identifiers of RTP header extensions (RFC 8285 section 8) in a session description. */
function extensions(sdp) {
  const lines = [...sdp.matchAll(/^a=extmap:(\d+)(?:\/\w+)? (\S+)/gm)];
  return Object.fromEntries(lines.map(([, id, uri]) => [uri, Number(id)]));
}

let listener;
async function signal() {
  if (isCaller) {
    const offered = await ask(`offer(${JSON.stringify(call)})`);
    const sdp = chosen.nack === "yes" ? offered : offered.replace(/^a=rtcp-fb:\d+ nack\r?\n/gm, "");
    const socket = connect(rendezvous);
    const reply = await new Promise((resolve, reject) => {
      socket.on("error", (error) => reject(new Error(`the callee cannot be reached: ${error.message}`)));
      socket.on("close", () => reject(new Error("the callee ended")));
      lines(socket, (line) => resolve(JSON.parse(line)));
      socket.write(`${JSON.stringify(sdp)}\n`);
    });
    socket.destroy();
    const agreed = extensions(reply);
    process.stdout.write(`${JSON.stringify({ extensions: agreed })}\n`);
    const own = agreed[DESCRIPTOR] ?? "none";
    if (descriptorId !== null && own !== descriptorId) {
      throw new Error(`the dependency descriptor has identifier ${own}, not ${descriptorId}, as the queue reads it; the call has ${JSON.stringify(agreed)}`);
    }
    await ask(`accept(${JSON.stringify(reply)})`);
    return;
  }
  listener = createServer();
  await new Promise((resolve, reject) => {
    listener.on("error", reject);
    listener.listen(rendezvous, resolve);
  });
  writeFileSync(join(chosen.work, "ready"), "");
  listener.on("connection", (socket) => {
    socket.on("error", () => {});
    lines(socket, async (line) => {
      try {
        socket.write(`${JSON.stringify(await ask(`answer(${JSON.stringify(JSON.parse(line))})`))}\n`);
      } catch (error) {
        lost(error.message);
      }
    });
  });
}

/** CPU seconds of the browser's processes that there are. */
function cpuSeconds() {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ");
      if (Number(fields[2]) === browser.child.pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has just ended.
    }
  }
  return ticks / 100;
}

let last = null;
let decoded = 0;
const watch = setInterval(async () => {
  let now;
  try {
    now = await ask("peer ? stats() : null");
  } catch {
    return; // It has ended, which the end of this program tells.
  }
  if (!now || !connected) return;
  last = now;
  process.stdout.write(`${JSON.stringify({ ...now, cpu_s: cpuSeconds() })}\n`);
  if (isCaller && now.path.availableOutgoingBitrate) results.point(now.unix_ms, "bandwidth_estimate", now.path.availableOutgoingBitrate / 1e6);
  if (!isCaller && now.stream.framesDecoded !== undefined) {
    results.point(now.unix_ms, "frames_per_second", now.stream.framesDecoded - decoded);
    decoded = now.stream.framesDecoded;
  }
}, 1000);

const reason = await until(
  seconds,
  Promise.race([over, browser.done.then((status) => `the browser ended early (${status})`), signal().then(() => over, (error) => error.message)]),
);
clearInterval(watch);
if (last) {
  const has = (name) => last.stream[name] ?? 0;
  if (isCaller) {
    results.summary("retransmits", has("retransmittedPacketsSent"));
    results.note(
      `${last.codec}, ${last.stream.encoderImplementation}, ${last.stream.scalabilityMode ?? "no mode"}: ` +
        `${has("framesEncoded")} of ${last.sent} frames encoded, ${has("keyFramesEncoded")} key frames, ` +
        `at last ${has("frameWidth")}x${has("frameHeight")}, limited by ${last.stream.qualityLimitationReason}`,
    );
  } else {
    results.summary("key_frame_requests", has("pliCount"));
    results.note(
      `${has("framesDecoded")} frames decoded, ${last.seen.shown} read from the screen, ${has("framesDropped")} dropped, ` +
        `${has("freezeCount")} freezes (${has("totalFreezesDuration").toFixed(1)} s), ${has("nackCount")} NACK, ` +
        `${has("pliCount")} PLI, ${has("packetsLost")} packets lost, at last ${has("frameWidth")}x${has("frameHeight")}`,
    );
  }
}
listener?.close();
server.close();
server.closeAllConnections();
if (existsSync(rendezvous) && !isCaller) rmSync(rendezvous, { force: true });
if (reason !== undefined) await browser.failed(`had to stop: ${reason}`);
await browser.close();
if (!connected) {
  results.note("the browsers did not connect");
  fail("the browsers did not connect");
}
process.exit(0);
