// In the browsers of webrtc.mjs. Each captured picture carries the time of its capture, in milliseconds modulo 2^24, its number
// modulo 2^16, and a sum of both of 24 bits: 64 blocks in four rows, white for 1. The other browser has the same clock, as it is on
// this machine.

const clock = () => performance.timeOrigin + performance.now();
const PERIOD = 2 ** 24;
const NUMBERS = 2 ** 16;
const COLUMNS = 16;
const ROWS = 4;
/** Blocks that the width of the picture would hold: they are wide enough to outlast a coarse encoder. */
const ACROSS = 32;
/** A prime below 2^24. */
const SUMS = 16777213;
const check = (stamp, number) => (stamp * 40503 + number * 65599) % SUMS;
/** A picture that would be older, or ahead of the last one by more pictures, was misread. */
const LONGEST = 60_000;
const MOST_AHEAD = 3600;

let peer;
let sent = 0;
const seen = { shown: 0, unread: 0, presented: 0 };

/** The pictures of the browser's camera, which is a file, drawn as large as wanted. */
async function recorded(width, height) {
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true });
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: true });
  await video.play();
  return (context) => context.drawImage(video, 0, 0, width, height);
}

/** A moving picture: a textured background that drifts, and three discs; or that of a file. */
async function camera({ width, height, rate, fromFile }) {
  const file = fromFile ? await recorded(width, height) : null;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  document.body.append(canvas);
  const context = canvas.getContext("2d", { alpha: false });
  const texture = new OffscreenCanvas(width * 2, height);
  const brush = texture.getContext("2d");
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  for (let n = 0; n < 3000; n++) {
    brush.fillStyle = `hsl(${random() * 360} 50% ${20 + random() * 60}%)`;
    const [x, y, w, h] = [random() * width, random() * height, 4 + random() * 40, 4 + random() * 30];
    brush.fillRect(x, y, w, h);
    brush.fillRect(x + width, y, w, h);
  }
  const stream = canvas.captureStream(0);
  const [track] = stream.getVideoTracks();
  const block = Math.floor(width / ACROSS);
  const generated = () => {
    const t = performance.now() / 1000;
    context.drawImage(texture, -((t * 60) % width), 0);
    for (let n = 0; n < 3; n++) {
      context.fillStyle = ["#c33", "#3c3", "#33c"][n];
      context.beginPath();
      context.arc(width * (0.5 + 0.35 * Math.sin(t * (1 + n / 2))), height * (0.55 + 0.3 * Math.cos(t * (1.3 + n / 3))), height / 10, 0, 7);
      context.fill();
    }
  };
  const draw = () => {
    if (file) file(context);
    else generated();
    const stamp = Math.floor(clock()) % PERIOD;
    const number = sent % NUMBERS;
    const bits = (BigInt(check(stamp, number)) << 40n) | (BigInt(number) << 24n) | BigInt(stamp);
    for (let n = 0; n < COLUMNS * ROWS; n++) {
      context.fillStyle = (bits >> BigInt(n)) & 1n ? "#fff" : "#000";
      context.fillRect((n % COLUMNS) * block, Math.floor(n / COLUMNS) * block, block, block);
    }
    track.requestFrame();
    sent++;
  };
  // From the first time on, so that late timers do not add up.
  const first = performance.now();
  let next = 0;
  const tick = () => {
    draw();
    next = Math.max(next + 1, Math.ceil(((performance.now() - first) * rate) / 1000));
    setTimeout(tick, first + (next * 1000) / rate - performance.now());
  };
  tick();
  return { stream, track };
}

/** The stamp of a shown picture, or null. */
function readStamp(video, context) {
  const { videoWidth: width, videoHeight: height } = video;
  // Four pixels across a block, whatever the size at which the picture came.
  const block = width / ACROSS;
  context.drawImage(video, 0, 0, block * COLUMNS, block * ROWS, 0, 0, COLUMNS * 4, ROWS * 4);
  const { data } = context.getImageData(0, 0, COLUMNS * 4, ROWS * 4);
  let [stamp, number, sum] = [0, 0, 0];
  for (let n = 0; n < COLUMNS * ROWS; n++) {
    const [x, y] = [(n % COLUMNS) * 4 + 1, Math.floor(n / COLUMNS) * 4 + 1];
    let light = 0;
    for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) light += data[4 * ((y + dy) * COLUMNS * 4 + x + dx) + 1];
    if (light < 4 * 128) continue;
    if (n < 24) stamp += 2 ** n;
    else if (n < 40) number += 2 ** (n - 24);
    else sum += 2 ** (n - 40);
  }
  return height > 0 && check(stamp, number) === sum ? { stamp, number } : null;
}

