/** Twelve markers that differ in shape, and three for what is not finite. */

/** Paths in a square from -1 to 1; closed shapes are filled unless they are hollow. */
export interface Marker {
  points: readonly (readonly [number, number])[] | "circle" | "strokes";
  hollow: boolean;
  strokes?: readonly (readonly [number, number, number, number])[];
}

const SQUARE = [
  [-0.85, -0.85],
  [0.85, -0.85],
  [0.85, 0.85],
  [-0.85, 0.85],
] as const;
const UP = [
  [0, -1.05],
  [1, 0.8],
  [-1, 0.8],
] as const;
const DOWN = [
  [0, 1.05],
  [1, -0.8],
  [-1, -0.8],
] as const;
const DIAMOND = [
  [0, -1.15],
  [1.15, 0],
  [0, 1.15],
  [-1.15, 0],
] as const;
const PLUS = [
  [-1, 0, 1, 0],
  [0, -1, 0, 1],
] as const;
const CROSS = [
  [-0.8, -0.8, 0.8, 0.8],
  [-0.8, 0.8, 0.8, -0.8],
] as const;

export const MARKERS: readonly Marker[] = [
  { points: "circle", hollow: false },
  { points: SQUARE, hollow: false },
  { points: UP, hollow: false },
  { points: DIAMOND, hollow: false },
  { points: DOWN, hollow: false },
  { points: "circle", hollow: true },
  { points: SQUARE, hollow: true },
  { points: UP, hollow: true },
  { points: DIAMOND, hollow: true },
  { points: DOWN, hollow: true },
  { points: "strokes", hollow: true, strokes: PLUS },
  { points: "strokes", hollow: true, strokes: CROSS },
];

/** Draws marker `number` around a point with the current fill and stroke; hollow ones show `background`. */
export function drawMarker(
  context: CanvasRenderingContext2D,
  number: number,
  x: number,
  y: number,
  radius: number,
  background: string,
): void {
  drawMarkersAt(context, number, [[x, y]], radius, background);
}

/** Draws the same marker around many points that are further apart than it is wide, at once: that costs a fraction of drawing each. */
export function drawMarkersAt(
  context: CanvasRenderingContext2D,
  number: number,
  points: readonly (readonly [x: number, y: number])[],
  radius: number,
  background: string,
): void {
  const marker = MARKERS[number % MARKERS.length]!;
  context.beginPath();
  for (const [x, y] of points) {
    trace(context, marker, x, y, radius);
  }
  if (marker.points === "strokes") {
    context.stroke();
  } else if (marker.hollow) {
    const fill = context.fillStyle;
    context.fillStyle = background;
    context.fill();
    context.fillStyle = fill;
    context.stroke();
  } else {
    context.fill();
  }
}

function trace(context: CanvasRenderingContext2D, { points, strokes }: Marker, x: number, y: number, radius: number): void {
  if (points === "circle") {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  } else if (points === "strokes") {
    for (const [x0, y0, x1, y1] of strokes ?? []) {
      context.moveTo(x + x0 * radius, y + y0 * radius);
      context.lineTo(x + x1 * radius, y + y1 * radius);
    }
  } else {
    points.forEach(([dx, dy], k) =>
      k === 0 ? context.moveTo(x + dx * radius, y + dy * radius) : context.lineTo(x + dx * radius, y + dy * radius),
    );
    context.closePath();
  }
}
