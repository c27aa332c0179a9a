/** Which tensors of two steps differ, in the order of the graph. */

import type { Value } from "../../../data/arrays/numbers";
import type { TensorRecord } from "../../../data/records/record_offsets";
import type { OpenStep } from "../../../state/selection/open_step";
import { differs } from "./difference";

/** A tensor that both steps have, with its record in each. */
interface Pair {
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

/** Matches the tensors of a recording type by name and iteration, in the order of A's graphs. */
export function match(a: OpenStep, b: OpenStep, recordingOfA: string, recordingOfB: string): Match {
  const recordsOfB = recordsByName(b, recordingOfB);
  const total = recordsOfB.size;
  const pairs: Pair[] = [];
  let onlyInA = 0;
  for (const [key, { record, iteration, name }] of recordsByName(a, recordingOfA)) {
    const other = recordsOfB.get(key);
    const place = placeOf(a, record.tensor, iteration);
    if (other === undefined) {
      onlyInA += 1;
    } else if (place !== undefined) {
      pairs.push({ ...place, name, a: record, b: other.record });
    }
  }
  const nodes = a.graphs.flatMap((graph, iteration) => graph.nodes.name.map((node) => `${iteration}/${node}`));
  const order = new Map(nodes.map((node, position) => [node, position]));
  const rank = (pair: Pair): number => order.get(`${pair.iteration}/${pair.node}`) ?? Infinity;
  return { pairs: pairs.sort((x, y) => rank(x) - rank(y)), onlyInA, onlyInB: total - pairs.length };
}

/** The chunks with the statistics of all pairs. */
export function chunksOf(matched: Match, a: OpenStep, b: OpenStep): number[] {
  return matched.pairs.flatMap((pair) => [...statisticsOf(a, pair.a).chunks, ...statisticsOf(b, pair.b).chunks]);
}

/** The tensors whose statistics differ; undefined while not all of them are loaded. */
export function findDiffering(matched: Match, a: OpenStep, b: OpenStep, tolerance: number): Findings | undefined {
  const differing: DifferingTensor[] = [];
  for (const pair of matched.pairs) {
    const [first, second] = [statisticsOf(a, pair.a), statisticsOf(b, pair.b)];
    const items = pair.a.items.filter((item) => pair.b.items.includes(item));
    for (const item of items) {
      const [x, y] = [first.at(item), second.at(item)];
      if (x === undefined || y === undefined) {
        return undefined;
      }
      if (differs(x, y, tolerance)) {
        differing.push({ iteration: pair.iteration, node: pair.node, role: pair.role, item, a: x, b: y });
        break;
      }
    }
  }
  return { compared: matched.pairs.length, differing };
}

/** The statistics of a record: the means over the batch, where it has one. */
function statisticsOf(open: OpenStep, record: TensorRecord): { at: (item: string) => Value | undefined; chunks: number[] } {
  const numbers = open.content.numbers.statistics(record, 0);
  return { at: (item) => numbers.at(record.items.indexOf(item)), chunks: numbers.chunks(0, numbers.length) };
}

function recordsByName(open: OpenStep, recording: string): Map<string, { record: TensorRecord; iteration: number; name: string }> {
  const { tensors } = open.content.layout;
  const records = [...(open.content.table.byGroup.get(recording)?.values() ?? [])];
  return new Map(
    records.map((record) => {
      const [name, iteration] = [tensors.name[record.tensor]!, tensors.iteration[record.tensor]!];
      return [`${iteration}/${name}`, { record, iteration, name }];
    }),
  );
}

/** Where a tensor is shown: in its own iteration, or, where it belongs to none, in the first one that shows it. */
function placeOf(open: OpenStep, tensor: number, iteration: number): { iteration: number; node: string; role: string } | undefined {
  const iterations = iteration >= 0 ? [iteration] : open.graphs.keys();
  for (const candidate of iterations) {
    const offer = open.offers.of(candidate).find((offered) => offered.tensor === tensor);
    if (offer !== undefined) {
      return { iteration: candidate, node: offer.node, role: offer.role };
    }
  }
  return undefined;
}
