/** The numbers of records over time: a directory says where those of a record lie, one step after another. */

import type { ChunkStore } from "../arrays/chunks";
import { checkLane, type Numbers, numbersOf } from "../arrays/lanes";
import { ascending, column, fail, integer, object } from "../format/checks";
import type { ChunkTable, Series, SeriesParameters, SeriesRecords } from "../format/types";
import { ByTensor, directoryOf } from "./record_directory";
import { itemsOfCount, NUMBERS_PER_COUNT } from "./record_offsets";

const EXTREMA = 2;
/** What there is about a parameter at a step, in order. */
const PARAMETER_ITEMS = ["norm", "update_norm", "accumulated_gradient"] as const;
const PARAMETER_GROUP = "parameter";
const DTYPES: Readonly<Record<string, string>> = { 4: "F32", 8: "F64" };
const COUNT_DTYPES: Readonly<Record<string, string>> = { 4: "I32", 8: "I64" };

/** Reads the directory, as distrustfully as the index: every number that it promises lies within a lane. */
export function parseSeries(value: unknown, chunks: ChunkTable, where: string): Series {
  const { root, rows, strings, stepLists, lanes, common, read, readOneOf } = directoryOf<keyof SeriesRecords>(value, chunks, where);
  const ofParameters = parseParameters(root.parameters, stepLists.length, `${where}.parameters`);
  const series: Series = {
    strings,
    step_lists: stepLists,
    ...lanes,
    records: {
      ...common,
      items: readOneOf("items", 1, 4, 5),
      aggregations: readOneOf("aggregations", 1, 3),
      width: readOneOf("width", 4, 8),
      counts_width: readOneOf("counts_width", 4, 8),
      counts_start: read("counts_start", 0),
    },
    parameters: ofParameters,
  };
  const ends = new Map([
    [8, 0],
    [4, 0],
  ]);
  const take = (bytes: number, start: number, count: number): void => void ends.set(bytes, Math.max(ends.get(bytes) ?? 0, start + count));
  const { records } = series;
  for (let k = 0; k < rows; k++) {
    const steps = stepLists[records.steps[k]!]!.length;
    take(records.width[k]!, records.start[k]!, (records.items[k]! * records.aggregations[k]! + EXTREMA) * steps);
    take(records.counts_width[k]!, records.counts_start[k]!, NUMBERS_PER_COUNT * steps);
  }
  ofParameters.parameter.forEach((_, k) =>
    take(ofParameters.width[k]!, ofParameters.start[k]!, PARAMETER_ITEMS.length * stepLists[ofParameters.steps[k]!]!.length),
  );
  checkLane(8, (ends.get(8) ?? 0) * 8, series.lane8, chunks);
  checkLane(4, (ends.get(4) ?? 0) * 4, series.lane4, chunks);
  return series;
}

/** Pages of earlier versions have nothing about parameters over time. */
function parseParameters(value: unknown, stepLists: number, where: string): SeriesParameters {
  if (value === undefined) {
    return { parameter: [], steps: [], width: [], start: [] };
  }
  const table = object(value, where);
  const parameter = ascending(Number.MAX_SAFE_INTEGER)(table.parameter, `${where}.parameter`);
  const read = (key: keyof SeriesParameters, low: number, high?: number): number[] =>
    column(integer(low, high), parameter.length)(table[key], `${where}.${key}`);
  const width = read("width", 4, 8);
  return {
    parameter,
    steps: read("steps", 0, stepLists - 1),
    width: width.every((bytes) => bytes in DTYPES) ? width : fail(`${where}.width`, "4 or 8"),
    start: read("start", 0),
  };
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
    return {
      group: strings[records.group[k]!]!,
      items: itemsOfCount(itemCount),
      aggregations,
      steps,
      statistic: (item, aggregation) => numbers(item * aggregations + aggregation),
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
