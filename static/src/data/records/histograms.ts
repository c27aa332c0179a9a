/** Histograms of records over time: a directory says where those of a record lie, one step of a type after another. */

import type { ChunkStore } from "../arrays/chunks";
import { allOf, checkLane, type Numbers, numbersOf } from "../arrays/lanes";
import { integer, numberAmong, record, table } from "../format/checks";
import { DamagedBundleError } from "../format/errors";
import { type ChunkTable, HISTOGRAM_CHUNK_BYTES } from "../format/types";
import { ByTensor, commonColumns, parseDirectory } from "./record_directory";

/** How many bins there are for positive values, and as many for negative ones. */
export const BINS_PER_SIDE = 1020;
/** Which quantiles there are. */
const QUANTILES = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99] as const;

const INTEGERS = 14;
const FLOATS = QUANTILES.length + 2;
const FIRST_NEGATIVE = 0;
const NEGATIVES = 1;
const ZEROS = 2;
const FIRST_POSITIVE = 3;
const POSITIVES = 4;
const LOOKED_AT = 7;
const FIRST_COUNT = 8;
const SIZE = 13;
const FLAG_GRADIENT_ABSENT = 1;
const DTYPES: Readonly<Record<string, string>> = { 4: "F32", 8: "F64" };
const INTEGER_DTYPES: Readonly<Record<string, string>> = { 4: "I32", 8: "I64" };
/** So many records that were read are kept, more than are in sight. */
const KEPT = 128;

const EDGE_BITS = new DataView(new ArrayBuffer(4));

/** The magnitude at which bin `k + 1` begins: 0, 2^-128, ..., 1, 1.25, 1.5, 1.75, 2, ..., and infinity behind the last bin. */
export function binEdge(k: number): number {
  EDGE_BITS.setUint32(0, k << 21);
  return EDGE_BITS.getFloat32(0);
}

/** A trial's histograms at some of its steps. */
type Histograms = ReturnType<typeof parseHistograms>;

/** Reads the directory, as distrustfully as the index: every number that it promises lies within a lane. */
export function parseHistograms(value: unknown, chunks: ChunkTable, where: string) {
  const directory = parseDirectory(value, chunks, where);
  // One row per record and type; `counts` are of all bins.
  const columns = table("group", () => ({
    ...commonColumns(directory),
    type: integer(0, directory.strings.length - 1),
    width: numberAmong(4, 8),
    integers_width: numberAmong(4, 8),
    integers_start: integer(0),
    counts: integer(0),
  }));
  const histograms = { ...directory, ...record({ records: columns })(value, where) };
  checkLane(8, elementsIn(histograms, 8) * 8, histograms.lane8, chunks, HISTOGRAM_CHUNK_BYTES);
  checkLane(4, elementsIn(histograms, 4) * 4, histograms.lane4, chunks, HISTOGRAM_CHUNK_BYTES);
  return histograms;
}

/** How many elements the lane of a width has to have. */
function elementsIn({ records, step_lists: stepLists }: Pick<Histograms, "records" | "step_lists">, width: number): number {
  let end = 0;
  records.steps.forEach((list, k) => {
    const steps = stepLists[list]!.length;
    const floats = records.width[k] === width ? records.start[k]! + FLOATS * steps : 0;
    const integers = records.integers_width[k] === width ? records.integers_start[k]! + INTEGERS * steps + records.counts[k]! : 0;
    end = Math.max(end, floats, integers);
  });
  return end;
}

/** The histogram of one step. */
export interface StepHistogram {
  /** Smallest magnitude of a bin with negative values, and how many values are in that bin, in the next, ... */
  firstNegative: number;
  negative: Float64Array;
  zeros: number;
  /** As for negative values. */
  firstPositive: number;
  positive: Float64Array;
  /** How many values were read, NaN and infinities among them. */
  lookedAt: number;
  /** How many values there are, and how many of all of them are NaN, infinite or zero. */
  size: number;
  nan: number;
  positiveInfinities: number;
  negativeInfinities: number;
  allZeros: number;
  /** Whether there was no gradient, so that nothing was read. */
  isAbsent: boolean;
  /** Among the values that were read. NaN if there are none. */
  quantiles: Float64Array;
  /** The smallest and the largest finite value of all; NaN where there is none. */
  smallest: number;
  largest: number;
}

/** A record with histograms, at the steps of one type. */
export interface HistogramRecord {
  group: string;
  name: string;
  iteration: number;
  type: string;
  /** Bytes of each of its quantiles. */
  width: number;
  /** Numbers of its steps, ascending. */
  steps: readonly number[];
  /** The chunks that it needs. */
  chunks: readonly number[];
  /** Its histograms, one per step; undefined while a chunk is not loaded. Throws `DamagedBundleError`. */
  read(): readonly StepHistogram[] | undefined;
}

/** The records with histograms at a part of the steps of a trial, to be found by tensor. */
export class HistogramPart {
  private readonly byTensor: ByTensor;

  constructor(
    private readonly histograms: Histograms,
    private readonly chunks: ChunkStore,
    private readonly known = new Map<number, readonly StepHistogram[]>(),
  ) {
    this.byTensor = new ByTensor(histograms.records, histograms.strings);
  }

  /** The same of a newer build that has its numbers where they were, with what has been read of them; undefined where it has not. */
  movedTo(newer: ChunkStore): HistogramPart | undefined {
    const lanes = [8, 4].flatMap((width) => {
      const count = elementsIn(this.histograms, width);
      return this.numbers(width, DTYPES, 0, count).chunks(0, count);
    });
    return lanes.every((id) => newer.numberOf(this.chunks, id) === id) ? new HistogramPart(this.histograms, newer, this.known) : undefined;
  }

