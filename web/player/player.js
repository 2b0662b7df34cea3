// Plays the title in the page's address with dash.js, and posts playback measurements to /measures twice per second.
//
// Missing pictures have one of two causes, which are counted separately:
// - The network was too slow: the buffer was empty. Playback stalls (`stalls`), or audio continues and Chromium skips the pictures
//   that arrive too late (`late_frames`).
// - This machine was too slow: the buffer had data, but the decoder dropped pictures (`decoder_dropped_frames`) or no new picture
//   was shown for a while (`decoder_stalls`).

const query = new URLSearchParams(location.search);
const video = document.querySelector("video");
const opened = performance.now();
/** Buffer level in seconds above which a missing picture is not caused by the network. */
const ENOUGH_AHEAD = 0.5;
/** Time after an empty buffer during which dropped pictures count as late, in milliseconds. */
const AFTERMATH = 2000;
/** Minimum time without a new picture that counts as a stall, in milliseconds. */
const STANDSTILL = 500;
/** Intervals of sampling the player and of reports, in milliseconds. */
const LOOK = 100;
const REPORT = 500;

let pending = [];
let started = false;
let ended = false;
/** Last new picture, and whether the buffer has been empty since. */
let newest = { time: opened, frames: 0, empty: false };
let emptyAt = -Infinity;
let dropped = 0;
const totals = {
  stalls: 0,
  stall_time: 0,
  decoder_stalls: 0,
  decoder_stall_time: 0,
  switches: 0,
  abandoned: 0,
  decoder_dropped_frames: 0,
  late_frames: 0,
  frames: 0,
};

const now = () => performance.timeOrigin + performance.now();
const point = (metric, value) => pending.push({ unix_ms: now(), metric, value });
const note = (text) => pending.push({ note: text });
const summary = (name, value) => pending.push({ summary: name, value });

/** Buffer level in seconds, for both audio and video. */
function ahead() {
  for (let i = 0; i < video.buffered.length; i++) {
    if (video.buffered.start(i) <= video.currentTime + 0.1 && video.currentTime <= video.buffered.end(i)) {
      return video.buffered.end(i) - video.currentTime;
    }
  }
  return 0;
}

video.addEventListener("playing", () => {
  if (started) return;
  started = true;
  newest = { time: performance.now(), frames: 0, empty: false };
  summary("start_up_delay", (newest.time - opened) / 1000);
});
video.addEventListener("ended", () => {
  ended = true;
  note("the title was played to its end");
});
video.addEventListener("error", () => note(`media element error: ${video.error?.message}`));

/** Updates the totals from the player's state. */
function look() {
  if (!started || ended) return;
  const time = performance.now();
  const quality = video.getVideoPlaybackQuality();
  if (ahead() < ENOUGH_AHEAD) emptyAt = time;
  const late = time - emptyAt < AFTERMATH;
  totals[late ? "late_frames" : "decoder_dropped_frames"] += quality.droppedVideoFrames - dropped;
  dropped = quality.droppedVideoFrames;
  totals.frames = quality.totalVideoFrames - dropped;
  if (totals.frames > newest.frames) {
    addPause(totals, time - LOOK);
    newest = { time, frames: totals.frames, empty: false };
  } else if (emptyAt > newest.time) {
    newest.empty = true;
  }
}

/** Adds the time since the newest picture to `sums` if it counts as a stall. */
function addPause(sums, until) {
  const lasted = until - newest.time;
  if (lasted < STANDSTILL) return;
  sums[newest.empty ? "stalls" : "decoder_stalls"] += 1;
  sums[newest.empty ? "stall_time" : "decoder_stall_time"] += lasted / 1000;
}
setInterval(look, LOOK);

const player = dashjs.MediaPlayer().create();
/** The major version, since 4 and 5 name settings and the parts of a request differently. */
const major = Number.parseInt(player.getVersion(), 10);
note(`dash.js ${player.getVersion()}`);
player.updateSettings({
  debug: { logLevel: dashjs.Debug.LOG_LEVEL_NONE },
  streaming: {
    ...buffer(query.get("buffer")),
    // Fetch all qualities, even though this page is small.
    abr: { limitBitrateByPortal: false, ...rules(query.get("abr")) },
  },
});

