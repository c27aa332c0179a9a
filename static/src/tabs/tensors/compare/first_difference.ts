/** At which step the tensors of two trials begin to differ, by what there is of them over time. */

import type { Numbers } from "../../../data/arrays/lanes";
import type { SeriesOfTrial, SeriesRecord } from "../../../data/records/series";
import type { Work } from "../../../ui/scheduling/time_slices";
import { differs } from "./difference";
import type { Criterion, Pair } from "./tensor_differences";

export interface FirstDifference {
  step: number;
  pair: Pair;
}

/** A statistic of a tensor in both trials, over the steps of each. */
export interface PairedCurve {
  pair: Pair;
  a: { steps: readonly number[]; numbers: Numbers };
  b: { steps: readonly number[]; numbers: Numbers };
}

/** The statistics of matched tensors that both trials have over time. */
export function pairedCurves(
  pairs: readonly Pair[],
  a: { series: SeriesOfTrial; recording: string },
  b: { series: SeriesOfTrial; recording: string },
  { statistic, aggregation }: Criterion,
): PairedCurve[] {
  const recordOf = ({ series, recording }: typeof a, { name, iteration }: Pair): SeriesRecord | undefined =>
    series.records(name, iteration).find(({ group }) => group === recording);
  const numbersOf = (record: SeriesRecord, item: string): Numbers =>
    record.statistic(record.items.indexOf(item), record.aggregations === 1 ? 0 : aggregation);
  return pairs.flatMap((pair) => {
    const [ofA, ofB] = [recordOf(a, pair), recordOf(b, pair)];
    if (ofA === undefined || ofB === undefined) {
      return [];
    }
    return ofA.items
      .filter((item) => ofB.items.includes(item) && (statistic === null || item === statistic || ofA.items.length === 1))
      .map((item) => ({
        pair,
        a: { steps: ofA.steps, numbers: numbersOf(ofA, item) },
        b: { steps: ofB.steps, numbers: numbersOf(ofB, item) },
      }));
  });
}

/** The earliest step at which a curve differs, with the first curve of several, if there is one. All of them must be loaded. */
export function* firstDifference(curves: readonly PairedCurve[], tolerance: number): Work<{ first: FirstDifference | null }> {
  let first: FirstDifference | null = null;
  for (const { pair, a, b } of curves) {
    let k = 0;
    for (const [position, step] of a.steps.entries()) {
      if (first !== null && step >= first.step) {
        break;
      }
      while (k < b.steps.length && b.steps[k]! < step) {
        k += 1;
      }
      if (b.steps[k] === step && differs(a.numbers.at(position)!, b.numbers.at(k)!, tolerance)) {
        first = { step, pair };
      }
    }
    yield;
  }
  return { first };
}
