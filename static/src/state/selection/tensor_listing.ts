/** Stands in for a dependency graph that was not recorded: the tensors of the iteration in a column per type, without connections. */

import { type Graph, type Layout, TENSOR_TYPES } from "../../data/format/types";

/** The graph of every iteration; where one is missing, a listing. Without any graphs, iterations are those of the tensors. */
export function graphsToShow(layout: Layout, graphs: readonly (Graph | null)[]): Graph[] {
  const last = layout.tensors.iteration.reduce((largest, iteration) => Math.max(largest, iteration), -1);
  const count = graphs.length > 0 ? graphs.length : layout.tensors.name.length > 0 ? Math.max(1, Math.min(last + 1, LONGEST_LISTING)) : 0;
  return Array.from({ length: count }, (_, iteration) => graphs[iteration] ?? listing(layout, iteration));
}

/** Iterations that are listed at most without a graph; a damaged number must not make the page build millions of them. */
const LONGEST_LISTING = 10_000;

/** The tensors of an iteration, and those that belong to none, as a graph without connections. */
export function listing(layout: Layout, iteration: number): Graph {
  const { tensors } = layout;
  const rows = tensors.name.map((_, k) => k).filter((k) => tensors.iteration[k] === iteration || tensors.iteration[k] === -1);
  const typeOf = new Map(rows.map((k) => [tensors.node[k]!, tensors.type[k]!]));
  const columns = TENSOR_TYPES.map((type) =>
    [...typeOf]
      .filter(([, own]) => own === type)
      .map(([node]) => node)
      .sort(),
  ).filter((column) => column.length > 0);
  const names = columns.flat();
  const position = new Map(names.map((name, k) => [name, k]));
  return {
    nodes: {
      name: names,
      type: names.map((name) => typeOf.get(name)!),
      label: names,
      column: columns.flatMap((column, k) => column.map(() => k)),
      row: columns.flatMap((column) => column.map((_, row) => row)),
    },
    columns: { heading: columns.map(() => "") },
    tensors: {
      name: rows.map((k) => tensors.name[k]!),
      node: rows.map((k) => position.get(tensors.node[k]!)!),
      role: rows.map((k) => tensors.role[k]!),
      record_name: rows.map((k) => tensors.name[k]!),
      record_iteration: rows.map((k) => tensors.iteration[k]!),
    },
    from: [],
    to: [],
    without_gradient: [],
    not_known: { tensor: [], reason: [] },
  };
}
