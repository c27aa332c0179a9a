/** The data of vnittest as the data of a page: one trial with one step, its tensors and its gradient flows. */

import { elementType } from "../../data/arrays/numbers";
import {
  type Dtype,
  FLOW_CHUNK_BYTES,
  LANE_WIDTHS,
  type LaneWidth,
  type StoredFlow,
  type StoredFlowLayer,
  type StoredFlowPair,
  type TensorType,
} from "../../data/format/types";
import type { ReportFile } from "../../data/report_file";
import { productOf } from "../pickles/numpy_array";
import { BundleWriter, joined } from "./bundle_writer";
import { type Gap, hasPlanes, MOST_FLOWS, type VnittestData, type VnittestPair } from "./checking";
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

/** A tensor with its numbers, as they are and as little-endian bytes of its dtype. */
interface Tensor {
  name: string;
  type: TensorType;
  group: "forward" | "gradients";
  dtype: Dtype;
  shape: readonly number[];
  numbers: Float64Array;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A layer of the flows. The numbers are those of its tensor, which may be missing. */
interface Layer {
  name: string;
  shape: readonly number[];
  role: "input" | "layer" | "target";
  tensor: Tensor | null;
}

type Named = readonly [name: string, method: string];
const GIVEN: Named = ["gradient flow", "given"];
const NEIGHBOURS: Named = ["gradient flow to neighbours", "vnittest_neighbours"];
const CHAIN_RULE: Named = ["gradient flow by the chain rule", "chain_rule_estimate"];
const VNITTEST: Named = ["gradient flow as vnittest estimates it", "vnittest_estimate"];

const STRONGEST = 256;
const WIDE: readonly Dtype[] = ["F64", "I64", "I32", "U64", "U32"];

/** `title` is that of the page, and the name of the trial. */
export function pageOf(data: VnittestData, title: string): ReportFile {
  const gaps = [...data.gaps];
  const writer = new BundleWriter();
  const layers = layersOf(data, gaps);
  const tensors = layers.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
  const firstLayer = layers.findIndex(({ role }) => role === "layer");
  const flows = flowsOf(data, gaps).map(({ named, pairs }) => writeFlow(writer, named, layers, firstLayer, pairs));
  const step = writeStep(writer, data, tensors, gaps.length);
  const document = (content: unknown): number => writer.document(content);
  return writer.finish({
    generator: "this page, of files for vnittest",
    title,
    description: "",
    group: "vnittest",
    ...step.sets,
    trials: [
      {
        name: title,
        rank: 0,
        steps: step.columns,
        network: document({ modules: [], parameters: [], optimizers: null }),
        notes: document([]),
        curves: document([]),
        findings: -1,
        gaps: document(gaps.map(({ layer, reason }) => ({ step: 0, iteration: null, group: null, tensor: layer, reason }))),
        flows: document(flows),
      },
    ],
    about: { recordings: [{ trial: title, writer: "files for vnittest" }], omissions: [], problems: [] },
  });
}

function layersOf(data: VnittestData, gaps: Gap[]): Layer[] {
  const names = data.layers.map(({ name }) => name);
  const layers = data.layers.map(({ name, shape, gradients }, place): Layer => {
    const numbers = gradients?.numbers() ?? sumsOfFlows(data.pairs, place);
    if (gradients === null) {
      const instead = numbers === null ? "and no flows to take sums of" : "those shown are the sums of its flows";
      gaps.push({ layer: name, reason: `the files have no gradients of it; ${instead}.` });
    }
    const bytes = gradients?.littleEndianBytes() ?? new Uint8Array(Float32Array.from(numbers ?? []).buffer);
    const tensor: Tensor | null = numbers && {
      name,
      type: "calculated",
      group: "gradients",
      dtype: gradients?.dtype ?? "F32",
      shape,
      numbers,
      bytes,
    };
    return { name, shape, role: "layer", tensor };
  });
  const picture = (role: "input" | "target"): Layer[] => {
    const array = data[role];
    if (array === null) {
      return [];
    }
    const name = names.includes(role) ? `${role} 2` : role;
    const tensor: Tensor = {
      name,
      type: role,
      group: "forward",
      dtype: array.dtype,
      shape: array.shape,
      numbers: array.numbers(),
      bytes: array.littleEndianBytes(),
    };
    return [{ name, shape: array.shape, role, tensor }];
  };
  return [...picture("input"), ...layers, ...picture("target")];
}

/** Of a layer without gradients: what leaves it, or else what comes in, as vnittest takes it. */
function sumsOfFlows(pairs: readonly VnittestPair[], place: number): Float64Array<ArrayBuffer> | null {
  for (const end of ["source", "target"] as const) {
    for (const pair of pairs) {
      if (pair[end] === place && pair.flows !== null && "matrix" in pair.flows) {
        const { shape, numbers } = pair.flows.matrix;
        const sums = new Float64Array(shape[end === "source" ? 0 : 1]!);
        numbers.forEach((number, k) => (sums[end === "source" ? Math.floor(k / shape[1]!) : k % shape[1]!]! += number));
        return sums;
      }
    }
  }
  return null;
}

interface FoundFlow {
  named: Named;
  pairs: { source: number; target: number; rows: Rows }[];
}

/** A flow per method: what is given, links to neighbours, and both estimates where vnittest would estimate. */
function flowsOf(data: VnittestData, gaps: Gap[]): FoundFlow[] {
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

function writeFlow(
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

interface Members {
  name: "forward" | "gradients";
  tensors: number[];
}

/** What is recorded of each tensor. */
function layoutOf(tensors: readonly Tensor[], groups: readonly Members[]): unknown {
  const all = <T>(of: (tensor: Tensor) => T): T[] => tensors.map(of);
  return {
    tensors: {
      name: all(({ name }) => name),
      iteration: all(() => 0),
      node: all(({ name }) => name),
      role: all(({ name }) => name),
      type: all(({ type }) => type),
      kind: all(() => "neuron"),
      dtype: all(({ dtype }) => dtype),
      stored: all(({ dtype }) => dtype),
      shape: all(({ shape }) => shape),
      batch_dimension: all(() => null),
      samples: all(() => 0),
    },
    groups,
  };
}

/** The graph of the tensors. */
function structureOf(data: VnittestData, tensors: readonly Tensor[]): unknown {
  const all = <T>(of: (tensor: Tensor) => T): T[] => tensors.map(of);
  const place = new Map(tensors.map(({ name }, k) => [name, k]));
  const edges = data.pairs.flatMap(({ source, target }) => {
    const ends = [place.get(data.layers[source]!.name), place.get(data.layers[target]!.name)];
    return ends[0] === undefined || ends[1] === undefined ? [] : [ends as [number, number]];
  });
  return {
    nodes: {
      name: all(({ name }) => name),
      type: all(({ type }) => type),
      label: all(({ name }) => name),
      column: all((tensor) => tensors.indexOf(tensor)),
      row: all(() => 0),
    },
    columns: { heading: all(() => "") },
    tensors: {
      name: all(({ name }) => name),
      node: all((tensor) => tensors.indexOf(tensor)),
      role: all(({ name }) => name),
      record_name: all(({ name }) => name),
      record_iteration: all(() => 0),
    },
    from: edges.map(([from]) => from),
    to: edges.map(([, to]) => to),
  };
}

/** The step's columns, and the parts of the index that they name. */
function writeStep(
  writer: BundleWriter,
  data: VnittestData,
  tensors: readonly Tensor[],
  gaps: number,
): { columns: Record<string, unknown[]>; sets: Record<string, unknown> } {
  const groups = (["forward", "gradients"] as const)
    .map((name) => ({ name, tensors: tensors.flatMap((tensor, k) => (tensor.group === name ? [k] : [])) }))
    .filter(({ name, tensors: members }) => name === "forward" || members.length > 0);
  const layout = writer.document([layoutOf(tensors, groups)]);
  const structure = writer.document([structureOf(data, tensors)]);
  const records = groups.flatMap(({ tensors: members }) => members.map((k) => tensors[k]!));
  const arrays = arraysOf(records);
  const lane = (width: LaneWidth): number =>
    writer.lane(
      arrays.filter(({ dtype }) => elementType(dtype).width === width).map(({ bytes }) => bytes),
      width,
    );
  const lanes = Object.fromEntries(LANE_WIDTHS.map((width) => [`lane${width}`, [lane(width)]]));
  return {
    columns: {
      step: [0],
      type: [writer.text("vnittest")],
      batch_size: [1],
      time: [null],
      layout: [0],
      structure_set: [0],
      sample_set: [0],
      array_set: [0],
      ...lanes,
      gaps: [gaps],
    },
    sets: {
      array_sets: [
        {
          name: arrays.map(({ name }) => writer.text(name)),
          dtype: arrays.map(({ dtype }) => writer.text(dtype)),
          count: arrays.map(({ bytes, dtype }) => bytes.length / elementType(dtype).width),
        },
      ],
      sample_sets: [{ index: [], label: [] }],
      structure_sets: [[0]],
      layouts: { chunk: [layout], position: [0] },
      structures: { chunk: [structure], position: [0] },
    },
  };
}

/** The arrays of a step in the order of the format: by kind, then dtype; none that is empty. */
function arraysOf(records: readonly Tensor[]): { name: string; dtype: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const precision = ({ dtype }: Tensor): "F64" | "F32" => (WIDE.includes(dtype) ? "F64" : "F32");
  const counts = Int32Array.from(
    records.flatMap(({ numbers }) => [
      countOf(numbers, Number.isNaN),
      countOf(numbers, (x) => x === Infinity),
      countOf(numbers, (x) => x === -Infinity),
      countOf(numbers, (x) => x === 0),
      0,
    ]),
  );
  const floats = (
    name: string,
    of: (numbers: Float64Array) => number[],
  ): { name: string; dtype: string; bytes: Uint8Array<ArrayBuffer> }[] =>
    (["F32", "F64"] as const).map((dtype) => {
      const byName = records.filter((record) => precision(record) === dtype).flatMap(({ numbers }) => of(numbers));
      const array = dtype === "F32" ? Float32Array.from(byName) : Float64Array.from(byName);
      return { name: `${name}.${dtype}`, dtype, bytes: new Uint8Array(array.buffer) };
    });
  const dtypes = [...new Set(records.map(({ dtype }) => dtype))].sort();
  const values = dtypes.map((dtype) => ({
    name: `values.${dtype}`,
    dtype,
    bytes: joined(records.filter((record) => record.dtype === dtype).map(({ bytes }) => bytes)),
  }));
  const all = [
    { name: "counts", dtype: "I32", bytes: new Uint8Array(counts.buffer) },
    ...floats("extrema", extremaOf),
    ...floats("statistics", statisticsOf),
    ...values,
  ];
  return all.filter(({ bytes }) => bytes.length > 0);
}

function countOf(numbers: Float64Array, is: (number: number) => boolean): number {
  return numbers.reduce((count, number) => count + Number(is(number)), 0);
}

function extremaOf(numbers: Float64Array): number[] {
  const finite = numbers.filter(Number.isFinite);
  return finite.length === 0
    ? [NaN, NaN]
    : [finite.reduce((least, number) => Math.min(least, number)), finite.reduce((most, number) => Math.max(most, number))];
}

/** Mean, mean magnitude, unbiased standard deviation (0 of a single number) and largest magnitude. */
function statisticsOf(numbers: Float64Array): number[] {
  const count = numbers.length;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / count;
  const magnitudes = numbers.map(Math.abs);
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return [
    mean,
    magnitudes.reduce((sum, number) => sum + number, 0) / count,
    count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
    magnitudes.reduce((most, number) => Math.max(most, number), 0),
  ];
}
