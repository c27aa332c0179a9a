/** Which tensors of two steps differ, in the order of computation: that of the graph. */

import type { Numbers } from "../../../data/arrays/lanes";
import type { Value } from "../../../data/arrays/numbers";
import type { TensorRecord } from "../../../data/records/record_offsets";
import type { OpenStep } from "../../../state/selection/open_step";
import type { Work } from "../../../ui/scheduling/time_slices";
import { differenceOf, differs } from "./difference";

/** A tensor that both steps have, with its record in each. `iteration` is -1 for what belongs to none. */
export interface Pair {
  iteration: number;
  node: string;
  role: string;
  name: string;
  a: TensorRecord;
  b: TensorRecord;
}

export interface Match {
  pairs: readonly Pair[];
  onlyInA: number;
  onlyInB: number;
  /** The statistics that both have of any of them. */
  items: readonly string[];
}

/** A tensor that differs, and the statistic that shows it first. */
export interface DifferingTensor {
  iteration: number;
  node: string;
  role: string;
  item: string;
  a: Value;
  b: Value;
}

export interface Findings {
  compared: number;
  differing: readonly DifferingTensor[];
}

/** What is compared. */
export interface Criterion {
  /** Null: any of them. Single values have no other than their own. */
  statistic: string | null;
  /** Over the batch, for tensors with one. */
  aggregation: number;
  /** What does not count, as a part of the larger magnitude. */
  tolerance: number;
}

/** Stands for the only statistic of a tensor that is one number. */
export const SINGLE_VALUE = "single_value";

const AT_A_TIME = 256;

/** Matches the tensors of a recording type by name and iteration, in the order of A's graphs. */
export function match(a: OpenStep, b: OpenStep, recordingOfA: string, recordingOfB: string): Match {
  const recordsOfB = recordsByName(b, recordingOfB);
  const { tensors } = a.content.layout;
  const pairs: Pair[] = [];
  let onlyInA = 0;
  for (const record of recordsOf(a, recordingOfA)) {
    const k = record.tensor;
    const other = recordsOfB.get(tensors.iteration[k]!)?.get(tensors.name[k]!);
    if (other === undefined) {
      onlyInA += 1;
    } else {
      pairs.push({
        iteration: tensors.iteration[k]!,
        node: tensors.node[k]!,
        role: tensors.role[k]!,
        name: tensors.name[k]!,
        a: record,
        b: other,
      });
    }
  }
  const items = new Set(pairs.flatMap((pair) => pair.a.items.filter((item) => pair.b.items.includes(item))));
  const countOfB = [...recordsOfB.values()].reduce((sum, { size }) => sum + size, 0);
  return { pairs: inOrder(pairs, a), onlyInA, onlyInB: countOfB - pairs.length, items: [...items] };
}

/** A tensor of no iteration is where the first graph has it. */
function inOrder(pairs: readonly Pair[], { graphs }: OpenStep): Pair[] {
  // Names alone as keys: putting an iteration before each of 20,000 takes a third of a second.
  const first = new Map<string, number>();
  const order = new Map([[-1, first]]);
  let count = 0;
  for (const [iteration, { nodes }] of graphs.entries()) {
    const own = new Map<string, number>();
    order.set(iteration, own);
    for (const node of nodes.name) {
      own.set(node, count);
      if (!first.has(node)) {
        first.set(node, count);
      }
      count += 1;
    }
  }
  const rank = (pair: Pair): number => order.get(pair.iteration)?.get(pair.node) ?? Infinity;
  const ranked = pairs.map((pair, k) => ({ pair, k, rank: rank(pair) }));
  return ranked.sort((x, y) => (x.rank === y.rank ? x.k - y.k : x.rank - y.rank)).map(({ pair }) => pair);
}

/** The chunks with the statistics of all pairs. */
export function chunksOf(matched: Match, a: OpenStep, b: OpenStep, aggregation: number): number[] {
  const all = (numbers: Numbers): number[] => numbers.chunks(0, numbers.length);
  return matched.pairs.flatMap((pair) => [...all(statisticsOf(a, pair.a, aggregation)), ...all(statisticsOf(b, pair.b, aggregation))]);
}

/** The tensors whose statistics differ; null while not all of them are loaded. */
export function* findDiffering(matched: Match, a: OpenStep, b: OpenStep, criterion: Criterion): Work<Findings | null> {
  const { statistic, aggregation, tolerance } = criterion;
  const differing: DifferingTensor[] = [];
  for (const [k, pair] of matched.pairs.entries()) {
    if (k % AT_A_TIME === AT_A_TIME - 1) {
      yield;
    }
    const [first, second] = [statisticsOf(a, pair.a, aggregation), statisticsOf(b, pair.b, aggregation)];
    for (const item of pair.a.items) {
      const place = pair.b.items.indexOf(item);
      if (place < 0 || (statistic !== null && item !== statistic && item !== SINGLE_VALUE)) {
        continue;
      }
      const [x, y] = [first.at(pair.a.items.indexOf(item)), second.at(place)];
      if (x === undefined || y === undefined) {
        return null;
      }
      if (differs(x, y, tolerance)) {
        differing.push({ iteration: pair.iteration, node: pair.node, role: pair.role, item, a: x, b: y });
        break;
      }
    }
  }
  return { compared: matched.pairs.length, differing };
}

/** The largest relative difference first: what is not finite on one side alone, then by the larger magnitude; else as they were. */
export function byRelativeDifference(differing: readonly DifferingTensor[]): DifferingTensor[] {
  const sizes = new Map(differing.map((tensor) => [tensor, relative(tensor)]));
  return [...differing].sort((x, y) => (sizes.get(x) === sizes.get(y) ? 0 : sizes.get(y)! - sizes.get(x)!));
}

function relative({ a, b }: DifferingTensor): number {
  const size = Math.abs(differenceOf(a, b)) / Math.max(Math.abs(Number(a)), Math.abs(Number(b)));
  return Number.isNaN(size) ? Infinity : size;
}

function statisticsOf(open: OpenStep, record: TensorRecord, aggregation: number): Numbers {
  return open.content.numbers.statistics(record, record.hasBatch ? aggregation : 0);
}

function recordsOf(open: OpenStep, recording: string): Iterable<TensorRecord> {
  return open.content.table.byGroup.get(recording)?.values() ?? [];
}

/** By iteration, then by name. */
function recordsByName(open: OpenStep, recording: string): Map<number, Map<string, TensorRecord>> {
  const { tensors } = open.content.layout;
  const records = new Map<number, Map<string, TensorRecord>>();
  for (const record of recordsOf(open, recording)) {
    const iteration = tensors.iteration[record.tensor]!;
    const own = records.get(iteration) ?? new Map<string, TensorRecord>();
    records.set(iteration, own.set(tensors.name[record.tensor]!, record));
  }
  return records;
}
