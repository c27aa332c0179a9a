/** Where the numbers of every record lie: offsets by prefix sums over a layout. */

import { DamagedBundleError } from "../format/errors";
import type { Dtype, Kind, Layout } from "../format/types";

export const BATCH_AGGREGATIONS = ["batch_mean", "batch_abs_max", "batch_std"] as const;
export const NO_BATCH_AGGREGATION = "has_no_batch_dimension";
export const FLAG_GRADIENT_ABSENT = 1;
export const FLAG_RANKS_DIFFER = 2;
export const NUMBERS_PER_COUNT = 5;

const STATISTICS = ["mean", "abs_mean", "std", "abs_max"] as const;
const ITEMS: Readonly<Record<Kind, readonly string[]>> = {
  neuron: STATISTICS,
  kpis: STATISTICS,
  kpis_and_svd: [...STATISTICS, "svd"],
  single_value: ["single_value"],
};
/** Names of the statistics of a record that has this many. */
export function itemsOfCount(count: number): readonly string[] {
  return ITEMS[count === 1 ? "single_value" : count === 5 ? "kpis_and_svd" : "kpis"];
}

const WIDE_DTYPES: ReadonlySet<Dtype> = new Set(["F64", "I64", "I32", "U64", "U32"]);

/** One tensor of one group. Offsets count elements of the array concerned. */
export interface TensorRecord {
  /** Position of its tensor in the layout. */
  tensor: number;
  /** Position among all records of the step. */
  number: number;
  items: readonly string[];
  /** Aggregations `A` of its statistics. */
  aggregationCount: number;
  hasBatch: boolean;
  samples: number;
  /** Values per sample, `N`. */
  valueCount: number;
  precision: "F32" | "F64";
  stored: Dtype;
  /** For which samples there are values, as places among the recorded ones; null: for all of them. */
  kept: readonly number[] | null;
  /** The dtype of its aggregates; null where they were left out of the bundle. */
  aggregatesDtype: Dtype | null;
  extrema: number;
  statistics: number;
  /** -1 where it has none. */
  aggregates: number;
  values: number;
}

export interface RecordTable {
  records: readonly TensorRecord[];
  /** Elements that every array must have. */
  arrayLengths: ReadonlyMap<string, number>;
  /** The record of a tensor in a group, by group, then position of the tensor. */
  byGroup: ReadonlyMap<string, ReadonlyMap<number, TensorRecord>>;
}

/** Numbers the records of a layout and says where each one's numbers begin. Throws `DamagedBundleError` for impossible sizes. */
export function recordTable(layout: Layout): RecordTable {
  const arrayLengths = new Map<string, number>();
  const take = (array: string, count: number): number => {
    const start = arrayLengths.get(array) ?? 0;
    if (count > 0) {
      arrayLengths.set(array, safe(start + count));
    }
    return start;
  };
  const records: TensorRecord[] = [];
  const byGroup = new Map<string, ReadonlyMap<number, TensorRecord>>();
  for (const group of layout.groups) {
    const members = new Map<number, TensorRecord>();
    for (const tensor of group.tensors) {
      const record = placeRecord(layout, tensor, records.length, take);
      records.push(record);
      members.set(tensor, record);
    }
    byGroup.set(group.name, members);
  }
  if (records.length > 0) {
    arrayLengths.set("counts", records.length * NUMBERS_PER_COUNT);
  }
  return { records, arrayLengths, byGroup };
}

function placeRecord(layout: Layout, tensor: number, number: number, take: (array: string, count: number) => number): TensorRecord {
  const { tensors } = layout;
  const kind = tensors.kind[tensor]!;
  const stored = tensors.stored[tensor]!;
  const batchDimension = tensors.batch_dimension[tensor] ?? null;
  const hasBatch = batchDimension !== null;
  const samples = hasBatch ? tensors.samples[tensor]! : 0;
  const items = ITEMS[kind];
  const aggregationCount = hasBatch ? BATCH_AGGREGATIONS.length + samples : 1;
  const valueCount = safe(tensors.shape[tensor]!.reduce((product, size, axis) => (axis === batchDimension ? product : product * size), 1));
  const precision = WIDE_DTYPES.has(tensors.dtype[tensor]!) ? "F64" : "F32";
  const kept = tensors.kept?.[tensor] ?? null;
  const aggregatesDtype = tensors.aggregates === undefined ? precision : (tensors.aggregates[tensor] ?? null);
  const aggregateCount = kind === "neuron" && hasBatch && aggregatesDtype !== null ? safe(BATCH_AGGREGATIONS.length * valueCount) : 0;
  const storedCount = kind === "neuron" ? safe((kept === null ? (hasBatch ? samples : 1) : kept.length) * valueCount) : 0;
  const extrema = take(`extrema.${precision}`, 2);
  const statistics = take(`statistics.${precision}`, safe(items.length * aggregationCount));
  const aggregates = take(`aggregates.${aggregatesDtype ?? precision}`, aggregateCount);
  const values = take(`values.${stored}`, storedCount);
  return {
    tensor,
    number,
    items,
    aggregationCount,
    hasBatch,
    samples,
    valueCount,
    precision,
    stored,
    kept,
    aggregatesDtype,
    extrema,
    statistics,
    aggregates: aggregateCount > 0 ? aggregates : -1,
    values: storedCount > 0 ? values : -1,
  };
}

function safe(size: number): number {
  if (!Number.isSafeInteger(size)) {
    throw new DamagedBundleError("A tensor of this step has an impossible shape.");
  }
  return size;
}
