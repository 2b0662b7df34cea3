// What the programs of this folder share: options, the file of measures, and children that end with their parent.

import { appendFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { basename } from "node:path";

const program = basename(process.argv[1] ?? "");

/** Says something to the log of the run. */
export function say(text) {
  process.stderr.write(`${program}: ${text}\n`);
}

/** Says what is wrong and ends with status 1. */
export function fail(text) {
  say(text);
  process.exit(1);
}

/** `--name value` pairs, of the names in `defaults` alone; what follows `--` is `rest`. */
export function options(defaults, argv = process.argv.slice(2)) {
  const chosen = { ...defaults };
  while (argv.length > 0) {
    const word = argv.shift();
    if (word === "--") return { ...chosen, rest: argv };
    const name = word.replace(/^--/, "");
    if (!(name in defaults) || word === name) {
      fail(`unknown option ${word}; there are ${Object.keys(defaults).map((known) => `--${known}`).join(", ")}`);
    }
    if (argv.length === 0) fail(`${word} lacks its value`);
    chosen[name] = argv.shift();
  }
  return { ...chosen, rest: [] };
}

/** The file of measures, NDJSON: points of series, values of the summary, notes. Without a file they go to stdout. */
export class Results {
  constructor(file) {
    this.file = file;
  }
  write(...lines) {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    if (this.file) appendFileSync(this.file, text);
    else process.stdout.write(text);
  }
  point(unix_ms, metric, value) {
    this.write({ unix_ms, metric, value });
  }
  summary(name, value) {
    this.write({ summary: name, value });
  }
  note(text) {
    this.write({ note: text });
  }
}

/** Milliseconds since 1970. */
export const now = () => performance.timeOrigin + performance.now();

/** Starts a program as the leader of a process group, so that all it starts can be ended with it. */
export function start(words, settings = {}) {
  const child = spawn(words[0], words.slice(1), { detached: true, stdio: ["ignore", "pipe", "pipe"], ...settings });
  child.done = new Promise((resolve) => {
    child.on("error", (error) => {
      say(`${words[0]} could not be started: ${error.message}`);
      resolve(127);
    });
    child.on("exit", (code, signal) => resolve(code ?? signal));
  });
  return child;
}

/** Ends such a program: asks, waits a moment, and then ends its whole group. */
export async function end(child, patience = 2000) {
  const signal = (name, whole) => {
    try {
      process.kill(whole ? -child.pid : child.pid, name);
    } catch {
      // It is gone.
    }
  };
  if (child.pid === undefined) return;
  signal("SIGTERM", false);
  let timer;
  await Promise.race([child.done, new Promise((resolve) => (timer = setTimeout(resolve, patience)))]);
  clearTimeout(timer);
  signal("SIGKILL", true);
  await child.done;
}

/** The words before a command that make it run as somebody who is not root, and that user's number if it is another one. */
export function ordinaryUser() {
  if (process.getuid() !== 0) return { words: [], owner: null };
  const words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
  if (spawnSync(words[0], [...words.slice(1), "true"]).status === 0) return { words, owner: 65534 };
  // A run without privileges: its user namespace knows no other user, and a nested one renames root.
  return { words: ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"], owner: null };
}

/** Runs until a number of seconds has passed, SIGTERM or SIGINT arrives, or a promise is fulfilled; gives its value or undefined. */
export function until(seconds, other) {
  return new Promise((resolve) => {
    const timer = Number.isFinite(seconds) ? setTimeout(() => resolve(undefined), seconds * 1000) : undefined;
    const stop = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
    process.on("SIGTERM", () => stop(undefined));
    process.on("SIGINT", () => stop(undefined));
    other?.then(stop);
  });
}

/** Each whole line of a stream. */
export function lines(stream, handle) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop();
    parts.forEach(handle);
  });
}
