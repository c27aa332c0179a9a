/** Draws the histograms of a tensor over time: a column for each step, a row for each bin. */

import type { StepHistogram } from "../../data/histograms";
import { positionOf, rowOf, zeroRow, type ValueRows } from "./value_axis";

/** A step that is drawn, and where on the axis it is. */
export interface Column {
  step: number;
  place: number;
  histogram: StepHistogram;
}

/** A column in pixels: from `start` on, up to `end`. */
export interface Span {
  start: number;
  end: number;
}

export interface Colors {
  /** From the colour of few values to that of many: red, green, blue and opacity, 256 times. */
  ramp: Uint8ClampedArray;
  axis: string;
  line: string;
  extreme: string;
  marked: string;
  hovered: string;
  special: string;
}

export interface Picture {
  columns: readonly Column[];
  rows: ValueRows;
  low: number;
  high: number;
  width: number;
  height: number;
  quantiles: boolean;
  /** Where the selected step is; null where that is not on the axis. */
  marked: number | null;
  hovered: number | null;
  colors: Colors;
}

/** Where the strip of infinities and NaN is, in pixels from the top, and where the plot is between them. */
export interface Strips {
  positive: number | null;
  top: number;
  bottom: number;
  negative: number | null;
  nan: number | null;
}

const STRIP = 7;
/** The row of zeros is at least as high as this, in pixels: a single bin may hold all values. */
const ZEROS_HEIGHT = 3;
/** A step with a neighbour on one side only is no wider than this. */
const WIDEST = 48;
/** This share of the values in one bin has the strongest colour. */
export const STRONGEST_SHARE = 0.1;
/** What is not empty has a colour at least as strong as this. */
const WEAKEST = 0.18;
const MEDIAN = 3;
const LOW_BAND = 1;
const HIGH_BAND = 5;

export function strips(columns: readonly Column[], height: number): Strips {
  const some = (count: (one: StepHistogram) => number): boolean => columns.some(({ histogram }) => count(histogram) > 0);
  const [hasPositive, hasNegative, hasNan] = [some((one) => one.positiveInfinities), some((one) => one.negativeInfinities), some((one) => one.nan)];
  const bottom = height - (hasNegative ? STRIP : 0) - (hasNan ? STRIP : 0);
  return {
    positive: hasPositive ? 0 : null,
    top: hasPositive ? STRIP : 0,
    bottom,
    negative: hasNegative ? bottom : null,
    nan: hasNan ? height - STRIP : null,
  };
}

/** The strength of the colour of a share of the values, from 0 to 1. */
export function strengthOf(share: number): number {
  return share <= 0 ? 0 : WEAKEST + (1 - WEAKEST) * Math.sqrt(Math.min(1, share / STRONGEST_SHARE));
}

/** Where a place on the axis is, in pixels. */
export function pixelOf(place: number, { low, high, width }: Pick<Picture, "low" | "high" | "width">): number {
  return high === low ? width / 2 : ((place - low) / (high - low)) * width;
}

/** From half-way to the step before up to half-way to the next: every column has at least one pixel. */
export function spansOf(columns: readonly Column[], picture: Pick<Picture, "low" | "high" | "width">): Span[] {
  const centers = columns.map(({ place }) => pixelOf(place, picture));
  const half = (k: number): number | undefined => (centers[k] === undefined || centers[k + 1] === undefined ? undefined : (centers[k + 1]! - centers[k]!) / 2);
  return centers.map((center, k) => {
    // At the ends, the other neighbour is as far away.
    const before = center - (half(k - 1) ?? Math.min(WIDEST / 2, half(k) ?? Infinity));
    const behind = center + (half(k) ?? Math.min(WIDEST / 2, half(k - 1) ?? Infinity));
    const start = Math.max(0, Math.min(picture.width - 1, Math.round(before)));
    return { start, end: Math.min(picture.width, Math.max(start + 1, Math.round(behind))) };
  });
}

export function draw(canvas: HTMLCanvasElement, picture: Picture, ratio: number): void {
  const { columns, rows, width, height, colors } = picture;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null || columns.length === 0) {
    return;
  }
  const pixels = { ...picture, width: canvas.width };
  const spans = spansOf(columns, pixels);
  const places = strips(columns, height);
  const [top, bottom] = [Math.round(places.top * ratio), Math.round(places.bottom * ratio)];
  const y = (position: number): number => top + (position / rows.count) * (bottom - top);
  context.fillStyle = colors.axis;
  const zero = zeroRow(rows);
  if (zero >= 0 && zero < rows.count) {
    context.fillRect(0, Math.round(y(zero + 0.5)), canvas.width, 1);
  }
  paintCells(context, columns, spans, rows, colors.ramp, { width: canvas.width, top, bottom });
  paintZeros(context, columns, spans, y(zero + 0.5), Math.max(ZEROS_HEIGHT * ratio, (bottom - top) / rows.count), colors.ramp);
  paintExtremes(context, columns, spans, rows, y, colors.extreme, ratio);
  if (picture.quantiles) {
    for (const [place, thickness] of [[LOW_BAND, 1], [HIGH_BAND, 1], [MEDIAN, 1.6]] as const) {
      paintLine(context, columns, spans, (one) => y(positionOf(rows, one.quantiles[place]!)), colors.line, thickness * ratio);
    }
  }
  const strip = (at: number | null, count: (one: StepHistogram) => number): void => {
    columns.forEach(({ histogram }, k) => {
      if (at !== null && count(histogram) > 0) {
        const { start, end } = spans[k]!;
        context.fillStyle = colors.special;
        context.fillRect(start, (at + 1) * ratio, Math.max(2 * ratio, end - start), (STRIP - 2) * ratio);
      }
    });
  };
  strip(places.positive, (one) => one.positiveInfinities);
  strip(places.negative, (one) => one.negativeInfinities);
  strip(places.nan, (one) => one.nan);
  const rule = (place: number | null, color: string): void => {
    if (place !== null) {
      context.fillStyle = color;
      context.fillRect(Math.min(canvas.width - ratio, Math.round(pixelOf(place, pixels) - ratio / 2)), 0, Math.max(1, Math.round(ratio)), canvas.height);
    }
  };
  rule(picture.marked, colors.marked);
  rule(picture.hovered, colors.hovered);
}

