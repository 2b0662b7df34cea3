// A picture of the report: drawn when it comes into view, with its switches.

import { isFarApart } from "../plots/columns.js";
import { element, say } from "../plots/dom.js";
import { Plot } from "../plots/plot.js";
import { swatch } from "../plots/tip.js";
import { Rows } from "./rows.js";

/** @import { Ink } from "../plots/colour.js" */
/** @import { Line } from "../plots/plot.js" */
/** @import { LinesSpec, RowsSpec, Spec, SpecLine, Variant } from "./spec.js" */

/** Share of a distribution that decides whether its axis is logarithmic. */
const TAIL = 0.99;
/** Most groups of lines that a picture names as coinciding. */
const NAMED = 3;

/** @type {Ink} */
const GREY = { light: "#5b6670", dark: "#98a4ae", dash: [] };

export class Picture {
  figure;
  #variants;
  #tools = element("div", "tools");
  #note = element("p", "note coinciding");
  /** @type {Plot | Rows | null} */
  #view = null;
  /** Lines by variant. @type {Map<number, number[]>} */
  #lines = new Map();

  /**
   * @param {HTMLElement} figure
   * @param {Variant[]} variants
   */
  constructor(figure, variants) {
    this.figure = figure;
    this.#variants = variants;
  }

  get isDrawn() {
    return this.#view !== null;
  }

  draw() {
    if (this.#view !== null) return;
    const source = this.figure.querySelector("script");
    const place = this.figure.querySelector(".place");
    if (source === null || place === null || place.clientWidth === 0) return;
    /** @type {Spec} */
    const spec = JSON.parse(source.textContent ?? "");
    if (spec.kind === "lines") this.#drawLines(spec, place);
    else this.#drawRows(spec, place);
    this.figure.dataset["drawn"] = "";
  }

  /**
   * @param {number} variant
   * @param {boolean} isVisible
   */
  show(variant, isVisible) {
    if (this.#view instanceof Rows) this.#view.show(variant, isVisible);
    else for (const line of this.#lines.get(variant) ?? []) this.#view?.show(line, isVisible);
  }

  /**
   * @param {RowsSpec} spec
   * @param {Element} place
   */
  #drawRows(spec, place) {
    const rows = new Rows(spec, this.#variants);
    this.#view = rows;
    if (rows.canBeLog) this.#logSwitch(rows.isFarApart, (isLog) => rows.setLog(isLog));
    if (spec.parts.length > 0) place.before(element("ul", "legend", ...spec.parts.map(({ name, ink }) => element("li", "", swatch(ink), name))));
    place.before(this.#tools);
    place.replaceChildren(rows.node);
  }

  /**
   * @param {LinesSpec} spec
   * @param {Element} place
   */
  #drawLines(spec, place) {
    const { x, y, height, shade } = spec;
    const lines = spec.lines.map((line) => this.#line(spec, line));
    const plot = new Plot({
      describe: spec.title,
      lines,
      x: { kind: x.kind, label: x.unit },
      y,
      height,
      shade,
      ...(x.kind === "time" ? { group: "time" } : {}),
    });
    this.#view = plot;
    spec.lines.forEach(({ variant }, index) => {
      if (variant === undefined) return;
      this.#lines.set(variant, [...(this.#lines.get(variant) ?? []), index]);
      if (this.#variants[variant]?.visible === false) plot.show(index, false);
    });
    const values = spec.lines.map((line) => line.values);
    const reset = element("button", "reset", "reset zoom");
    reset.type = "button";
    reset.hidden = true;
    reset.addEventListener("click", () => plot.zoom(null));
    const { log } = spec;
    if (log !== null) {
      const far = log === "y" ? isFarApart(values) : isFarApart([...tails(spec)]);
      this.#logSwitch(far, (isLog) => plot.setLog(isLog ? log : null));
    }
    this.#tools.append(reset);
    const own = spec.lines.some((line) => line.variant === undefined);
    if (own) place.before(this.#ownLegend(plot, lines));
    place.before(this.#tools);
    place.replaceChildren(plot.node);
    place.after(this.#note);
    const lifted = (/** @type {SpecLine} */ line, /** @type {"low" | "high"} */ end) => line[end] ?? null;
    plot.set(
      { x: x.at, values, low: spec.lines.map((line) => lifted(line, "low")), high: spec.lines.map((line) => lifted(line, "high")) },
      x.from,
      x.to,
    );
    plot.onChange = () => {
      reset.hidden = !plot.isZoomed;
      this.#tell(plot);
    };
    plot.onChange();
  }

  /**
   * @param {LinesSpec} spec
   * @param {SpecLine} line
   * @returns {Line}
   */
  #line(spec, line) {
    const variant = line.variant === undefined ? undefined : this.#variants[line.variant];
    const sparse = line.values.includes(null);
    return { name: line.name ?? variant?.name ?? "", ink: line.ink ?? variant?.ink ?? GREY, steps: spec.steps, sparse };
  }

  /**
   * Buttons for lines that are not variants.
   *
   * @param {Plot} plot
   * @param {Line[]} lines
   */
  #ownLegend(plot, lines) {
    const names = [...new Set(lines.map((line) => line.name))];
    const keys = names.map((name) => {
      const places = lines.flatMap((line, place) => (line.name === name ? [place] : []));
      const key = element("button", "key", swatch(lines[places[0] ?? 0]?.ink ?? GREY), name);
      key.type = "button";
      key.setAttribute("aria-pressed", "true");
      key.addEventListener("click", () => {
        const isVisible = key.getAttribute("aria-pressed") !== "true";
        key.setAttribute("aria-pressed", String(isVisible));
        places.forEach((place) => plot.show(place, isVisible));
      });
      return key;
    });
    return element("div", "legend", ...keys);
  }

  /**
   * @param {boolean} isOn
   * @param {(isLog: boolean) => void} onChange
   */
  #logSwitch(isOn, onChange) {
    const box = element("input");
    box.type = "checkbox";
    box.checked = isOn;
    box.addEventListener("change", () => onChange(box.checked));
    this.#tools.append(element("label", "log", box, "log axis"));
    if (isOn) onChange(true);
  }

  /** @param {Plot} plot */
  #tell(plot) {
    const groups = plot.coinciding.map((names) => [...new Set(names)]).filter((names) => names.length > 1);
    const told = groups.slice(0, NAMED).map((names) => (names.length > 6 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ")));
    say(this.#note, told.length === 0 ? "" : `These lines coincide: ${told.join("; ")}.`);
  }
}

/**
 * The values at which distributions have nearly all of their mass, one per line.
 *
 * @param {LinesSpec} spec
 */
function* tails({ x, lines }) {
  for (const { values } of lines) {
    const place = values.findIndex((share) => share !== null && share >= TAIL);
    yield [x.at[place < 0 ? x.at.length - 1 : place] ?? 0];
  }
}