function show(stream) {
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true, srcObject: stream });
  document.body.append(video);
  const canvas = new OffscreenCanvas(COLUMNS * 4, ROWS * 4);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  let frames = [];
  let newest = 0;
  const shown = (_, { presentedFrames }) => {
    const at = clock();
    const read = readStamp(video, context);
    seen.presented = presentedFrames;
    if (read !== null) read.latency = (((at - read.stamp) % PERIOD) + PERIOD) % PERIOD;
    const isFirst = seen.shown === 0;
    if (read === null || read.latency > LONGEST || (!isFirst && ((read.number - newest) & (NUMBERS - 1)) > MOST_AHEAD)) seen.unread++;
    else {
      seen.shown++;
      newest += (read.number - newest) & (NUMBERS - 1);
      frames.push([newest, at - read.latency, at]);
    }
    video.requestVideoFrameCallback(shown);
  };
  video.requestVideoFrameCallback(shown);
  setInterval(() => {
    if (frames.length > 0) tell(JSON.stringify({ frames }));
    frames = [];
  }, 500);
}

const gathered = () =>
  new Promise((resolve) => {
    const done = () => peer.iceGatheringState === "complete" && resolve(peer.localDescription.sdp);
    peer.addEventListener("icegatheringstatechange", done);
    done();
  });

function connect() {
  peer = new RTCPeerConnection();
  peer.addEventListener("connectionstatechange", () => tell(JSON.stringify({ state: peer.connectionState })));
}

/** The caller's description of the call. */
async function offer({ codec, scalability, width, height, rate, bitrate, fromFile }) {
  connect();
  const { codecs } = RTCRtpSender.getCapabilities("video");
  const own = codecs.filter(({ mimeType }) => mimeType.toLowerCase() === `video/${codec.toLowerCase()}`);
  if (own.length === 0) {
    const names = [...new Set(codecs.map(({ mimeType }) => mimeType.slice(6)))].filter((name) => !/^(rtx|red|ulpfec|flexfec)/i.test(name));
    throw new Error(`the browser has no codec ${codec}; it has ${names.join(", ")}`);
  }
  const { stream, track } = await camera({ width, height, rate, fromFile });
  track.contentHint = "motion";
  const encoding = { maxBitrate: bitrate, maxFramerate: rate };
  if (scalability !== "L1T1") encoding.scalabilityMode = scalability;
  const transceiver = peer.addTransceiver(track, { direction: "sendonly", streams: [stream], sendEncodings: [encoding] });
  const resent = codecs.filter(({ mimeType }) => mimeType === "video/rtx");
  transceiver.setCodecPreferences([...own, ...resent]);
  await peer.setLocalDescription();
  return gathered();
}

/** The callee's answer. */
async function answer(sdp) {
  connect();
  peer.addEventListener("track", ({ streams, track }) => show(streams[0] ?? new MediaStream([track])));
  await peer.setRemoteDescription({ type: "offer", sdp });
  await peer.setLocalDescription();
  return gathered();
}

const accept = (sdp) => peer.setRemoteDescription({ type: "answer", sdp });

/** What getStats has of the stream and of the path, and the counts of pictures here. */
async function stats() {
  const all = [...(await peer.getStats()).values()];
  const of = (type, more = () => true) => all.find((one) => one.type === type && more(one));
  return {
    unix_ms: clock(),
    sent,
    seen,
    stream: of("outbound-rtp") ?? of("inbound-rtp") ?? {},
    path: of("candidate-pair", (one) => one.nominated) ?? {},
    codec: of("codec")?.mimeType,
  };
}