let small: HTMLCanvasElement | null = null;

/** The share of the values in each bin, as an image with a pixel per bin, stretched. Where columns are narrower than a pixel, it is their mean. */
function paintCells(context: CanvasRenderingContext2D, columns: readonly Column[], spans: readonly Span[], rows: ValueRows, ramp: Uint8ClampedArray, { width, top, bottom }: { width: number; top: number; bottom: number }): void {
  const image = new ImageData(width, rows.count);
  const [pixels, colors] = [new Uint32Array(image.data.buffer), new Uint32Array(ramp.buffer)];
  const colorOf = (share: number): number => colors[Math.round(strengthOf(share) * 255)]!;
  const own = new Float32Array(rows.count);
  // Columns that are wide enough share no pixel, and each has one color per row.
  const sharing = spans.some(({ start }, k) => k > 0 && start < spans[k - 1]!.end);
  const sums = new Float32Array(sharing ? width * rows.count : 0);
  const drawn = new Uint16Array(width);
  columns.forEach(({ histogram }, k) => {
    const { start, end } = spans[k]!;
    own.fill(0);
    histogram.negative.forEach((count, bin) => (own[rowOf(rows, histogram.firstNegative + bin, true)]! += count));
    histogram.positive.forEach((count, bin) => (own[rowOf(rows, histogram.firstPositive + bin, false)]! += count));
    for (let row = 0; row < own.length; row++) {
      const share = own[row]! / histogram.lookedAt;
      if (share > 0 && !sharing) {
        pixels.fill(colorOf(share), row * width + start, row * width + end);
      }
      for (let x = start; share > 0 && sharing && x < end; x++) {
        sums[row * width + x]! += share;
      }
    }
    for (let x = start; sharing && x < end; x++) {
      drawn[x]! += 1;
    }
  });
  sums.forEach((sum, k) => {
    if (sum > 0) {
      pixels[k] = colorOf(sum / drawn[k % width]!);
    }
  });
  // One for all plots: a canvas costs more than what is drawn on it.
  small ??= document.createElement("canvas");
  small.width = Math.max(small.width, width);
  small.height = Math.max(small.height, rows.count);
  small.getContext("2d", { willReadFrequently: true })?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, width, rows.count, 0, top, width, bottom - top);
}

/** The share of zeros in each column. */
function paintZeros(context: CanvasRenderingContext2D, columns: readonly Column[], spans: readonly Span[], middle: number, thickness: number, ramp: Uint8ClampedArray): void {
  columns.forEach(({ histogram: { zeros, lookedAt } }, k) => {
    if (zeros > 0) {
      const color = Math.round(strengthOf(zeros / lookedAt) * 255) * 4;
      context.fillStyle = `rgb(${ramp[color]}, ${ramp[color + 1]}, ${ramp[color + 2]})`;
      context.fillRect(spans[k]!.start, Math.round(middle - thickness / 2), spans[k]!.end - spans[k]!.start, Math.round(thickness));
    }
  });
}

/** The smallest and the largest value of each column: of several that share a pixel, all. */
function paintExtremes(context: CanvasRenderingContext2D, columns: readonly Column[], spans: readonly Span[], rows: ValueRows, y: (position: number) => number, color: string, ratio: number): void {
  context.fillStyle = color;
  const thickness = Math.max(1, Math.round(ratio));
  columns.forEach(({ histogram }, k) => {
    const { start, end } = spans[k]!;
    for (const value of [histogram.smallest, histogram.largest]) {
      if (Number.isFinite(value) && !histogram.isAbsent) {
        context.fillRect(start, Math.round(y(positionOf(rows, value)) - thickness / 2), end - start, thickness);
      }
    }
  });
}

/** A line through the middles of the columns; it is broken where there is no value. */
function paintLine(context: CanvasRenderingContext2D, columns: readonly Column[], spans: readonly Span[], y: (one: StepHistogram) => number, color: string, thickness: number): void {
  context.strokeStyle = color;
  context.lineWidth = thickness;
  context.beginPath();
  let isDrawing = false;
  columns.forEach(({ histogram }, k) => {
    const height = y(histogram);
    const { start, end } = spans[k]!;
    if (Number.isNaN(height)) {
      isDrawing = false;
    } else if (columns.length === 1) {
      context.moveTo(start, height);
      context.lineTo(end, height);
    } else {
      isDrawing ? context.lineTo((start + end) / 2, height) : context.moveTo((start + end) / 2, height);
      isDrawing = true;
    }
  });
  context.stroke();
}
