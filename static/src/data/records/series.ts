/** The numbers of records over time: a directory says where those of a record lie, one step after another. */

import type { ChunkStore } from "../arrays/chunks";
import { checkLane, type Numbers, numbersOf } from "../arrays/lanes";
import { also, checkAscending, integer, numberAmong, optional, record, table } from "../format/checks";
import type { ChunkTable } from "../format/types";
import { deviationsBeside } from "./deviations";
import { ByTensor, commonColumns, parseDirectory } from "./record_directory";
import { itemsOfCount, NUMBERS_PER_COUNT } from "./record_offsets";

const EXTREMA = 2;
/** What there is about a parameter at a step, in order. */
const PARAMETER_ITEMS = ["norm", "update_norm", "accumulated_gradient"] as const;
const PARAMETER_GROUP = "parameter";
const DTYPES: Readonly<Record<string, string>> = { 4: "F32", 8: "F64" };
const COUNT_DTYPES: Readonly<Record<string, string>> = { 4: "I32", 8: "I64" };

/** What a trial has over time. */
type Series = ReturnType<typeof parseSeries>;

/** Reads the directory, as distrustfully as the index: every number that it promises lies within a lane. */
export function parseSeries(value: unknown, chunks: ChunkTable, where: string) {
  const directory = parseDirectory(value, chunks, where);
  const { step_lists: stepLists } = directory;
  // How many statistics and aggregations each record has, and where its numbers begin.
  const ofRecords = table("group", () => ({
    ...commonColumns(directory),
    items: numberAmong(1, 4, 5),
    aggregations: numberAmong(1, 3),
    width: numberAmong(4, 8),
    counts_width: numberAmong(4, 8),
    counts_start: integer(0),
  }));
  // By their positions in the network. Pages of earlier versions have nothing about parameters over time.
  const ofParameters = also(
    table("parameter", () => ({
      parameter: integer(0),
      steps: integer(0, stepLists.length - 1),
      width: numberAmong(4, 8),
      start: integer(0),
    })),
    ({ parameter }, place) => checkAscending(parameter, `${place}.parameter`),
  );
  const none = { parameter: [], steps: [], width: [], start: [] };
  const { records, parameters } = record({ records: ofRecords, parameters: optional(ofParameters, none) })(value, where);
  const ends = new Map([
    [8, 0],
    [4, 0],
  ]);
  const take = (bytes: number, start: number, count: number): void => void ends.set(bytes, Math.max(ends.get(bytes) ?? 0, start + count));
  records.steps.forEach((list, k) => {
    const steps = stepLists[list]!.length;
    take(records.width[k]!, records.start[k]!, (records.items[k]! * records.aggregations[k]! + EXTREMA) * steps);
    take(records.counts_width[k]!, records.counts_start[k]!, NUMBERS_PER_COUNT * steps);
  });
  parameters.steps.forEach((list, k) => take(parameters.width[k]!, parameters.start[k]!, PARAMETER_ITEMS.length * stepLists[list]!.length));
  checkLane(8, (ends.get(8) ?? 0) * 8, directory.lane8, chunks);
  checkLane(4, (ends.get(4) ?? 0) * 4, directory.lane4, chunks);
  return { ...directory, records, parameters };
}

/** A record over time, or what there is about a parameter. */
export interface SeriesRecord {
  /** Its recording type; `parameter` where it is about a parameter itself, whatever is recorded of it. */
  group: string;
  /** Names of its statistics. */
  items: readonly string[];
  /** How many aggregations there are of each: those over the batch, or 1 without a batch dimension. */
  aggregations: number;
  /** Numbers of the steps that have it, ascending. */
  steps: readonly number[];
  /** A statistic at every step. */
  statistic(item: number, aggregation: number): Numbers;
  /** The smallest (0) or the largest (1) finite value at every step; undefined where there are no values. */
  extreme(end: number): Numbers | undefined;
  /** A column of the counts at every step; undefined where there are no values. */
  count(column: number): Numbers | undefined;
}

/** The records of a trial over time, to be found by tensor. */
export class SeriesOfTrial {
  private readonly byTensor: ByTensor;

  constructor(
    private readonly series: Series,
    private readonly chunks: ChunkStore,
  ) {
    this.byTensor = new ByTensor(series.records, series.strings);
  }

  /** The records of a tensor: one per group, and more where its kind, precision or batch dimension is not always the same. */
  records(name: string, iteration: number): SeriesRecord[] {
    return this.byTensor.rows(name, iteration).map((k) => this.record(k));
  }

  /** What there is about a parameter, by its position in the network. */
  parameter(position: number): SeriesRecord | undefined {
    const { parameters, step_lists: stepLists } = this.series;
    const k = parameters.parameter.indexOf(position);
    if (k < 0) {
      return undefined;
    }
    const steps = stepLists[parameters.steps[k]!]!;
    return {
      group: PARAMETER_GROUP,
      items: PARAMETER_ITEMS,
      aggregations: 1,
      steps,
      statistic: (item) => this.row(steps.length, parameters.width[k]!, DTYPES, parameters.start[k]!, item),
      extreme: () => undefined,
      count: () => undefined,
    };
  }

  private record(k: number): SeriesRecord {
    const { records, strings, step_lists: stepLists } = this.series;
    const steps = stepLists[records.steps[k]!]!;
    const [aggregations, itemCount] = [records.aggregations[k]!, records.items[k]!];
    const numbers = (number: number): Numbers => this.row(steps.length, records.width[k]!, DTYPES, records.start[k]!, number);
    const items = itemsOfCount(itemCount);
    return {
      group: strings[records.group[k]!]!,
      items,
      aggregations,
      steps,
      statistic: (item, aggregation) => {
        const statistic = numbers(item * aggregations + aggregation);
        return items[item] === "std" ? deviationsBeside(numbers(items.indexOf("mean") * aggregations + aggregation), statistic) : statistic;
      },
      extreme: (end) => numbers(itemCount * aggregations + end),
      count: (number) => this.row(steps.length, records.counts_width[k]!, COUNT_DTYPES, records.counts_start[k]!, number),
    };
  }

  /** Row `number` of those that begin at `start`, an element per step. */
  private row(steps: number, width: number, dtypes: Readonly<Record<string, string>>, start: number, number: number): Numbers {
    const { lane4, lane8 } = this.series;
    return numbersOf(
      this.chunks,
      { dtype: dtypes[width]!, count: steps, firstChunk: width === 8 ? lane8 : lane4, offset: start + number * steps },
      0,
      steps,
    );
  }
}
