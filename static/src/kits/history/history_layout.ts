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
/** A step with a neighbour on one side only is no wider than this. */
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

/** From half-way to the step before up to half-way to the next: every column has at least one pixel. */
export function spansOf(columns: readonly { place: number }[], picture: Pick<Picture, "low" | "high" | "width">): Span[] {
  const centers = columns.map(({ place }) => pixelOf(place, picture));
  const half = (k: number): number | undefined =>
    centers[k] === undefined || centers[k + 1] === undefined ? undefined : (centers[k + 1]! - centers[k]!) / 2;
  return centers.map((center, k) => {
    // At the ends, the other neighbour is as far away.
    const before = center - (half(k - 1) ?? Math.min(WIDEST / 2, half(k) ?? Infinity));
    const behind = center + (half(k) ?? Math.min(WIDEST / 2, half(k - 1) ?? Infinity));
    const start = Math.max(0, Math.min(picture.width - 1, Math.round(before)));
    return { start, end: Math.min(picture.width, Math.max(start + 1, Math.round(behind))) };
  });
}

/** A line of quantiles: points in pixels, in pieces where it is broken. */
interface Line {
  thickness: number;
  pieces: readonly (readonly [x: number, y: number])[][];
}

/** The lines of the median and of where 90 % of the values are, through the middles of the columns. */
export function quantileLines(picture: Picture): Line[] {
  const { columns, rows, height } = picture;
  const spans = spansOf(columns, picture);
  const { top, bottom } = strips(columns, height);
  return QUANTILE_LINES.map(([quantile, thickness]) => {
    const pieces: [number, number][][] = [];
    let isDrawing = false;
    columns.forEach(({ histogram }, k) => {
      const y = top + (positionOf(rows, histogram.quantiles[quantile]!) / rows.count) * (bottom - top);
      const { start, end } = spans[k]!;
      if (Number.isNaN(y)) {
        isDrawing = false;
        return;
      }
      if (!isDrawing) {
        pieces.push([]);
      }
      isDrawing = true;
      // A single step has no line through it, so that it is drawn as wide as it is.
      pieces.at(-1)!.push(
        ...(columns.length === 1
          ? ([
              [start, y],
              [end, y],
            ] as const)
          : ([[(start + end) / 2, y]] as const)
        ).map(([x, at]): [number, number] => [x, at]),
      );
    });
    return { thickness, pieces };
  });
}
