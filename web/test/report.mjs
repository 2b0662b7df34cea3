// Drives a report in headless Chromium: node test/report.mjs PAGE PLAIN [FOLDER FOR PICTURES]
//
// PAGE and PLAIN are files of the results of crates/report/tests/all/made_up.rs, the second without uPlot.
//
//   node test/report.mjs --time PAGE    prints the milliseconds until the first pictures of a page are drawn

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { driven, fits, pixels } from "./chromium.mjs";

const isTimed = process.argv.includes("--time");
const [page, plain, pictures] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
assert.ok(page, "usage: report.mjs PAGE PLAIN [FOLDER]");
const address = (file) => pathToFileURL(resolve(file)).href;
const UNFOLDED = "figure.plot:not(details figure)";
const SOJOURN = "Sojourn time of bottleneck.forward over time, one line per variant";
const BACKLOG = "Backlog of bottleneck.forward over time, one line per variant";
const BARS = "sojourn p99 of bottleneck.forward, one bar per variant";

process.exit(await driven("report", isTimed ? timed : tested));

async function tested(browser) {
  await opensWithoutErrors(browser);
  await showsValues(browser);
  await zooms(browser);
  await toggles(browser);
  await hasLogAxes(browser);
  await changesColours(browser);
  await fitsWindows(browser);
  await prints(browser);
  await worksWithoutTheLibrary(browser);
}

/** The figure whose picture has that title. */
function figure(tab, title) {
  return tab.locator("figure.plot", { has: tab.locator(`[aria-label="${title}"]`) });
}

/** Opens the page and draws all pictures that are not folded. */
async function opened(browser, file = page) {
  const { page: tab, problems } = await browser.open(address(file));
  await drawn(tab);
  return { tab, problems };
}

async function drawn(tab) {
  for (const node of await tab.locator(UNFOLDED).all()) {
    await node.scrollIntoViewIfNeeded();
    await tab.waitForFunction((own) => own.dataset.drawn !== undefined, await node.elementHandle());
  }
}

async function opensWithoutErrors(browser) {
  const { page: tab, problems } = await browser.open(address(page));
  const requests = [];
  tab.on("request", (request) => requests.push(request.url()));
  await tab.reload();
  // What is far below is drawn only when it comes into view.
  await tab.locator(`${UNFOLDED}[data-drawn]`).first().waitFor();
  const all = await tab.locator(UNFOLDED).count();
  assert.ok(all >= 10 && all <= 12, `${all} pictures at first`);
  assert.ok((await tab.locator("figure.plot[data-drawn]").count()) < all);
  await drawn(tab);
  assert.equal(await tab.locator("figure.plot[data-drawn]").count(), all);
  const more = tab.locator("details.more").first();
  await more.locator("summary").click();
  await more.locator("figure[data-drawn]").first().waitFor();
  // Names are shown as text.
  assert.ok((await tab.locator("#legend").textContent()).includes("<i>five</i>"));
  assert.equal(await tab.locator("#legend i:not(.swatch)").count(), 0);
  assert.deepEqual(requests, [address(page)], "it loads nothing");
  assert.deepEqual(problems, []);
  await tab.close();
}

async function showsValues(browser) {
  const { tab, problems } = await opened(browser);
  const sojourn = figure(tab, SOJOURN);
  await sojourn.scrollIntoViewIfNeeded();
  await sojourn.locator(".canvas").hover({ position: { x: 300, y: 90 } });
  const tip = sojourn.locator(".tip:visible");
  await tip.waitFor();
  const text = await tip.textContent();
  assert.match(text, /^[\d.]+ s/);
  // Six variants with their values; those of the made-up results are powers of four.
  assert.match(text, /one 1\.00 ms/);
  assert.match(text, /four 64\.0 ms/);
  assert.equal(await tip.locator("b").count(), 6);
  // Plots over the same time show the same place.
  const cursors = tab.locator('.canvas[aria-label$="over time, one line per variant"] .u-cursor-x:not(.u-off)');
  await tab.waitForFunction(
    (selector) => new Set([...document.querySelectorAll(selector)].map((node) => node.style.transform)).size > 0 && document.querySelectorAll(selector).length >= 4,
    '.canvas[aria-label$="over time, one line per variant"] .u-cursor-x:not(.u-off)',
  );
  assert.ok((await cursors.count()) >= 4);
  const coincide = await sojourn.locator(".coinciding").textContent();
  assert.equal(coincide, "These lines coincide: one, <i>five</i>.");
  const bars = figure(tab, BARS);
  await bars.locator("svg").hover({ position: { x: 200, y: 12 } });
  assert.match(await bars.locator(".tip:visible").textContent(), /^one/);
  await picture(tab, "values");
  assert.deepEqual(problems, []);
  await tab.close();
}

