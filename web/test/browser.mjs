// Drives the page in headless Chromium: node test/browser.mjs URL [FOLDER FOR PICTURES]
//
// The server publishes crates/watch/examples/demo/synthetic.rs ten times per second, in runs of some seconds. Lines on standard
// output request the server's end ("end the server") and its restart on the same port ("start the server"), which
// crates/watch/tests/all/browser.rs executes. Use --no-restart without such a parent process.

import { join } from "node:path";
import assert from "node:assert/strict";
import { driven, fits, pixels } from "./chromium.mjs";

const restart = !process.argv.includes("--no-restart");
const [url, pictures] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
assert.ok(url, "usage: browser.mjs URL [FOLDER]");

process.exit(await driven("browser", plots));

/** @param {import("./chromium.mjs").Browser} browser */
async function plots(browser) {
  const { page, problems } = await browser.open(new URL("/", url).href);

  // Four plots per queue, and four for the flows: goodput, RTT, one-way delay and buffer.
  await page.waitForFunction(() => document.querySelectorAll(".canvas").length === 20 && document.querySelectorAll("details[open] .canvas canvas").length >= 12);
  const titles = await page.locator("summary").allTextContents();
  assert.deepEqual(titles, ["bottleneck.forward", "bottleneck.reverse", "access.forward", "access.reverse", "Flows"]);
  assert.equal(await page.locator(".state").getAttribute("data-state"), "live");
  const first = page.locator("details").first();
  await first.getByText("codel").waitFor();
  await page.locator(".lateness", { hasText: "p99" }).waitFor();
  await page.locator(".notices", { hasText: "These numbers are synthetic" }).waitFor();

  // Names are shown as text, and a seed keeps all digits.
  const facts = await page.locator(".facts").textContent();
  assert.ok(facts.includes("<b>heavy</b>") || facts.includes("load=light"), facts);
  assert.ok(facts.includes("seed 18446744073709551615"), facts);
  assert.equal(await page.locator(".facts b").count(), 0);

  await moves(page, ".canvas canvas");
  await updates(page, ".plot b");
  await sameColours(page);

  // Shows the values at the pointer's time on all plots.
  const over = first.locator(".canvas");
  await over.first().hover({ position: { x: 80, y: 60 } });
  await first.locator(".tip:visible").waitFor();
  assert.match(await first.locator(".tip:visible .when").textContent(), /^[\d.:]+( s)?$/);
  assert.equal(await page.locator(".tip:visible").count(), 1);
  // The cursors of the other plots follow with the next frame.
  await page.waitForFunction(() => {
    const plots = [...document.querySelectorAll("details[open] .canvas")];
    const cursors = plots.map((plot) => plot.querySelector(".u-cursor-x:not(.u-off)"));
    return plots.length >= 12 && cursors.every((cursor) => cursor !== null && cursor.style.transform !== "");
  });
  await picture(page, "pointer");
  await page.mouse.move(2, 2);

  // Dragging zooms all plots; a double click shows the whole again.
  const box = await over.first().boundingBox();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.mouse.move(box.x + 90, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 150, box.y + 60, { steps: 4 });
  const whole = await pixels(page.locator(".canvas canvas").nth(1));
  await page.mouse.up();
  await page.waitForFunction((before) => document.querySelectorAll(".canvas canvas")[1].toDataURL() !== before, whole);
  await picture(page, "zoomed");
  await over.first().dblclick({ position: { x: 120, y: 60 } });
  await page.waitForFunction((before) => document.querySelectorAll(".canvas canvas")[1].toDataURL() === before, whole);
  await page.mouse.move(2, 2);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator('.state[data-state="live"]').waitFor();

  // While paused, nothing changes.
  const canvas = page.locator(".canvas canvas").first();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator('.state[data-state="paused"]').waitFor();
  const still = await pixels(canvas);
  await page.waitForTimeout(700);
  assert.equal(await pixels(canvas), still);
  // A card that is opened while paused shows the data at the pause.
  await page.locator("summary", { hasText: "access.reverse" }).click();
  const opened = page.locator("details", { hasText: "access.reverse" }).locator(".canvas canvas").first();
  await opened.waitFor();
  await picture(page, "paused");
  await page.locator("summary", { hasText: "access.reverse" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction(
    (before) => document.querySelector(".canvas canvas").toDataURL() !== before,
    await canvas.evaluate((node) => node.toDataURL()),
  );

  // After the end of a run the next one is shown.
  await page.locator('.state[data-state="ended"]').waitFor();
  const ended = await page.locator(".facts").textContent();
  await picture(page, "ended");
  await page.waitForFunction((before) => document.querySelector(".facts").textContent !== before, ended);
  await page.locator('.state[data-state="live"]').waitFor();
  await page.locator(".notices .end", { hasText: "complete" }).first().waitFor();

  for (const width of [1280, 400]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(700);
      await fits(page);
      const widths = await page.locator("details[open] .canvas").evaluateAll((nodes) =>
        nodes.map((node) => [node.clientWidth, node.querySelector("canvas").clientWidth]),
      );
      for (const [room, taken] of widths) assert.ok(Math.abs(room - taken) <= 1, `${room} ${taken}`);
      await picture(page, `${width}-${colorScheme}`);
    }
  }
  await page.getByRole("button", { name: "Whole run" }).click();
  await page.waitForTimeout(300);
  assert.deepEqual(problems, []);

  if (restart) {
    console.log("end the server");
    await page.locator('.state[data-state="lost"]').waitFor();
    console.log("start the server");
    await page.locator('.state[data-state="live"]').waitFor();
    await updates(page, ".plot b");
  }
  await page.close();
}

/** Waits until the drawing changes. */
async function moves(page, selector) {
  const canvas = page.locator(selector).first();
  const before = await canvas.evaluate((node) => node.toDataURL());
  await page.waitForFunction(
    ([which, old]) => document.querySelector(which).toDataURL() !== old,
    [selector, before],
  );
}

/** Checks that the text changes at least three times per second. Several attempts allow for a busy machine. */
async function updates(page, selector) {
  let changes = 0;
  for (let attempt = 0; attempt < 5 && changes < 6; attempt += 1) {
    changes = await page.evaluate(async (which) => {
      let seen = 0;
      const observer = new MutationObserver(() => (seen += 1));
      observer.observe(document.querySelector(which), { childList: true, characterData: true, subtree: true });
      await new Promise((resolve) => setTimeout(resolve, 2000));
      observer.disconnect();
      return seen;
    }, selector);
  }
  assert.ok(changes >= 6, `${changes} updates in 2 s`);
}

/** Checks that a flow has the same colour in all plots. */
async function sameColours(page) {
  const entries = await page.locator("details").last().locator(".legend li").evaluateAll((nodes) =>
    nodes.map((node) => [node.querySelector(".name").textContent, node.querySelector(".swatch").style.borderTopColor]),
  );
  const colours = new Map(entries);
  assert.deepEqual([...colours.keys()].sort(), ["bulk", "ping", "player", "web <i>"]);
  assert.equal(new Set(colours.values()).size, 4);
  for (const [name, colour] of entries) assert.equal(colour, colours.get(name), name);
}

async function picture(page, name) {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}
