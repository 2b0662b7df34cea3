// What draws the lines of a plot: uPlot, or a plain drawing in pages that were built without it.

/** @import { Column } from "./columns.js" */

/**
 * Data on the screen.
 *
 * @typedef {object} Shown
 * @property {number[]} x
 * @property {Column[]} values One column per line.
 * @property {(Column | null)[]} low Lower ends of the lines' bands.
 * @property {(Column | null)[]} high
 * @property {boolean[]} visible
 * @property {number} from
 * @property {number} to
 * @property {"x" | "y" | null} log Which axis is logarithmic.
 */

/**
 * Pointer over a plot: the nearest sample, the value on the x axis, pixels from the plot's left and top, and the distance of a
 * value from the pointer in pixels.
 *
 * @typedef {{ index: number, at: number, left: number, top: number, distance: (value: number) => number }} Pointed
 */

/**
 * @typedef {object} PainterEvents
 * @property {(pointed: Pointed | null) => void} onPoint
 * @property {(range: [from: number, to: number] | null) => void} onZoom
 */

/**
 * @typedef {object} Painter
 * @property {(shown: Shown) => void} set
 * @property {(from: number, to: number) => void} zoom
 * @property {(line: number, isVisible: boolean) => void} show
 * @property {(at: number | null) => void} point
 * @property {() => void} redraw
 * @property {(width: number) => void} resize
 * @property {() => void} destroy
 */

export {};