async function zooms(browser) {
  const { tab, problems } = await opened(browser);
  const [sojourn, backlog] = [figure(tab, SOJOURN), figure(tab, BACKLOG)];
  await sojourn.scrollIntoViewIfNeeded();
  const whole = await pixels(backlog.locator("canvas"));
  assert.equal(await tab.locator(".reset:visible").count(), 0);
  const box = await sojourn.locator(".u-over").boundingBox();
  await tab.mouse.move(box.x + 100, box.y + 80);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 200, box.y + 80, { steps: 5 });
  await tab.mouse.up();
  // The other plots over time follow.
  await backlog.locator(".reset:visible").waitFor();
  await changes(backlog, whole);
  const zoomed = await pixels(backlog.locator("canvas"));
  await tab.mouse.move(2, 2);
  await backlog.locator(".reset").click();
  await changes(backlog, zoomed);
  assert.equal(await tab.locator(".reset:visible").count(), 0);
  assert.deepEqual(problems, []);
  await tab.close();
}

async function toggles(browser) {
  const { tab, problems } = await opened(browser);
  const sojourn = figure(tab, SOJOURN);
  const all = await pixels(sojourn.locator("canvas"));
  const key = (name) => tab.locator("#legend .key", { hasText: name });
  await key("four").click();
  assert.equal(await key("four").getAttribute("aria-pressed"), "false");
  await changes(sojourn, all);
  await sojourn.locator(".canvas").hover({ position: { x: 300, y: 90 } });
  const tip = sojourn.locator(".tip:visible");
  assert.ok(!(await tip.textContent()).includes("four"), "hidden in the tooltip");
  const row = (variant) => figure(tab, BARS).locator(`g.row[data-variant="${variant}"]`);
  assert.equal(await row(3).getAttribute("opacity"), "0.3");
  assert.equal(await row(2).getAttribute("opacity"), "1");
  assert.match(await tab.locator('tr[data-variant="3"]').first().getAttribute("class"), /hidden/);
  // With Shift, one variant alone.
  await key("two").click({ modifiers: ["Shift"] });
  assert.equal(await tab.locator('#legend .key[aria-pressed="true"]').count(), 1);
  assert.equal(await sojourn.locator(".coinciding").textContent(), "", "one line coincides with none");
  // A picture that is unfolded later knows what is hidden.
  const more = tab.locator("details.more", { has: tab.locator("figure") }).first();
  await more.locator("summary").click();
  await more.locator("figure[data-drawn]").first().waitFor();
  assert.equal(await more.locator('g.row[data-variant="0"][opacity="1"]').count(), 0);
  await tab.locator("#legend .all").click();
  assert.equal(await tab.locator('#legend .key[aria-pressed="true"]').count(), 6);
  await tab.mouse.move(2, 2);
  await tab.waitForFunction(([own, before]) => own.toDataURL() === before, [await sojourn.locator("canvas").elementHandle(), all]);
  assert.deepEqual(problems, []);
  await tab.close();
}

async function hasLogAxes(browser) {
  const { tab, problems } = await opened(browser);
  const box = (title) => figure(tab, title).locator(".log input");
  // Sojourn times are a factor of 1,024 apart, backlogs a factor of 4.
  assert.equal(await box(SOJOURN).isChecked(), true);
  assert.equal(await box(BARS).isChecked(), true);
  assert.equal(await box(BACKLOG).isChecked(), false);
  const sojourn = figure(tab, SOJOURN);
  const log = await pixels(sojourn.locator("canvas"));
  await box(SOJOURN).uncheck();
  await changes(sojourn, log);
  await box(SOJOURN).check();
  await tab.mouse.move(2, 2);
  await tab.waitForFunction(([own, before]) => own.querySelector("canvas").toDataURL() === before, [await sojourn.elementHandle(), log]);
  await box(BACKLOG).check();
  assert.deepEqual(problems, []);
  await tab.close();
}

