#!/usr/bin/env node
// A viewer: dash.js in headless Chromium, on a page that is served here, at the viewer's own machine, so that only the
// title crosses the network. What the page sees goes to the file of measures, twice a second; at the end, or at SIGTERM, the
// sums follow. The page is in web/player; `make live-deps` installs dash.js there.
//
//   dashjs.mjs --url http://198.18.0.1:8080/manifest.mpd [--version 5] [--seconds 24] [--buffer 60] [--abr dynamic]
//
// Each segment that was fetched and each switch, with the rule that asked for it, is a line of the output, which the run keeps.

import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { end, fail, lines, options, Results, say, start, until } from "./results.mjs";

const env = process.env;
const chosen = options({
  url: "",
  seconds: env.JETTISON_SECONDS ?? "Infinity",
  /** Major version of dash.js: 5 or 4. */
  version: "5",
  /** Seconds of media that the player holds at most; `default` leaves dash.js's own settings. */
  buffer: "60",
  /** dash.js's rule: `dynamic` (its default), `throughput` or `bola`. */
  abr: "dynamic",
  results: env.JETTISON_RESULTS ?? "",
  work: env.JETTISON_WORK ?? "",
  player: env.JETTISON_PLAYER ?? fileURLToPath(new URL("../../../web/player", import.meta.url)),
  chromium: env.JETTISON_CHROMIUM ?? "chromium",
});
if (!chosen.url) fail("--url is missing: the address of the manifest");
if (!chosen.work) fail("--work is missing, and JETTISON_WORK is not set: a scratch folder");
const places = { 5: "dashjs/dist/modern/umd/dash.all.min.js", 4: "dashjs-4/dist/dash.all.min.js" };
if (!(chosen.version in places)) fail(`--version is ${chosen.version}; there are ${Object.keys(places).join(" and ")}`);
const dash = join(chosen.player, "node_modules", places[chosen.version]);
if (!existsSync(dash)) fail(`dash.js is not in ${chosen.player}; make live-deps installs it`);
const profile = join(chosen.work, "chromium");
mkdirSync(profile, { recursive: true });

const results = new Results(chosen.results);
const files = {
  "/": ["text/html; charset=utf-8", readFileSync(join(chosen.player, "index.html"))],
  "/player.js": ["text/javascript", readFileSync(join(chosen.player, "player.js"))],
  "/dash.js": ["text/javascript", readFileSync(dash)],
};
let last = null;
const server = createServer((request, response) => {
  const path = request.url.split("?")[0];
  if (request.method === "POST" && path === "/measures") {
    let body = "";
    request.on("data", (text) => (body += text));
    request.on("end", () => {
      last = JSON.parse(body);
      results.write(...last.lines.filter((line) => !line.log));
      for (const { log } of last.lines) if (log) process.stdout.write(`${JSON.stringify(log)}\n`);
      response.end();
    });
  } else if (path in files) {
    response.setHeader("Content-Type", files[path][0]);
    response.end(files[path][1]);
  } else {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const page = new URL(`http://127.0.0.1:${server.address().port}/`);
page.search = new URLSearchParams({ url: chosen.url, buffer: chosen.buffer, abr: chosen.abr });
const browser = start(
  [
    chosen.chromium,
    "--headless",
    // It plays nothing but the title made here, often as root or in a user namespace, where its sandbox cannot be.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
    "--no-first-run",
    "--autoplay-policy=no-user-gesture-required",
    // A viewer looks at it: nothing is slowed down because no window is in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // And nothing but the title touches the network.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-features=OptimizationHints,MediaRouter,DialMediaRouteProvider,Translate",
    `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE ${new URL(chosen.url).hostname}`,
    "--no-proxy-server",
    "--mute-audio",
    "--window-size=640,400",
    page.href,
  ],
  { env: { ...env, HOME: chosen.work, XDG_CONFIG_HOME: chosen.work, XDG_CACHE_HOME: chosen.work, DBUS_SESSION_BUS_ADDRESS: "disabled:" } },
);
lines(browser.stdout, () => {});
// Without a desktop, Chromium complains about D-Bus, audio and graphics; only its last words matter, and only if it dies.
const words = [];
lines(browser.stderr, (line) => {
  words.push(line);
  if (words.length > 20) words.shift();
});

const status = await until(Number(chosen.seconds), browser.done);
// Before the browser is ended, which may take longer than the run waits.
for (const [name, value] of Object.entries(last?.totals ?? {})) results.summary(name, value);
await end(browser);
server.close();
server.closeAllConnections();
if (status !== undefined) {
  results.note(`the browser ended early (${status})`);
  say(`${chosen.chromium} ended early (${status}); its last words:\n${words.join("\n")}`);
  process.exit(1);
}
if (!last?.started) {
  results.note("no picture was shown");
  say(`no picture was shown; ${chosen.chromium}'s last words:\n${words.join("\n")}`);
  process.exit(1);
}