/** Settings of the buffer: `default` leaves dash.js's own. */
function buffer(seconds) {
  if (seconds === "default") return {};
  const most = Number(seconds);
  const usual = major < 5 ? { stableBufferTime: Math.min(12, most) } : { bufferTimeDefault: Math.min(18, most) };
  return { buffer: { ...usual, bufferTimeAtTopQuality: most, bufferTimeAtTopQualityLongForm: most } };
}

/** Settings that enable only one of dash.js's rules. */
function rules(name) {
  const rule = (active) => ({ active });
  if (major < 5) return name === "dynamic" ? {} : { ABRStrategy: name === "bola" ? "abrBola" : "abrThroughput" };
  switch (name) {
    case "throughput":
      return { rules: { throughputRule: rule(true), bolaRule: rule(false) } };
    case "bola":
      return { rules: { throughputRule: rule(false), bolaRule: rule(true) } };
    default:
      return {};
  }
}

const events = dashjs.MediaPlayer.events;
let lastRate = null;
/** Lines for the log of the run: what was fetched when, and which rule asked for a switch. */
const log = (line) => pending.push({ log: { unix_ms: now(), ...line } });

/** Bitrate of a request in kbit/s. */
const bitrate = (request) =>
  (major < 5 ? request.mediaInfo?.bitrateList?.[request.quality]?.bandwidth : request.representation?.bandwidth) / 1000;

player.on(events.FRAGMENT_LOADING_COMPLETED, ({ request, error }) => {
  const [begin, end] = major < 5 ? [request.requestStartDate, request.requestEndDate] : [request.startDate, request.endDate];
  const [media, rate, took] = [request.mediaType, bitrate(request), (end - begin) / 1000];
  log({ fetched: media, index: request.index, kbps: rate, bytes: request.bytesTotal, error: Boolean(error),
    begin: begin?.getTime(), first: request.firstByteDate?.getTime(), end: end?.getTime(),
    audio_ahead: player.getBufferLength("audio"), video_ahead: player.getBufferLength("video") });
  if (error || media !== "video" || request.type !== "MediaSegment") return;
  if (Number.isFinite(rate)) {
    point("representation_rate", rate);
    if (lastRate !== null && rate !== lastRate) totals.switches += 1;
    lastRate = rate;
  }
  if (took > 0 && request.bytesTotal > 0) point("segment_rate", (request.bytesTotal * 8) / 1000 / took);
});
player.on(events.FRAGMENT_LOADING_ABANDONED, ({ request, mediaType }) => {
  totals.abandoned += 1;
  log({ abandoned: mediaType, index: request?.index });
});
player.on(events.QUALITY_CHANGE_REQUESTED, ({ mediaType, oldQuality, newQuality, oldRepresentation, newRepresentation, reason }) => {
  const kbps = (own) => (own?.bandwidth ?? NaN) / 1000;
  log({ switched: mediaType, from: oldQuality ?? kbps(oldRepresentation), to: newQuality ?? kbps(newRepresentation), reason });
});
player.on(events.ERROR, ({ error }) => note(`dash.js: ${error?.message ?? error}`));
player.initialize(video, query.get("url"), true);

/** Frame counts of the last second, from which the frame rate is computed. */
const shown = [];
setInterval(async () => {
  look();
  const time = performance.now();
  shown.push({ time, frames: totals.frames });
  while (shown.length > 1 && shown[1].time <= time - 1000) shown.shift();
  if (started && !ended && shown.length > 1) {
    point("buffer", ahead());
    point("frames_per_second", ((totals.frames - shown[0].frames) * 1000) / (time - shown[0].time));
    point("decoder_dropped_frames", totals.decoder_dropped_frames);
  }
  const sums = { ...totals };
  if (started && !ended) addPause(sums, time);
  const report = { lines: pending, totals: sums, started, ended };
  pending = [];
  await fetch("/measures", { method: "POST", body: JSON.stringify(report) });
}, REPORT);
