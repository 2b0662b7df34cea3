// The report: draws pictures when they come into view, and connects the legend and the choice of light or dark.

import { setPrinting, setTheme } from "../plots/colour.js";
import { legend } from "./legend.js";
import { Picture } from "./picture.js";

/** @import { Theme } from "../plots/colour.js" */
/** @import { PageData } from "./spec.js" */

/** Distance in pixels from the window at which a picture is drawn. */
const AHEAD = 300;
/** @type {Theme[]} */
const THEMES = ["auto", "light", "dark"];

/** @type {PageData} */
const page = JSON.parse(document.getElementById("page-data")?.textContent ?? '{"variants":[]}');
/** @type {Map<Element, Picture>} */
const pictures = new Map();

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      const picture = pictures.get(target);
      picture?.draw();
      if (picture?.isDrawn === true) watcher.unobserve(target);
    }
  },
  { rootMargin: `${AHEAD}px` },
);

for (const figure of document.querySelectorAll("figure.plot")) {
  if (!(figure instanceof HTMLElement)) continue;
  pictures.set(figure, new Picture(figure, page.variants));
  watcher.observe(figure);
}

const keys = document.getElementById("legend");
if (keys !== null) {
  legend(keys, page.variants, (variant, isVisible) => {
    for (const picture of pictures.values()) picture.show(variant, isVisible);
  });
}

const themes = document.getElementById("themes");
for (const theme of THEMES) {
  const button = themes?.querySelector(`[data-theme-choice="${theme}"]`);
  button?.addEventListener("click", () => {
    setTheme(theme);
    for (const other of themes?.children ?? []) other.setAttribute("aria-pressed", String(other === button));
  });
}

window.addEventListener("beforeprint", () => {
  // What is folded stays so; the rest is on paper, whether or not it has been looked at.
  for (const picture of pictures.values()) if (picture.figure.closest("details:not([open])") === null) picture.draw();
  setPrinting(true);
});
window.addEventListener("afterprint", () => setPrinting(false));

document.documentElement.classList.add("ready");
