/** Which nodes are left out of the drawing: those of hidden types, and those whose names begin otherwise than asked for. */

import { type Graph, TENSOR_TYPES, type TensorType } from "../../../../data/format/types";
import { counted } from "../../../../ui/text/format";

export interface Filter {
  hidden: readonly TensorType[];
  /** What the names of the nodes begin with. */
  prefix: string;
}

export function readFilter(hide: string | undefined, only: string | undefined): Filter {
  const types = (hide ?? "").split(",");
  return { hidden: TENSOR_TYPES.filter((type) => types.includes(type)), prefix: only ?? "" };
}

/** Null where no type is hidden. */
export function writeHidden(hidden: readonly TensorType[]): string | null {
  return hidden.length === 0 ? null : TENSOR_TYPES.filter((type) => hidden.includes(type)).join(",");
}

export function isVisible(graph: Graph, { hidden, prefix }: Filter, node: number): boolean {
  return graph.nodes.name[node]!.startsWith(prefix) && !hidden.includes(graph.nodes.type[node]!);
}

/** `12 parameters and 1 loss hidden`, or nothing. Nodes with other names are only counted. */
export function hiddenInWords(graph: Graph, { hidden, prefix }: Filter): string {
  const counts = new Map<TensorType, number>();
  let others = 0;
  graph.nodes.name.forEach((name, node) => {
    const type = graph.nodes.type[node]!;
    if (!name.startsWith(prefix)) {
      others += 1;
    } else if (hidden.includes(type)) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
  });
  const parts = TENSOR_TYPES.filter((type) => counts.has(type)).map((type) => counted(counts.get(type)!, NOUNS[type], PLURALS[type]));
  if (others > 0) {
    parts.push(`${counted(others, "node")} with other names`);
  }
  return parts.length === 0 ? "" : `${parts.join(", ")} hidden`;
}

const NOUNS: Readonly<Record<TensorType, string>> = {
  input: "input",
  calculated: "calculated tensor",
  target: "target",
  loss: "loss",
  parameter: "parameter",
};
const PLURALS: Readonly<Record<TensorType, string>> = {
  input: "inputs",
  calculated: "calculated tensors",
  target: "targets",
  loss: "losses",
  parameter: "parameters",
};
