/** The histograms of a tensor over time as a picture: a column for each step, a row for each bin. */

import type { StepHistogram } from "../../data/records/histograms";
import { positionOf, type ValueRows } from "./value_axis";

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
  /** From the colour of few values to that of many. Pixels: red is the lowest byte, opacity the highest. */
  ramp: Uint32Array;
  axis: number;
  extreme: number;
  special: number;
  /** The colour of lines, as CSS has it. */
  line: string;
}

export interface Picture {
  columns: readonly Column[];
  rows: ValueRows;
  low: number;
  high: number;
  width: number;
  height: number;
}

/** The strip of infinities and NaN, in pixels from the top, and the plot between them. */
interface Strips {
  positive: number | null;
  top: number;
  bottom: number;
  negative: number | null;
  nan: number | null;
}

/** How high a strip is, in pixels. */
export const STRIP = 7;
/** A column reaches no further than half of this on a side without a neighbour. */
const WIDEST = 48;
/** This share of the values in one bin has the strongest colour. */
export const STRONGEST_SHARE = 0.1;
/** What is not empty has a colour at least as strong as this. */
const WEAKEST = 0.18;
/** Which quantiles have lines, and how thick these are. */
const QUANTILE_LINES = [
  [1, 1],
  [5, 1],
  [3, 1.6],
] as const;

export function strips(columns: readonly Column[], height: number): Strips {
  const some = (count: (counts: StepHistogram) => number): boolean => columns.some(({ histogram }) => count(histogram) > 0);
  const [hasPositive, hasNegative, hasNan] = [
    some((counts) => counts.positiveInfinities),
    some((counts) => counts.negativeInfinities),
    some((counts) => counts.nan),
  ];
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

/** The pixel of a place on the axis. */
export function pixelOf(place: number, { low, high, width }: Pick<Picture, "low" | "high" | "width">): number {
  return high === low ? width / 2 : ((place - low) / (high - low)) * width;
}

/**
 * Columns around their steps, as wide as the median of the distances between neighbors, and no further than half-way to a neighbor: what lies
 * between them was not recorded. Every column has at least one pixel.
 */
export function spansOf(columns: readonly { place: number }[], picture: Pick<Picture, "low" | "high" | "width">): Span[] {
  const centers = columns.map(({ place }) => pixelOf(place, picture));
  const distances = centers.slice(1).map((center, k) => center - centers[k]!);
  const median = [...distances].sort((a, b) => a - b)[distances.length >> 1] ?? WIDEST;
  const half = (distance: number | undefined): number => Math.min(median, distance ?? WIDEST) / 2;
  return centers.map((center, k) => {
    const start = Math.max(0, Math.min(picture.width - 1, Math.round(center - half(distances[k - 1]))));
    return { start, end: Math.min(picture.width, Math.max(start + 1, Math.round(center + half(distances[k])))) };
  });
}

/** A line of quantiles: points in pixels, in pieces where it is broken. */
interface Line {
  thickness: number;
  pieces: readonly (readonly [x: number, y: number])[][];
}

/** The lines of the median and of where 90 % of the values are: through the middles of columns that touch, and across one that stands alone. */
export function quantileLines(picture: Picture): Line[] {
  const { columns, rows, height } = picture;
  const spans = spansOf(columns, picture);
  const { top, bottom } = strips(columns, height);
  return QUANTILE_LINES.map(([quantile, thickness]) => {
    const pieces: { start: number; end: number; y: number }[][] = [];
    let reached = -1;
    columns.forEach(({ histogram }, k) => {
      const y = top + (positionOf(rows, histogram.quantiles[quantile]!) / rows.count) * (bottom - top);
      const { start, end } = spans[k]!;
      if (Number.isNaN(y)) {
        reached = -1;
        return;
      }
      if (start > reached || reached < 0) {
        pieces.push([]);
      }
      pieces.at(-1)!.push({ start, end, y });
      reached = end;
    });
    return {
      thickness,
      pieces: pieces.map((piece) =>
        piece.length > 1
          ? piece.map(({ start, end, y }) => [(start + end) / 2, y] as const)
          : piece.flatMap(({ start, end, y }) => [[start, y] as const, [end, y] as const]),
      ),
    };
  });
}
