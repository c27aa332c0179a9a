/** Reads and checks the list of gradient flows, which says where the numbers of each lie in its lane. */

import { checkLane } from "../arrays/lanes";
import { column, fail, integer, list, number, object, oneOf, orNull, text } from "../format/checks";
import {
  type ChunkTable,
  FLOW_CHUNK_BYTES,
  FLOW_ROLES,
  type FlowRows,
  type StoredFlow,
  type StoredFlowLayer,
  type StoredFlowPair,
} from "../format/types";
import { elementsOf, samplesOf, total } from "./flows";

const WIDTH = 4;

/** More elements than this, or more samples, do not fit into the integers that name them. */
const MOST = 2 ** 31 - 1;

/** Reads the list, as distrustfully as the index: every number that it promises lies within the lane of its flow. */
export function parseFlows(value: unknown, chunks: ChunkTable, where: string): StoredFlow[] {
  return list((item, place) => parseFlow(item, chunks, place))(value, where);
}

function parseFlow(value: unknown, chunks: ChunkTable, where: string): StoredFlow {
  const root = object(value, where);
  const samples = list(integer(0))(root.samples, `${where}.samples`);
  const layers = list(parseLayer)(root.layers, `${where}.layers`);
  const flow: StoredFlow = {
    step: integer(0)(root.step, `${where}.step`),
    iteration: integer(0)(root.iteration, `${where}.iteration`),
    name: text(root.name, `${where}.name`),
    method: text(root.method, `${where}.method`),
    samples,
    lane4: integer(-1, chunks.bytes.length - 1)(root.lane4, `${where}.lane4`),
    layers,
    pairs: list((item, place) => parsePair(item, layers.length, samplesOf({ samples }), place))(root.pairs, `${where}.pairs`),
  };
  layers.forEach((layer, k) => {
    if (!(elementsOf(layer) * samplesOf(flow) < MOST)) {
      fail(`${where}.layers[${k}].shape`, "smaller");
    }
  });
  checkLane(WIDTH, Math.max(0, ...arraysOf(flow).map(([start, count]) => start + count)) * WIDTH, flow.lane4, chunks, FLOW_CHUNK_BYTES);
  return flow;
}

function parseLayer(value: unknown, where: string): StoredFlowLayer {
  const layer = object(value, where);
  return {
    name: text(layer.name, `${where}.name`),
    shape: list(integer(0, MOST))(layer.shape, `${where}.shape`),
    role: oneOf(FLOW_ROLES)(layer.role, `${where}.role`),
    record_name: orNull(text)(layer.record_name, `${where}.record_name`),
    record_iteration: orNull(integer(-1))(layer.record_iteration, `${where}.record_iteration`),
    values: integer(-1)(layer.values, `${where}.values`),
    gradients: integer(-1)(layer.gradients, `${where}.gradients`),
  };
}

function parsePair(value: unknown, layers: number, samples: number, where: string): StoredFlowPair {
  const pair = object(value, where);
  const from = integer(0, layers - 2)(pair.from, `${where}.from`);
  const sums = (key: string): number[] => column(number, samples)(pair[key], `${where}.${key}`);
  const counts = (of: Record<string, unknown>, key: string, place: string): number[] => {
    const perSample = column(integer(0, MOST), samples)(of[key], `${place}.${key}`);
    return perSample.reduce((sum, count) => sum + count, 0) <= MOST ? perSample : fail(`${place}.${key}`, "smaller");
  };
  const start = (of: Record<string, unknown>, key: string, place: string): number => integer(0)(of[key], `${place}.${key}`);
  const rows = (key: string): FlowRows => {
    const place = `${where}.${key}`;
    const stored = object(pair[key], place);
    return { starts: start(stored, "starts", place), others: start(stored, "others", place), flows: start(stored, "flows", place) };
  };
  const strongest = object(pair.strongest, `${where}.strongest`);
  const place = `${where}.strongest`;
  return {
    from,
    to: integer(from + 1, layers - 1)(pair.to, `${where}.to`),
    count: counts(pair, "count", where),
    positive: sums("positive"),
    negative: sums("negative"),
    largest: sums("largest"),
    non_finite: counts(pair, "non_finite", where),
    computed: integer(-1)(pair.computed, `${where}.computed`),
    residuals: integer(-1)(pair.residuals, `${where}.residuals`),
    by_source: rows("by_source"),
    by_target: rows("by_target"),
    strongest: {
      sources: start(strongest, "sources", place),
      targets: start(strongest, "targets", place),
      flows: start(strongest, "flows", place),
      count: counts(strongest, "count", place),
    },
  };
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
