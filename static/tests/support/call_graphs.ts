/** Iterations of watched modules for tests, in few words. */

import type { Calls, Graph, Layout, Network, TensorType } from "../../src/data/format/types";
import { type Flow, flowOf } from "../../src/tabs/modules/levels/call_graph";
import { levelOf } from "../../src/tabs/modules/levels/level";

export interface Described {
  /** Name of the module, row of the call around it, names of the tensors that went in and came out, separated by spaces. */
  calls: [name: string, parent: number, inputs: string, outputs: string, mode?: "eval" | "raised"][];
  /** `a>b`: b is computed from a; `a-b`: and no gradient flows. */
  edges: string[];
  /** What is not `calculated`. */
  types?: Record<string, TensorType>;
  /** Types of modules and their settings; by default the last part of the name, without digits at its end. */
  modules?: Record<string, string>;
  /** In which module a tensor was made, where the recorder noted it. */
  madeIn?: Record<string, string>;
  /** Tensors of an earlier iteration. */
  earlier?: string[];
  /** Tensors of whole numbers. */
  discrete?: string[];
}

export const ITERATION = 3;

export function materialOf({ calls, edges, types = {}, modules = {}, madeIn = {}, earlier = [], discrete = [] }: Described): {
  calls: Calls;
  graph: Graph;
  layout: Layout;
  network: Network;
} {
  const names = [...new Set(calls.map(([name]) => name))];
  const pairs = edges.map((edge) => /^(.*)([>-])(.*)$/.exec(edge)!);
  const tensors = [
    ...new Set([
      ...calls.flatMap(([, , inputs, outputs]) => [...words(inputs), ...words(outputs)]),
      ...pairs.flatMap(([, from, , to]) => [from!, to!]),
      ...Object.keys(types),
    ]),
  ];
  const iterationOf = (name: string): number => (types[name] === "parameter" ? -1 : earlier.includes(name) ? ITERATION - 1 : ITERATION);
  const counts = new Map<string, number>();
  const ports = calls.flatMap(([, , inputs, outputs], call) => [
    ...words(inputs).map((record, k) => ({ call, side: "input" as const, path: `in${k}`, record })),
    ...words(outputs).map((record, k) => ({ call, side: "output" as const, path: `output${k === 0 ? "" : `[${k}]`}`, record })),
  ]);
  const each = <T>(value: (name: string, k: number) => T): T[] => tensors.map(value);
  return {
    calls: {
      calls: {
        module: calls.map(([name]) => names.indexOf(name)),
        parent: calls.map(([, parent]) => parent),
        number: calls.map(([name]) => (counts.set(name, (counts.get(name) ?? -1) + 1), counts.get(name)!)),
        training: calls.map(([, , , , mode]) => mode !== "eval"),
        raised: calls.map(([, , , , mode]) => mode === "raised"),
      },
      ports: {
        call: ports.map(({ call }) => call),
        side: ports.map(({ side }) => side),
        path: ports.map(({ path }) => path),
        record_name: ports.map(({ record }) => record),
        record_iteration: ports.map(({ record }) => iterationOf(record)),
        text: ports.map(() => null),
        meaning: ports.map(() => null),
        gradient_record_name: ports.map(() => null),
        gradient_record_iteration: ports.map(() => null),
      },
    },
    graph: {
      nodes: {
        name: tensors,
        type: each((name) => types[name] ?? "calculated"),
        label: tensors,
        column: each(() => 0),
        row: each((_, k) => k),
      },
      columns: { heading: [""] },
      tensors: { name: tensors, node: each((_, k) => k), role: tensors, record_name: tensors, record_iteration: each(iterationOf) },
      from: pairs.map(([, from]) => tensors.indexOf(from!)),
      to: pairs.map(([, , , to]) => tensors.indexOf(to!)),
      without_gradient: pairs.flatMap(([, , kind], k) => (kind === "-" ? [k] : [])),
      not_known: { tensor: [], reason: [] },
    },
    layout: {
      tensors: {
        name: tensors,
        iteration: each(iterationOf),
        node: tensors,
        role: tensors,
        type: each((name) => types[name] ?? "calculated"),
        kind: each(() => "kpis"),
        dtype: each((name) => (discrete.includes(name) ? "I64" : "F32")),
        stored: each(() => "F32"),
        shape: each(() => [2, 3]),
        batch_dimension: each(() => 0),
        samples: each(() => 0),
        operation: each(() => null),
        module: each((name) => madeIn[name] ?? null),
        device: each(() => null),
        shard: each(() => null),
        source: each(() => null),
      },
      groups: [],
      sources: [],
    },
    network: {
      modules: names.map((name) => {
        const [type = "", description = ""] = (modules[name] ?? name.replace(/^.*\./, "").replace(/\d+$/, "")).split("; ");
        return { name, type, parent: -1, description };
      }),
      parameters: [],
      optimizers: null,
    },
  };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

export function flowFrom(described: Described): Flow {
  const { calls, graph, layout, network } = materialOf(described);
  return flowOf(calls, graph, layout, network, ITERATION);
}

/** The edges of a level, `from>to` by the names of nodes: `-` where no gradient flows, `!` in front where it is read directly. */
export function edgesOf(flow: Flow, parent: number): string[] {
  const { nodes, edges } = levelOf(flow, parent);
  return edges.map(
    ({ from, to, carriesGradient, direct }) => `${direct ? "!" : ""}${nodes[from]!.key}${carriesGradient ? ">" : "-"}${nodes[to]!.key}`,
  );
}
