/** A histogram of one step in words: for readers who do not see the picture, and beside the pointer. */

import type { StepHistogram } from "../../data/records/histograms";
import { brief, grouped } from "../../ui/text/format";
import { countInRow, magnitudesOf, type ValueRows, zeroRow } from "./value_axis";

const [LOW_BAND, MEDIAN, HIGH_BAND] = [1, 3, 5];

/** What is most important first. */
export function histogramInWords(histogram: StepHistogram, isMerged: boolean): string[] {
  if (histogram.isAbsent) {
    return ["There was no gradient."];
  }
  if (histogram.size === 0) {
    return ["The tensor is empty."];
  }
  const quantile = (place: number): string => brief(histogram.quantiles[place]!);
  const within = isMerged ? " (to within a bin)" : "";
  const special = [
    [histogram.nan, "NaN"],
    [histogram.positiveInfinities, "+\u221e"],
    [histogram.negativeInfinities, "\u2212\u221e"],
    [histogram.allZeros, "zeros"],
  ] as const;
  return [
    Number.isNaN(histogram.smallest) ? "No finite value." : `From ${brief(histogram.smallest)} to ${brief(histogram.largest)}.`,
    ...(Number.isNaN(histogram.quantiles[MEDIAN]!)
      ? []
      : [`Median ${quantile(MEDIAN)}, 5 to 95 %: ${quantile(LOW_BAND)} to ${quantile(HIGH_BAND)}${within}.`]),
    `${
      special
        .filter(([count]) => count > 0)
        .map(([count, what]) => `${what}: ${grouped(count)}`)
        .join(", ") || "No NaN, infinities or zeros"
    }.`,
    histogram.lookedAt === histogram.size
      ? `Computed from all ${grouped(histogram.size)} values.`
      : `Bins and quantiles use ${grouped(histogram.lookedAt)} of ${grouped(histogram.size)} values; the rest uses all.`,
  ];
}

/** What is at the rims of the rows, or why nothing is there. A row at a rim all of whose values are equal is called by that value. */
export function limitsInWords(rows: ValueRows, histograms: readonly StepHistogram[]): { low: string; high: string } {
  const there = histograms.filter(({ smallest, isAbsent }) => !Number.isNaN(smallest) && !isAbsent);
  if (there.length === 0) {
    return { low: "", high: histograms.every(({ isAbsent }) => isAbsent) ? "no gradient" : "no finite value" };
  }
  const [smallest, largest] = [
    there.reduce((least, histogram) => Math.min(least, histogram.smallest), Infinity),
    there.reduce((most, histogram) => Math.max(most, histogram.largest), -Infinity),
  ];
  const [bottom, top] = [magnitudesOf(rows, rows.count - 1), magnitudesOf(rows, 0)];
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  return {
    low: short(
      bottom.isNegative && smallest !== -bottom.low ? finiteOr(-bottom.high, smallest) : bottom.isNegative ? smallest : bottom.low,
    ),
    high: short(!top.isNegative && largest !== top.low ? finiteOr(top.high, largest) : top.isNegative ? -top.low : largest),
  };
}

function finiteOr(edge: number, value: number): number {
  return Number.isFinite(edge) ? edge : value;
}

/** How many values are in a row. */
export function rowInWords(rows: ValueRows, histogram: StepHistogram, row: number): string {
  const count = countInRow(rows, histogram, row);
  const share = histogram.lookedAt === 0 ? "" : ` (${brief(Number(((100 * count) / histogram.lookedAt).toPrecision(2)))} %)`;
  const { low, high, isNegative } = magnitudesOf(rows, row);
  if (row === zeroRow(rows)) {
    return `Zero: ${grouped(count)}${share}`;
  }
  const [from, to] = isNegative ? [-high, -low] : [low, high];
  return `${brief(from)} to ${brief(to)}: ${grouped(count)}${share}`;
}
