/** Draws histograms over time: pixel by pixel, and lines of quantiles over that. */

import type { StepHistogram } from "../../data/records/histograms";
import { type Colors, type Column, type Picture, quantileLines, type Span, STRIP, spansOf, strengthOf, strips } from "./history_layout";
import { positionOf, rowOf, type ValueRows, zeroRow } from "./value_axis";

/** Pixels to paint into, row by row from the top. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint32Array;
}

/** The row of zeros is at least as high as this, in pixels of the page: a single bin may hold all values. */
const ZEROS_HEIGHT = 3;
const STRONGEST = 255;
/** How far the lines are from one another that hatch what was not recorded, in pixels of the page. */
const HATCH_DISTANCE = 6;

/** Draws into a canvas, which becomes as large as the picture. */
export function draw(canvas: HTMLCanvasElement, picture: Picture, colors: Colors, hasQuantiles: boolean, ratio: number): void {
  const [width, height] = [Math.round(picture.width * ratio), Math.round(picture.height * ratio)];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null || width === 0 || picture.columns.length === 0) {
    return;
  }
  const image = new ImageData(width, height);
  paint({ width, height, data: new Uint32Array(image.data.buffer) }, picture, colors, ratio);
  context.putImageData(image, 0, 0);
  if (hasQuantiles) {
    context.scale(ratio, ratio);
    context.strokeStyle = colors.line;
    for (const { thickness, pieces } of quantileLines(picture)) {
      context.lineWidth = thickness;
      context.beginPath();
      pieces.forEach((piece) => piece.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y))));
      context.stroke();
    }
  }
}

/** Paints all but the lines of quantiles into empty pixels, the whole picture. `ratio`: how many of them a pixel of the page has. */
export function paint(pixels: Pixels, picture: Picture, colors: Colors, ratio: number): void {
  const { columns, rows } = picture;
  const spans = spansOf(columns, { ...picture, width: pixels.width });
  const places = strips(columns, picture.height);
  const [top, bottom] = [Math.round(places.top * ratio), Math.round(places.bottom * ratio)];
  const y = (position: number): number => top + (position / rows.count) * (bottom - top);
  paintGaps(pixels, spans, colors.axis, Math.round(HATCH_DISTANCE * ratio));
  const zero = zeroRow(rows);
  if (zero >= 0 && zero < rows.count) {
    fill(pixels, 0, pixels.width, Math.round(y(zero + 0.5)), 1, colors.axis);
  }
  paintBins(pixels, columns, spans, rows, colors.ramp, top, bottom);
  const zerosHeight = Math.max(ZEROS_HEIGHT * ratio, (bottom - top) / rows.count);
  const mark = Math.max(1, Math.round(ratio));
  const special = [
    [places.positive, "positiveInfinities"],
    [places.negative, "negativeInfinities"],
    [places.nan, "nan"],
  ] as const;
  columns.forEach(({ histogram }, k) => {
    const { start, end } = spans[k]!;
    if (histogram.zeros > 0) {
      fill(
        pixels,
        start,
        end,
        Math.round(y(zero + 0.5) - zerosHeight / 2),
        Math.round(zerosHeight),
        colorOf(colors.ramp, histogram.zeros / histogram.lookedAt),
      );
    }
    for (const value of histogram.isAbsent ? [] : [histogram.smallest, histogram.largest]) {
      if (Number.isFinite(value)) {
        fill(
          pixels,
          start,
          end,
          Math.max(top, Math.min(bottom - mark, Math.round(y(positionOf(rows, value)) - mark / 2))),
          mark,
          colors.extreme,
        );
      }
    }
    for (const [at, count] of special) {
      if (at !== null && histogram[count] > 0) {
        fill(
          pixels,
          start,
          Math.max(end, start + Math.round(2 * ratio)),
          Math.round((at + 1) * ratio),
          Math.round((STRIP - 2) * ratio),
          colors.special,
        );
      }
    }
  });
}

/** Hatches what lies between the columns: nothing was recorded there. */
function paintGaps({ width, height, data }: Pixels, spans: readonly Span[], color: number, distance: number): void {
  let from = 0;
  for (const { start, end } of [...spans, { start: width, end: width }]) {
    for (let y = 0; y < height && from < start; y++) {
      for (let x = from + ((distance - ((from + y) % distance)) % distance); x < start; x += distance) {
        data[y * width + x] = color;
      }
    }
    from = Math.max(from, end);
  }
}

/** The share of the values in each bin. Columns that share a pixel show their mean. */
function paintBins(
  { width, data }: Pixels,
  columns: readonly Column[],
  spans: readonly Span[],
  rows: ValueRows,
  ramp: Uint32Array,
  top: number,
  bottom: number,
): void {
  const rowAt = new Uint16Array(Math.max(0, bottom - top));
  for (let y = 0; y < rowAt.length; y++) {
    rowAt[y] = ((y + 0.5) * rows.count) / rowAt.length;
  }
  const [shares, shades] = [new Float32Array(rows.count), new Uint32Array(rows.count)];
  // From `x` up to `next`, it is the columns from `first` to `last`.
  let [first, last, next] = [0, -1, 0];
  for (let x = 0; x < width; x = next) {
    while (first < spans.length && spans[first]!.end <= x) {
      first += 1;
    }
    while (last + 1 < spans.length && spans[last + 1]!.start <= x) {
      last += 1;
    }
    next = Math.min(width, first <= last ? spans[first]!.end : width, spans[last + 1]?.start ?? width);
    if (first > last) {
      continue;
    }
    shares.fill(0);
    for (let k = first; k <= last; k++) {
      addShares(shares, rows, columns[k]!.histogram);
    }
    for (let row = 0; row < shades.length; row++) {
      shades[row] = shares[row]! > 0 ? colorOf(ramp, shares[row]! / (last - first + 1)) : 0;
    }
    for (let y = 0; y < rowAt.length; y++) {
      const shade = shades[rowAt[y]!]!;
      for (let at = (top + y) * width + x, end = at + next - x; shade !== 0 && at < end; at++) {
        data[at] = shade;
      }
    }
  }
}

/** Adds the shares of a step's values that are in each row, but for zeros. */
function addShares(
  shares: Float32Array,
  rows: ValueRows,
  { firstNegative, negative, firstPositive, positive, lookedAt }: StepHistogram,
): void {
  for (let k = 0; k < negative.length; k++) {
    shares[rowOf(rows, firstNegative + k, true)]! += negative[k]! / lookedAt;
  }
  for (let k = 0; k < positive.length; k++) {
    shares[rowOf(rows, firstPositive + k, false)]! += positive[k]! / lookedAt;
  }
}

function colorOf(ramp: Uint32Array, share: number): number {
  return ramp[Math.round(strengthOf(share) * STRONGEST)]!;
}

/** A rectangle, as far as it is inside. */
function fill({ width, height, data }: Pixels, left: number, right: number, top: number, rows: number, color: number): void {
  for (let y = Math.max(0, top); y < Math.min(height, top + rows); y++) {
    data.fill(color, y * width + Math.max(0, left), y * width + Math.min(width, right));
  }
}