  /** The numbers of its first and its last step; null where it has none. */
  get range(): { first: number; last: number } | null {
    const lists = this.histograms.step_lists.filter(({ length }) => length > 0);
    return lists.length === 0
      ? null
      : { first: Math.min(...lists.map((steps) => steps[0]!)), last: Math.max(...lists.map((steps) => steps.at(-1)!)) };
  }

  /** Those of a tensor: one per group and type of execution. */
  records(name: string, iteration: number): HistogramRecord[] {
    return this.byTensor.rows(name, iteration).map((k) => this.record(k));
  }

  private record(k: number): HistogramRecord {
    const { records, strings, step_lists: stepLists } = this.histograms;
    const steps = stepLists[records.steps[k]!]!;
    const integers = this.numbers(
      records.integers_width[k]!,
      INTEGER_DTYPES,
      records.integers_start[k]!,
      INTEGERS * steps.length + records.counts[k]!,
    );
    const floats = this.numbers(records.width[k]!, DTYPES, records.start[k]!, FLOATS * steps.length);
    return {
      group: strings[records.group[k]!]!,
      name: strings[records.name[k]!]!,
      iteration: records.iteration[k]!,
      type: strings[records.type[k]!]!,
      width: records.width[k]!,
      steps,
      chunks: [...integers.chunks(0, integers.length), ...floats.chunks(0, floats.length)],
      read: () => this.known.get(k) ?? keep(this.known, k, decode(steps.length, allOf(integers), allOf(floats))),
    };
  }

  private numbers(width: number, dtypes: Readonly<Record<string, string>>, start: number, count: number): Numbers {
    const { lane4, lane8 } = this.histograms;
    return numbersOf(
      this.chunks,
      { dtype: dtypes[width]!, count, firstChunk: width === 8 ? lane8 : lane4, offset: start, chunkBytes: HISTOGRAM_CHUNK_BYTES },
      0,
      count,
    );
  }
}

/** Keeps what was read, and drops what was read first when there is too much. */
export function keep<K>(
  known: Map<K, readonly StepHistogram[]>,
  key: K,
  read: readonly StepHistogram[] | undefined,
): readonly StepHistogram[] | undefined {
  if (read !== undefined) {
    known.set(key, read);
    for (const oldest of known.keys()) {
      if (known.size <= KEPT) {
        break;
      }
      known.delete(oldest);
    }
  }
  return read;
}

/** Takes the numbers of a record apart, one step after another, and makes sure that they fit together. */
export function decode(steps: number, integers: Float64Array | undefined, floats: Float64Array | undefined): StepHistogram[] | undefined {
  if (integers === undefined || floats === undefined) {
    return undefined;
  }
  const decoded: StepHistogram[] = [];
  let next = INTEGERS * steps;
  for (let step = 0; step < steps; step++) {
    const of = (row: number): number => integers[row * steps + step]!;
    const [negatives, positives] = [of(NEGATIVES), of(POSITIVES)];
    const middle = next + negatives;
    const end = middle + positives;
    if (!areBins(of(FIRST_NEGATIVE), negatives) || !areBins(of(FIRST_POSITIVE), positives) || end > integers.length) {
      throw new DamagedBundleError("A histogram has bins that do not exist.");
    }
    const [negative, positive] = [integers.subarray(next, middle), integers.subarray(middle, end)];
    next = end;
    const inBins = sumOf(negative) + sumOf(positive) + of(ZEROS);
    if (of(ZEROS) < 0 || !(inBins <= of(LOOKED_AT)) || hasNegative(negative) || hasNegative(positive)) {
      throw new DamagedBundleError("A histogram counts more values than were read.");
    }
    decoded.push({
      firstNegative: of(FIRST_NEGATIVE),
      negative,
      zeros: of(ZEROS),
      firstPositive: of(FIRST_POSITIVE),
      positive,
      lookedAt: of(LOOKED_AT),
      size: of(SIZE),
      nan: of(FIRST_COUNT),
      positiveInfinities: of(FIRST_COUNT + 1),
      negativeInfinities: of(FIRST_COUNT + 2),
      allZeros: of(FIRST_COUNT + 3),
      isAbsent: (of(FIRST_COUNT + 4) & FLAG_GRADIENT_ABSENT) !== 0,
      quantiles: everyNth(floats, QUANTILES.length, step, steps),
      smallest: floats[QUANTILES.length * steps + step]!,
      largest: floats[(QUANTILES.length + 1) * steps + step]!,
    });
  }
  if (next !== integers.length) {
    throw new DamagedBundleError("Histograms have more counts than bins.");
  }
  return decoded;
}

function everyNth(numbers: Float64Array, count: number, start: number, distance: number): Float64Array {
  const sums = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    sums[k] = numbers[start + k * distance]!;
  }
  return sums;
}

function areBins(first: number, count: number): boolean {
  return count === 0 || (count > 0 && first >= 1 && first + count - 1 <= BINS_PER_SIDE);
}

/** A callback for each of them would take many times as long. */
export function sumOf(counts: Float64Array): number {
  let total = 0;
  for (let k = 0; k < counts.length; k++) {
    total += counts[k]!;
  }
  return total;
}

function hasNegative(counts: Float64Array): boolean {
  for (let k = 0; k < counts.length; k++) {
    if (counts[k]! < 0) {
      return true;
    }
  }
  return false;
}
