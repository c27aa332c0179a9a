/** Everything that a step says about one of its records. */

import type { ChunkStore } from "../arrays/chunks";
import { NO_NUMBERS, type Numbers, numbersOf, type PlacedArray } from "../arrays/lanes";
import type { Value } from "../arrays/numbers";
import { withDeviation } from "./deviations";
import { BATCH_AGGREGATIONS, FLAG_GRADIENT_ABSENT, FLAG_RANKS_DIFFER, NUMBERS_PER_COUNT, type TensorRecord } from "./record_offsets";

/**
 * How many of a record's values are of a kind, its finite extremes (NaN: none), whether its gradient was absent, and, of all ranks
 * together, whether ranks that could have the same do not.
 */
export interface Facts {
  nan: Value;
  positiveInfinity: Value;
  negativeInfinity: Value;
  zeros: Value;
  smallest: Value;
  largest: Value;
  gradientAbsent: boolean;
  ranksDiffer: boolean;
}

const PARAMETER_ARRAYS = ["parameters.F32", "parameters.F64"];

export class StepNumbers {
  constructor(
    private readonly chunks: ChunkStore,
    private readonly arrays: ReadonlyMap<string, PlacedArray>,
  ) {}

  /** The statistics of a record under aggregation number `aggregation`, one per item. Stored as `[I, A]`. NaN has a deviation of NaN. */
  statistics(record: TensorRecord, aggregation: number): Numbers {
    const { items, statistics, precision, aggregationCount } = record;
    return withDeviation(items, this.slice(`statistics.${precision}`, statistics + aggregation, items.length, aggregationCount));
  }

  /** The values of a record under an aggregation: from the aggregates `[3, N]` or, for a sample, from the values `[S, N]`. */
  neurons(record: TensorRecord, aggregation: number): Numbers {
    const count = record.valueCount;
    if (record.hasBatch && aggregation < BATCH_AGGREGATIONS.length) {
      return record.aggregates < 0
        ? NO_NUMBERS
        : this.slice(`aggregates.${record.aggregatesDtype ?? record.precision}`, record.aggregates + aggregation * count, count);
    }
    const place = record.hasBatch ? aggregation - BATCH_AGGREGATIONS.length : 0;
    const sample = record.kept === null ? place : record.kept.indexOf(place);
    return record.values < 0 || sample < 0 ? NO_NUMBERS : this.slice(`values.${record.stored}`, record.values + sample * count, count);
  }

  /** The values of all samples that are in the bundle, one after another: `[K, N]`. */
  recorded(record: TensorRecord): Numbers {
    const samples = record.kept?.length ?? (record.hasBatch ? record.samples : 1);
    return record.values < 0 ? NO_NUMBERS : this.slice(`values.${record.stored}`, record.values, samples * record.valueCount);
  }

  /** Whether values of a record under an aggregation were recorded, but left out of the bundle on purpose. */
  isLeftOut(record: TensorRecord, aggregation: number): boolean {
    if (record.hasBatch && aggregation < BATCH_AGGREGATIONS.length) {
      return record.aggregatesDtype === null;
    }
    return record.kept !== null && !record.kept.includes(record.hasBatch ? aggregation - BATCH_AGGREGATIONS.length : 0);
  }

  /** Undefined while not loaded. */
  facts(record: TensorRecord): Facts | undefined {
    const counts = this.slice("counts", record.number * NUMBERS_PER_COUNT, NUMBERS_PER_COUNT);
    const extrema = this.slice(`extrema.${record.precision}`, record.extrema, 2);
    const numbers = [...[0, 1, 2, 3, 4].map((k) => counts.at(k)), extrema.at(0), extrema.at(1)].filter((value) => value !== undefined);
    if (numbers.length < NUMBERS_PER_COUNT + 2) {
      return undefined;
    }
    const [nan, positiveInfinity, negativeInfinity, zeros, flags, smallest, largest] = numbers as [Value, Value, Value, Value, ...Value[]];
    const has = (flag: number): boolean => (Number(flags) & flag) !== 0;
    return {
      nan,
      positiveInfinity,
      negativeInfinity,
      zeros,
      smallest: smallest!,
      largest: largest!,
      gradientAbsent: has(FLAG_GRADIENT_ABSENT),
      ranksDiffer: has(FLAG_RANKS_DIFFER),
    };
  }

  /** The counts of all records, one after the other. */
  get counts(): Numbers {
    return this.slice("counts", 0, this.arrays.get("counts")?.count ?? 0);
  }

  /** What the step says about parameters: their norms, those of their updates, and what earlier steps left in their gradients; `[3, P]`. */
  get parameters(): Numbers {
    const name = PARAMETER_ARRAYS.find((candidate) => this.arrays.has(candidate));
    return name === undefined ? NO_NUMBERS : this.slice(name, 0, this.arrays.get(name)?.count ?? 0);
  }

  /** The chunks needed to show everything about a record but its values. */
  overviewChunks(record: TensorRecord, aggregation: number): number[] {
    const statistics = this.statistics(record, aggregation);
    return [
      ...this.slice("counts", record.number * NUMBERS_PER_COUNT, NUMBERS_PER_COUNT).chunks(0, NUMBERS_PER_COUNT),
      ...this.slice(`extrema.${record.precision}`, record.extrema, 2).chunks(0, 2),
      ...statistics.chunks(0, statistics.length),
    ];
  }

  private slice(name: string, start: number, count: number, stride = 1): Numbers {
    const array = this.arrays.get(name);
    return array === undefined ? NO_NUMBERS : numbersOf(this.chunks, array, start, count, stride);
  }
}
