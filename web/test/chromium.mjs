// Headless Chromium for tests of pages.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const TIMEOUT = 30_000;

/** @typedef {{ open: (url: string) => Promise<{ page: import("playwright-core").Page, problems: string[] }> }} Browser */

/**
 * Runs a test with a browser and returns its exit status.
 *
 * @param {string} name
 * @param {(browser: Browser) => Promise<void>} test
 */
export async function driven(name, test) {
  const folder = mkdtempSync(join(tmpdir(), "jettison-browser-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    viewport: { width: 1280, height: 900 },
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync"],
    ],
  });
  try {
    await test({ open: (url) => open(context, url) });
    console.log(`${name}: OK`);
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Opens a page and collects its errors and warnings. */
async function open(context, url) {
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** Checks that the content fits the window's width. */
export async function fits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${content} px in ${window} px`);
}

export async function pixels(canvas) {
  return canvas.evaluate((node) => node.toDataURL());
}
