/** The numbers of records over time: a directory says where those of a record lie, one step after another. */

import { ascending, column, fail, integer, list, object, rowsOf, text } from "./checks";
import type { ChunkStore } from "./chunks";
import { checkLane, numbersOf, type Numbers } from "./lanes";
import { itemsOfCount, NUMBERS_PER_COUNT } from "./records";
import type { ChunkTable, Series, SeriesRecords } from "./types";

const EXTREMA = 2;
const DTYPES: Readonly<Record<string, string>> = { 4: "F32", 8: "F64" };
const COUNT_DTYPES: Readonly<Record<string, string>> = { 4: "I32", 8: "I64" };

/** Reads the directory, as distrustfully as the index: every number that it promises lies within a lane. */
export function parseSeries(value: unknown, chunks: ChunkTable, where: string): Series {
  const root = object(value, where);
  const strings = list(text)(root["strings"], `${where}.strings`);
  const stepLists = list(ascending(Number.MAX_SAFE_INTEGER))(root["step_lists"], `${where}.step_lists`);
  const table = object(root["records"], `${where}.records`);
  const rows = rowsOf(table, "group", `${where}.records`);
  const read = (key: keyof SeriesRecords, low: number, high?: number): number[] => column(integer(low, high), rows)(table[key], `${where}.records.${key}`);
  const oneOfNumbers = (key: keyof SeriesRecords, allowed: readonly number[]): number[] => {
    const numbers = read(key, 0);
    return numbers.every((number) => allowed.includes(number)) ? numbers : fail(`${where}.records.${key}`, `one of ${allowed.join(", ")}`);
  };
  const lane = (key: string): number => integer(-1, chunks.bytes.length - 1)(root[key], `${where}.${key}`);
  const series: Series = {
    strings,
    step_lists: stepLists,
    lane8: lane("lane8"),
    lane4: lane("lane4"),
    records: {
      group: read("group", 0, strings.length - 1),
      name: read("name", 0, strings.length - 1),
      iteration: read("iteration", -1),
      items: oneOfNumbers("items", [1, 4, 5]),
      aggregations: oneOfNumbers("aggregations", [1, 3]),
      steps: read("steps", 0, stepLists.length - 1),
      width: oneOfNumbers("width", [4, 8]),
      start: read("start", 0),
      counts_width: oneOfNumbers("counts_width", [4, 8]),
      counts_start: read("counts_start", 0),
    },
  };
  const ends = new Map([[8, 0], [4, 0]]);
  const take = (bytes: number, start: number, count: number): void => void ends.set(bytes, Math.max(ends.get(bytes) ?? 0, start + count));
  const { records } = series;
  for (let k = 0; k < rows; k++) {
    const steps = stepLists[records.steps[k]!]!.length;
    take(records.width[k]!, records.start[k]!, (records.items[k]! * records.aggregations[k]! + EXTREMA) * steps);
    take(records.counts_width[k]!, records.counts_start[k]!, NUMBERS_PER_COUNT * steps);
  }
  checkLane(8, (ends.get(8) ?? 0) * 8, series.lane8, chunks);
  checkLane(4, (ends.get(4) ?? 0) * 4, series.lane4, chunks);
  return series;
}

/** A record over time. */
export interface SeriesRecord {
  group: string;
  /** Names of its statistics. */
  items: readonly string[];
  /** How many aggregations there are of each: those over the batch, or 1 without a batch dimension. */
  aggregations: number;
  /** Numbers of the steps that have it, ascending. */
  steps: readonly number[];
  /** A statistic at every step. */
  statistic(item: number, aggregation: number): Numbers;
  /** The smallest (0) or the largest (1) finite value at every step. */
  extreme(end: number): Numbers;
  /** A column of the counts at every step. */
  count(column: number): Numbers;
}

/** The records of a trial over time, to be found by tensor. */
export class SeriesOfTrial {
  private readonly positions = new Map<string, number[]>();

  constructor(
    private readonly series: Series,
    private readonly chunks: ChunkStore,
  ) {
    series.records.name.forEach((name, k) => {
      const key = tensorKey(series.strings[name]!, series.records.iteration[k]!);
      const known = this.positions.get(key);
      if (known === undefined) {
        this.positions.set(key, [k]);
      } else {
        known.push(k);
      }
    });
  }

  /** The records of a tensor: one per group, and more where its kind, precision or batch dimension is not always the same. */
  records(name: string, iteration: number): SeriesRecord[] {
    return (this.positions.get(tensorKey(name, iteration)) ?? []).map((k) => this.record(k));
  }

  private record(k: number): SeriesRecord {
    const { records, strings, step_lists: stepLists, lane4, lane8 } = this.series;
    const steps = stepLists[records.steps[k]!]!;
    const [aggregations, itemCount] = [records.aggregations[k]!, records.items[k]!];
    const row = (width: number, dtypes: Readonly<Record<string, string>>, start: number, number: number): Numbers => {
      const offset = start + number * steps.length;
      return numbersOf(this.chunks, { dtype: dtypes[width]!, count: steps.length, firstChunk: width === 8 ? lane8 : lane4, offset }, 0, steps.length);
    };
    const numbers = (number: number): Numbers => row(records.width[k]!, DTYPES, records.start[k]!, number);
    return {
      group: strings[records.group[k]!]!,
      items: itemsOfCount(itemCount),
      aggregations,
      steps,
      statistic: (item, aggregation) => numbers(item * aggregations + aggregation),
      extreme: (end) => numbers(itemCount * aggregations + end),
      count: (number) => row(records.counts_width[k]!, COUNT_DTYPES, records.counts_start[k]!, number),
    };
  }
}

function tensorKey(name: string, iteration: number): string {
  return `${iteration}/${name}`;
}
