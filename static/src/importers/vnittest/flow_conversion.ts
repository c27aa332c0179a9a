/** The gradient flows: those that the files hold, and the estimates that vnittest would make. */

import { FLOW_CHUNK_BYTES, type StoredFlow, type StoredFlowLayer, type StoredFlowPair } from "../../data/format/types";
import { productOf } from "../pickles/numpy_array";
import { countOf } from "./arrays";
import type { BundleWriter } from "./bundle_writer";
import { type Gap, hasPlanes, MOST_FLOWS, type VnittestData, type VnittestPair } from "./checking";
import type { Layer, Tensor } from "./layers";
import {
  chainRuleEstimate,
  linksToNeighbours,
  type Rows,
  rowsOfLinks,
  rowsOfMatrix,
  strongestOf,
  sumsOfRows,
  transposed,
  vnittestEstimate,
} from "./sparse_flows";

type Named = readonly [name: string, method: string];
const GIVEN: Named = ["gradient flow", "given"];
const NEIGHBOURS: Named = ["gradient flow to neighbours", "vnittest_neighbours"];
const CHAIN_RULE: Named = ["gradient flow by the chain rule", "chain_rule_estimate"];
const VNITTEST: Named = ["gradient flow as vnittest estimates it", "vnittest_estimate"];

const STRONGEST = 256;

interface FoundFlow {
  named: Named;
  pairs: { source: number; target: number; rows: Rows }[];
}

/** A flow per method: what is given, links to neighbours, and both estimates where vnittest would estimate. */
export function flowsOf(data: VnittestData, gaps: Gap[]): FoundFlow[] {
  const byName = new Map<Named, FoundFlow>();
  let left = MOST_FLOWS;
  const takes = (count: number): boolean => {
    left -= count;
    return left >= 0;
  };
  const add = (named: Named, { source, target }: VnittestPair, rows: Rows): void => {
    const flow = byName.get(named) ?? { named, pairs: [] };
    flow.pairs.push({ source, target, rows });
    byName.set(named, flow);
  };
  for (const pair of data.pairs) {
    const [source, target] = [data.layers[pair.source]!, data.layers[pair.target]!];
    const between = `flows from ${source.name} to ${target.name}`;
    if (pair.flows !== null && "links" in pair.flows) {
      add(GIVEN, pair, rowsOfLinks(pair.flows.links, productOf(source.shape)));
      continue;
    }
    if (pair.flows !== null) {
      if (!takes(countOf(pair.flows.matrix.numbers, (flow) => flow !== 0))) {
        gaps.push({ layer: null, reason: `the ${between} are too many for a page; comgra-export import vnittest takes them.` });
      } else {
        add(GIVEN, pair, rowsOfMatrix(pair.flows.matrix));
      }
      continue;
    }
    const [s, t] = [source.gradients?.numbers(), target.gradients?.numbers()];
    if (s === undefined || t === undefined) {
      gaps.push({ layer: null, reason: `without gradients of both layers there is no estimate of the ${between}.` });
    } else if (data.isExplicit && hasPlanes(source.shape) && (hasPlanes(target.shape) || productOf(target.shape.slice(0, -2)) === 1)) {
      add(NEIGHBOURS, pair, linksToNeighbours(s, source.shape, target.shape));
    } else if (!takes(2 * s.length * t.length)) {
      gaps.push({ layer: null, reason: `the ${between} are too many to be estimated in a page; comgra-export import vnittest does.` });
    } else {
      add(CHAIN_RULE, pair, chainRuleEstimate(s, t));
      add(VNITTEST, pair, vnittestEstimate(s, t));
    }
  }
  return byName.size === 0 ? [{ named: GIVEN, pairs: [] }] : [...byName.values()];
}

export function writeFlow(
  writer: BundleWriter,
  [name, method]: Named,
  layers: readonly Layer[],
  firstLayer: number,
  pairs: FoundFlow["pairs"],
): StoredFlow {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let elements = 0;
  /** Where an array of four-byte elements begins. */
  const put = (array: Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>): number => {
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    elements += array.length;
    return elements - array.length;
  };
  const storedLayers = layers.map(({ name: of, shape, role, tensor }): StoredFlowLayer => {
    const start = (group: Tensor["group"]): number => (tensor?.group === group ? put(Float32Array.from(tensor.numbers)) : -1);
    return {
      name: of,
      shape: [...shape],
      role,
      record_name: tensor?.name ?? null,
      record_iteration: tensor === null ? null : 0,
      values: start("forward"),
      gradients: start("gradients"),
    };
  });
  const storedPairs = pairs.map(({ source, target, rows }): StoredFlowPair => {
    const [from, to] = [firstLayer + source, firstLayer + target];
    const columns = transposed(rows, productOf(layers[to]!.shape));
    const strongest = strongestOf(rows, STRONGEST);
    const finite = rows.flows.filter(Number.isFinite);
    const sum = (sign: number): number => finite.reduce((total, flow) => (flow * sign > 0 ? total + flow : total), 0);
    const numbers = layers[from]!.tensor?.numbers;
    const sums = sumsOfRows(rows);
    return {
      from,
      to,
      count: [rows.flows.length],
      positive: [sum(1)],
      negative: [sum(-1)],
      largest: [finite.reduce((most, flow) => Math.max(most, Math.abs(flow)), 0)],
      non_finite: [rows.flows.length - finite.length],
      computed: -1,
      residuals: numbers === undefined || method === NEIGHBOURS[1] ? -1 : put(Float32Array.from(sums, (total, k) => numbers[k]! - total)),
      by_source: { starts: put(rows.starts), others: put(rows.others), flows: put(rows.flows) },
      by_target: { starts: put(columns.starts), others: put(columns.others), flows: put(columns.flows) },
      strongest: {
        sources: put(strongest.sources),
        targets: put(strongest.targets),
        flows: put(strongest.flows),
        count: [strongest.flows.length],
      },
    };
  });
  return {
    step: 0,
    iteration: 0,
    name,
    method,
    samples: [],
    lane4: writer.lane(parts, 4, FLOW_CHUNK_BYTES),
    layers: storedLayers,
    pairs: storedPairs,
  };
}
