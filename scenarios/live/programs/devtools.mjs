// Headless Chromium on one page, driven through two pipes: no port is opened for it.

import { mkdirSync } from "node:fs";
import { end, fail, lines, say, start } from "./results.mjs";

/** Chromium with one page, in a profile below `work`. */
export class Browser {
  /** `onEvent` receives the events of the page. */
  static async open({ chromium, work, url, flags = [], permissions = [], onEvent = () => {} }) {
    const browser = new Browser();
    const profile = `${work}/chromium`;
    mkdirSync(profile, { recursive: true });
    browser.words = [];
    browser.waiting = new Map();
    browser.last = 0;
    browser.name = chromium;
    browser.child = start(
      [
        chromium,
        "--headless",
        // It shows only the page made here, often as root or in a user namespace, where its sandbox cannot be.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        `--user-data-dir=${profile}`,
        "--no-first-run",
        "--autoplay-policy=no-user-gesture-required",
        // Nobody looks at it, but it must run as if somebody did.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        // Only the call touches the network.
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-sync",
        "--disable-breakpad",
        "--no-proxy-server",
        "--mute-audio",
        "--remote-debugging-pipe",
        ...flags,
        "about:blank",
      ],
      {
        env: {
          ...process.env,
          HOME: work,
          XDG_CONFIG_HOME: work,
          XDG_CACHE_HOME: work,
          // Killed, it leaves its temporary folders behind.
          TMPDIR: work,
          DBUS_SESSION_BUS_ADDRESS: "disabled:",
        },
        stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      },
    );
    lines(browser.child.stdout, () => {});
    // Only the last words matter, and only if it dies.
    lines(browser.child.stderr, (line) => {
      browser.words.push(line);
      if (browser.words.length > 20) browser.words.shift();
    });
    // Its death is told by `done`; the broken pipe would end this program first.
    browser.child.stdio[3].on("error", () => {});
    browser.child.stdio[4].on("error", () => {});
    browser.read(browser.child.stdio[4], onEvent);
    browser.done = browser.child.done.then((status) => {
      for (const { reject } of browser.waiting.values()) reject(new Error(`the browser ended (${status})`));
      browser.waiting.clear();
      return status;
    });
    try {
      const origin = new URL(url).origin;
      await browser.call("Browser.grantPermissions", { origin, permissions });
      const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await browser.call("Target.attachToTarget", { targetId, flatten: true });
      browser.session = sessionId;
      await browser.call("Runtime.enable");
      await browser.call("Runtime.addBinding", { name: "tell" });
      await browser.call("Page.enable");
      const loaded = new Promise((resolve) => (browser.loaded = resolve));
      await browser.call("Page.navigate", { url });
      await Promise.race([loaded, browser.done]);
    } catch (error) {
      await browser.failed(`could not be prepared: ${error.message}`);
    }
    return browser;
  }

  read(stream, onEvent) {
    let parts = [];
    stream.on("data", (bytes) => {
      for (let at; (at = bytes.indexOf(0)) >= 0; bytes = bytes.subarray(at + 1)) {
        parts.push(bytes.subarray(0, at));
        const message = JSON.parse(Buffer.concat(parts).toString("utf8"));
        parts = [];
        const asked = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error) asked?.reject(new Error(message.error.message));
        else if (asked) asked.resolve(message.result);
        else if (message.method === "Page.loadEventFired") this.loaded?.();
        else if (message.method === "Runtime.bindingCalled") onEvent(JSON.parse(message.params.payload));
      }
      if (bytes.length > 0) parts.push(bytes);
    });
  }

  /** Calls a method of the DevTools protocol: of the page once there is one. */
  call(method, params = {}) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
  }

  /** Value of an expression in the page, whose promise is waited for. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error((exceptionDetails.exception?.description ?? exceptionDetails.text).split("\n")[0]);
    return result.value;
  }

  /** Ends it, and the program with status 1. */
  async failed(text) {
    await end(this.child);
    say(`${this.name}'s last words:\n${this.words.join("\n")}`);
    fail(`${this.name} ${text}`);
  }

  close() {
    return end(this.child);
  }
}
