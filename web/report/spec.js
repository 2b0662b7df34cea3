// Types of what the page holds as JSON: written by crates/report/src/html/pictures.rs.

/** @import { Ink } from "../plots/colour.js" */
/** @import { Column } from "../plots/columns.js" */

/** @typedef {{ name: string, ink: Ink, visible: boolean }} Variant */

/** @typedef {{ variants: Variant[] }} PageData */

/**
 * A line of a variant, or one with a name and an ink of its own. Values are missing at some places if the line is `sparse`.
 *
 * @typedef {object} SpecLine
 * @property {number} [variant]
 * @property {string} [name]
 * @property {Ink} [ink]
 * @property {Column} values
 * @property {Column} [low]
 * @property {Column} [high]
 */

/**
 * @typedef {object} LinesSpec
 * @property {"lines"} kind
 * @property {string} title
 * @property {{ kind: "time" | "value", unit: string, from: number, to: number, at: number[] }} x
 * @property {{ unit: string, zero: boolean, to?: number }} y
 * @property {"x" | "y" | null} log The axis that may be logarithmic.
 * @property {number} height
 * @property {boolean} steps
 * @property {number} shade
 * @property {SpecLine[]} lines
 */

/**
 * A row of bars or of dots. Parts are an index of `parts` (or of the row's variant) and a length.
 *
 * @typedef {object} SpecRow
 * @property {number} variant
 * @property {string} label
 * @property {[part: number | null, length: number][]} parts
 * @property {number | null} mean
 * @property {[low: number, high: number] | null} interval
 * @property {boolean} sure Whether the interval of a difference excludes zero.
 * @property {string} text
 */

/**
 * @typedef {object} RowsSpec
 * @property {"bars" | "dots"} kind
 * @property {string} title
 * @property {string} axis
 * @property {{ name: string, ink: Ink }[]} parts
 * @property {SpecRow[]} rows
 */

/** @typedef {LinesSpec | RowsSpec} Spec */

export {};