async function changesColours(browser) {
  const { tab, problems } = await opened(browser);
  const sojourn = figure(tab, SOJOURN);
  const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [light, paper] = [await pixels(sojourn.locator("canvas")), await ground()];
  await tab.emulateMedia({ colorScheme: "dark" });
  await changes(sojourn, light);
  assert.notEqual(await ground(), paper);
  await tab.getByRole("button", { name: "light" }).click();
  assert.equal(await ground(), paper);
  await tab.waitForFunction(([own, before]) => own.toDataURL() === before, [await sojourn.locator("canvas").elementHandle(), light]);
  await tab.emulateMedia({ colorScheme: "light" });
  await tab.getByRole("button", { name: "dark" }).click();
  assert.notEqual(await ground(), paper);
  await tab.getByRole("button", { name: "auto" }).click();
  assert.equal(await ground(), paper);
  assert.deepEqual(problems, []);
  await tab.close();
}

async function fitsWindows(browser) {
  const { tab, problems } = await opened(browser);
  for (const node of await tab.locator("main > section > details").all()) await node.evaluate((own) => (own.open = true));
  for (const width of [1280, 400]) {
    for (const colorScheme of ["light", "dark"]) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.emulateMedia({ colorScheme });
      await drawn(tab);
      await fits(tab);
      // Plots are as wide as their places.
      await tab.waitForFunction(() =>
        [...document.querySelectorAll("figure[data-drawn] .canvas")].every((node) => {
          const drawing = node.querySelector("canvas, svg");
          return Math.abs(node.clientWidth - drawing.getBoundingClientRect().width) <= 2;
        }),
      );
      await picture(tab, `${width}-${colorScheme}`);
    }
  }
  assert.deepEqual(problems, []);
  await tab.close();
}

async function prints(browser) {
  const { page: tab, problems } = await browser.open(address(page));
  await tab.emulateMedia({ colorScheme: "dark" });
  const drawnBefore = await tab.locator("figure[data-drawn]").count();
  const pdf = await tab.pdf({ format: "A4", ...(pictures === undefined ? {} : { path: join(pictures, "report.pdf") }) });
  assert.ok(pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length >= 2, "it has pages");
  // All pictures are on paper, though nobody has scrolled to them.
  const all = await tab.locator(UNFOLDED).count();
  assert.ok(drawnBefore < all, `${drawnBefore} of ${all}`);
  assert.equal(await tab.locator("figure[data-drawn]").count(), all);
  await tab.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await tab.locator("nav:visible").count(), 0);
  assert.deepEqual(problems, []);
  await tab.close();
}

async function worksWithoutTheLibrary(browser) {
  const { tab, problems } = await opened(browser, plain);
  assert.ok(await tab.getByText("built without uPlot: plots without zoom").isVisible());
  assert.equal(await tab.evaluate(() => typeof globalThis.uPlot), "undefined");
  const sojourn = figure(tab, SOJOURN);
  const all = await pixels(sojourn.locator("canvas"));
  // More than one colour is drawn.
  const colours = await sojourn.locator("canvas").evaluate((node) => {
    const { data } = node.getContext("2d").getImageData(0, 0, node.width, node.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colours > 20, `${colours} colours`);
  await tab.locator("#legend .key", { hasText: "four" }).click();
  await changes(sojourn, all);
  await picture(tab, "plain");
  assert.deepEqual(problems, []);
  await tab.close();
}

/** Milliseconds from the start of the navigation until all pictures that are not folded are drawn, in a window that shows all. */
async function timed(browser) {
  const { page: tab } = await browser.open("about:blank");
  await tab.setViewportSize({ width: 1280, height: 20_000 });
  let best = Infinity;
  for (let repeat = 0; repeat < 3; repeat += 1) {
    await tab.goto("about:blank");
    await tab.goto(address(page), { waitUntil: "commit" });
    const [time, count] = await tab.evaluate(async (selector) => {
      const isDone = () => document.readyState === "complete" && [...document.querySelectorAll(selector)].every((node) => node.dataset.drawn !== undefined);
      while (!isDone()) await new Promise((next) => requestAnimationFrame(next));
      // The last canvas is on the screen with the next frame.
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      return [performance.now(), document.querySelectorAll(selector).length];
    }, UNFOLDED);
    assert.ok(count >= 10, `${count} pictures`);
    best = Math.min(best, time);
  }
  console.log(`milliseconds ${best.toFixed(0)}`);
}

/** Waits until the drawing of a figure differs. */
async function changes(node, before) {
  const canvas = await node.locator("canvas").elementHandle();
  await node.page().waitForFunction(([own, old]) => own.toDataURL() !== old, [canvas, before]);
}

async function picture(tab, name) {
  if (pictures !== undefined) await tab.screenshot({ path: join(pictures, `report-${name}.png`), fullPage: true });
}
