/** The step: what is recorded of each tensor, and the graph. */

import { elementType } from "../../data/arrays/numbers";
import { LANE_WIDTHS, type LaneWidth } from "../../data/format/types";
import { arraysOf } from "./arrays";
import type { BundleWriter } from "./bundle_writer";
import type { VnittestData } from "./checking";
import type { Tensor } from "./layers";

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
export function writeStep(
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
