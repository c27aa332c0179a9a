/** Reads and checks the list of gradient flows, which says where the numbers of each lie in its lane. */

import { checkLane } from "../arrays/lanes";
import { fail, integer, list, record } from "../format/checks";
import { type ChunkTable, FLOW_CHUNK_BYTES, MOST_ELEMENTS, type StoredFlow, storedFlow, storedPair } from "../format/types";
import { elementsOf, samplesOf, total } from "./flows";

const WIDTH = 4;

/** Reads the list, as distrustfully as the index: every number that it promises lies within the lane of its flow. */
export function parseFlows(value: unknown, chunks: ChunkTable, where: string): StoredFlow[] {
  return list((item, place) => parseFlow(item, chunks, place))(value, where);
}

function parseFlow(value: unknown, chunks: ChunkTable, where: string): StoredFlow {
  const known = storedFlow(integer(-1, chunks.bytes.length - 1))(value, where);
  const { layers } = known;
  const flow = { ...known, ...record({ pairs: list(storedPair(layers.length, samplesOf(known))) })(value, where) };
  layers.forEach((layer, k) => {
    if (!(elementsOf(layer) * samplesOf(flow) < MOST_ELEMENTS)) {
      fail(`${where}.layers[${k}].shape`, "smaller");
    }
  });
  checkLane(WIDTH, Math.max(0, ...arraysOf(flow).map(([start, count]) => start + count)) * WIDTH, flow.lane4, chunks, FLOW_CHUNK_BYTES);
  return flow;
}

/** All arrays in the lane of a flow: where each begins, and how many elements it has. */
function arraysOf(flow: StoredFlow): [start: number, count: number][] {
  const elements = flow.layers.map((layer) => elementsOf(layer) * samplesOf(flow));
  const known = (start: number, count: number): [number, number][] => (start < 0 ? [] : [[start, count]]);
  return [
    ...flow.layers.flatMap(({ values, gradients }, k) => [...known(values, elements[k]!), ...known(gradients, elements[k]!)]),
    ...flow.pairs.flatMap(
      ({ from, to, count, computed, residuals, by_source: bySource, by_target: byTarget, strongest }): [number, number][] => {
        const [flows, shown] = [total(count), total(strongest.count)];
        return [
          ...known(computed, elements[to]!),
          ...known(residuals, elements[from]!),
          [bySource.starts, elements[from]! + 1],
          [bySource.others, flows],
          [bySource.flows, flows],
          [byTarget.starts, elements[to]! + 1],
          [byTarget.others, flows],
          [byTarget.flows, flows],
          [strongest.sources, shown],
          [strongest.targets, shown],
          [strongest.flows, shown],
        ];
      },
    ),
  ];
}
