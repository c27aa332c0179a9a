/** Tensors that both sides have, and that are not of one kind: computed by another operation, of another shape or dtype, in another function. */

import type { Layout } from "../../../data/format/types";
import type { Kind, KindDifference, Seen, Side } from "./difference";

/** What can differ of a tensor, and what a layout says of it; undefined if it says nothing. */
type Property = readonly [kind: Kind, seen: (layout: Layout, row: number) => Seen];

const PROPERTIES: readonly Property[] = [
  ["operation", operationOf],
  ["shape", shapeOf],
  ["dtype", ({ tensors }, row) => tensors.dtype[row]],
  ["code", functionOf],
];

/** Stands for no operation, and for no known function. */
const NONE = "none";

/** In the order of computation, which is that of the layout. What is the same in several iterations is listed once. */
export function differingTensors(a: Side, b: Side): KindDifference[] {
  const [layout, other] = [a.open.content.layout, b.open.content.layout];
  if (layout === other && a.iteration === b.iteration) {
    return [];
  }
  const pairs = pairsOf(a, b);
  return PROPERTIES.flatMap(([kind, seen]) => {
    // An earlier version of the recorder did not record some of it of any tensor.
    const isRecorded = [layout, other].every((side) => side.tensors.name.some((_, row) => seen(side, row) !== undefined));
    const differing = new Map<string, KindDifference & { iterations: number[] }>();
    for (const [row, otherRow] of isRecorded ? pairs : []) {
      const [own, others] = [seen(layout, row) ?? NONE, seen(other, otherRow) ?? NONE];
      if (own !== others) {
        const { name, iteration, node, role } = layout.tensors;
        const key = JSON.stringify([node[row], role[row], own, others]);
        const place = {
          iteration: iteration[row]! < 0 ? null : iteration[row]!,
          node: node[row]!,
          role: role[row]!,
        };
        const first = differing.get(key) ?? { kind, name: name[row]!, a: own, b: others, place, iterations: [] };
        first.iterations.push(iteration[row]!);
        differing.set(key, first);
      }
    }
    return [...differing.values()];
  });
}

/** The rows of the tensors that both have: those of the same iteration, or, if the sides show different ones, those of the two that are shown. */
function pairsOf(a: Side, b: Side): [number, number][] {
  const [{ tensors }, { tensors: others }] = [a.open.content.layout, b.open.content.layout];
  const rows = new Map(others.name.map((name, row) => [`${others.iteration[row]}/${name}`, row]));
  return tensors.name.flatMap((name, row): [number, number][] => {
    const iteration = tensors.iteration[row]!;
    const isCompared = iteration < 0 || a.iteration === b.iteration || iteration === a.iteration;
    const counterpart = iteration < 0 || a.iteration === b.iteration ? iteration : b.iteration;
    const otherRow = isCompared ? rows.get(`${counterpart}/${name}`) : undefined;
    return otherRow === undefined ? [] : [[row, otherRow]];
  });
}

/** `Addmm`: autograd's name without its ending. */
function operationOf({ tensors }: Layout, row: number): Seen {
  return tensors.operation[row]?.replace(/Backward\d*$/, "");
}

/** `batch × 64`: how large a batch is does not matter here. */
function shapeOf({ tensors }: Layout, row: number): Seen {
  const sizes = tensors.shape[row]!.map((size, axis) => (axis === tensors.batch_dimension[row] ? "batch" : size));
  return sizes.length === 0 ? "scalar" : sizes.join(" \u00d7 ");
}

/** Lines move whenever something is written above them, so that they do not count. */
function functionOf({ tensors, sources }: Layout, row: number): Seen {
  const source = sources[tensors.source[row] ?? -1];
  return source && `${source.function} in ${source.file}`;
}
