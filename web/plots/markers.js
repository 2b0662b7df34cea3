// Markers along a line, so that lines of one colour differ.

/** Distance of two markers in pixels. */
const APART = 90;

/**
 * Draws a shape of a size around a point.
 *
 * @typedef {(pen: CanvasRenderingContext2D, x: number, y: number, size: number) => void} Shape
 */

/** @type {Shape[]} */
const SHAPES = [
  (pen, x, y, size) => pen.arc(x, y, size, 0, 2 * Math.PI),
  (pen, x, y, size) => pen.rect(x - size, y - size, 2 * size, 2 * size),
  (pen, x, y, size) => polygon(pen, [[x, y - 1.3 * size], [x + 1.2 * size, y + size], [x - 1.2 * size, y + size]]),
  (pen, x, y, size) => polygon(pen, [[x, y - 1.4 * size], [x + 1.4 * size, y], [x, y + 1.4 * size], [x - 1.4 * size, y]]),
  (pen, x, y, size) => polygon(pen, [[x, y + 1.3 * size], [x + 1.2 * size, y - size], [x - 1.2 * size, y - size]]),
];

/**
 * Draws markers on a line, the first after a part of their distance, so that those of several lines stay apart.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {{ x: number, y: number }[]} points Ascending in x, in pixels of the canvas.
 * @param {{ shape: number, colour: string, ground: string, offset: number, ratio: number }} how
 */
export function mark(pen, points, { shape, colour, ground, offset, ratio }) {
  const draw = SHAPES[shape % SHAPES.length];
  let next = (points[0]?.x ?? 0) + offset * APART * ratio;
  for (const { x, y } of points) {
    if (x < next) continue;
    next = x + APART * ratio;
    pen.beginPath();
    draw?.(pen, x, y, 3.4 * ratio);
    pen.fillStyle = ground;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6 * ratio;
    pen.fill();
    pen.stroke();
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {[number, number][]} corners
 */
function polygon(pen, corners) {
  corners.forEach(([x, y], index) => (index === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.closePath();
}
