// The legend of the page: a button per variant that shows or hides it in all pictures.

import { CROWD } from "./rows.js";

/** @import { Variant } from "./spec.js" */

/**
 * @param {HTMLElement} node
 * @param {Variant[]} variants
 * @param {(variant: number, isVisible: boolean) => void} onChange
 */
export function legend(node, variants, onChange) {
  const keys = [...node.querySelectorAll("button[data-variant]")].filter((key) => key instanceof HTMLButtonElement);
  const set = (/** @type {number} */ place, /** @type {boolean} */ isVisible) => {
    const variant = variants[place];
    if (variant === undefined || variant.visible === isVisible) return;
    variant.visible = isVisible;
    keys[place]?.setAttribute("aria-pressed", String(isVisible));
    if (variants.length <= CROWD) for (const row of document.querySelectorAll(`tr[data-variant="${place}"]`)) row.classList.toggle("hidden", !isVisible);
    onChange(place, isVisible);
  };
  keys.forEach((key, place) => {
    key.addEventListener("click", (event) => {
      if (event.shiftKey || event.altKey) variants.forEach((_, other) => set(other, other === place));
      else set(place, key.getAttribute("aria-pressed") !== "true");
    });
  });
  node.querySelector("button.all")?.addEventListener("click", () => variants.forEach((_, place) => set(place, true)));
  node.querySelector("button.none")?.addEventListener("click", () => variants.forEach((_, place) => set(place, false)));
}
