/** A level as it is shown: on one step, or on many of them with how often each part of it occurred. */

import type { Layout } from "../../../data/format/types";
import type { Badge } from "../../../state/badges/badges";
import { shapeText } from "../../../ui/text/format";
import { nameWithin } from "../../../ui/text/module_tree";
import { callSuffix, type Flow, OUTERMOST } from "./call_graph";
import { callShapes } from "./folding";
import { type LevelNode, type LevelNodeKind, levelOf } from "./level";

export interface ShownNode {
  key: string;
  kind: LevelNodeKind;
  title: string;
  /** What it is: the type of a module, the shape of a tensor. */
  sort: string;
  /** What is wrong with it, and with what is in it. */
  badges: readonly Badge[];
  /** What is special about a call: the mode, an exception. */
  marks: readonly string[];
  /** Equal for calls that are folded where they stand in a row; null for others. */
  shape: string | null;
  /** The full name of the module of a call; empty for others. */
  module: string;
  /** Whether calls were made in it. */
  hasCalls: boolean;
  raised: boolean;
  /** On how many of the steps it occurred. */
  steps: number;
}

export interface ShownEdge {
  from: number;
  to: number;
  carriesGradient: boolean;
  direct: boolean;
  steps: number;
}

export interface ShownLevel {
  nodes: readonly ShownNode[];
  edges: readonly ShownEdge[];
  /** Of how many steps this is. */
  steps: number;
}

/** The level with badges: of modules by their names, of other nodes by their keys. */
export function withBadges(
  level: ShownLevel,
  ofModules: ReadonlyMap<string, readonly Badge[]>,
  ofNodes: ReadonlyMap<string, readonly Badge[]>,
): ShownLevel {
  const badgesOf = ({ module, key }: ShownNode): readonly Badge[] => (module === "" ? ofNodes.get(key) : ofModules.get(module)) ?? [];
  return { ...level, nodes: level.nodes.map((node) => ({ ...node, badges: badgesOf(node) })) };
}

/** A level of one step. */
export function shownLevel(flow: Flow, parent: number, layout: Layout): ShownLevel {
  const { nodes, edges } = levelOf(flow, parent);
  const shapes = callShapes(flow);
  const around = flow.calls[parent]?.name ?? "";
  return {
    nodes: nodes.map((node) => (node.kind === "call" ? callNode(flow, node, around, shapes) : portNode(flow, node, parent, layout))),
    edges: edges.map((edge) => ({ ...edge, steps: 1 })),
    steps: 1,
  };
}

function callNode(flow: Flow, { key, call: row }: LevelNode, around: string, shapes: readonly string[]): ShownNode {
  const call = flow.calls[row]!;
  return {
    key,
    kind: "call",
    title: `${nameWithin(around, call.name)}${callSuffix(call.number)}`,
    sort: call.type,
    badges: [],
    marks: [...(call.training ? [] : ["eval"]), ...(call.raised ? ["raised"] : [])],
    shape: shapes[row]!,
    module: call.name,
    hasCalls: call.children.length > 0,
    raised: call.raised,
    steps: 1,
  };
}

function portNode(flow: Flow, { key, kind, ports }: LevelNode, parent: number, layout: Layout): ShownNode {
  const shape = layout.tensors.shape[flow.records[ports[0]?.record ?? -1]?.tensor ?? -1];
  const paths = ports.map((port) => port.path).join(", ");
  // Names of tensors, and most paths of outputs, say themselves what they are.
  const isPort = kind === "input" || kind === "output";
  const saysItself = parent === OUTERMOST || !isPort || (kind === "output" && paths.startsWith("output")) || paths === "input";
  const title = saysItself ? paths : `${kind} ${paths}`;
  return {
    key,
    kind,
    title,
    sort: shape === undefined ? "" : shapeText(shape),
    badges: [],
    marks: [],
    shape: null,
    module: "",
    hasCalls: false,
    raised: false,
    steps: 1,
  };
}

/** Levels of several steps as one; a step that has several iterations counts once. */
export class Union {
  private readonly nodes = new Map<string, ShownNode>();
  private readonly order: string[] = [];
  private readonly edges = new Map<string, ShownEdge & { source: string; sink: string }>();
  private steps = 0;

  /** Adds what the iterations of as many equal steps have. */
  add(levels: readonly ShownLevel[], steps: number): void {
    this.steps += steps;
    const nodes = new Set<string>();
    const edges = new Set<string>();
    for (const level of levels) {
      this.addNodes(level, steps, nodes);
      for (const { from, to, carriesGradient, direct } of level.edges) {
        const [source, sink] = [level.nodes[from]!.key, level.nodes[to]!.key];
        const key = JSON.stringify([source, sink]);
        const known = this.edges.get(key) ?? { source, sink, from: -1, to: -1, carriesGradient: false, direct: true, steps: 0 };
        known.steps += edges.has(key) ? 0 : steps;
        known.carriesGradient ||= carriesGradient;
        known.direct &&= direct;
        this.edges.set(key, known);
        edges.add(key);
      }
    }
  }

  /** New nodes stand behind the one that they follow where they were found. */
  private addNodes(level: ShownLevel, steps: number, counted: Set<string>): void {
    let place = 0;
    for (const node of level.nodes) {
      const known = this.nodes.get(node.key);
      if (known === undefined) {
        this.nodes.set(node.key, { ...node, steps });
        this.order.splice(place, 0, node.key);
        place += 1;
      } else {
        known.steps += counted.has(node.key) ? 0 : steps;
        known.hasCalls ||= node.hasCalls;
        known.raised ||= node.raised;
        // Blocks that differ on some step are not equal.
        known.shape = known.shape === node.shape ? known.shape : `${known.shape} or ${node.shape}`;
        known.sort = known.sort === node.sort ? known.sort : "";
        known.marks = known.marks.filter((mark) => node.marks.includes(mark));
        place = Math.max(place, this.order.indexOf(node.key) + 1);
      }
      counted.add(node.key);
    }
  }

  /** What occurs on other steps than its neighbours is not folded with them. */
  private withCount(node: ShownNode): ShownNode {
    return { ...node, shape: node.shape && `${node.shape} on ${node.steps}` };
  }

  get level(): ShownLevel {
    const position = new Map(this.order.map((key, k) => [key, k]));
    const edges = [...this.edges.values()].map(({ source, sink, ...edge }) => ({
      ...edge,
      from: position.get(source)!,
      to: position.get(sink)!,
    }));
    return {
      nodes: this.order.map((key) => this.withCount(this.nodes.get(key)!)),
      edges: edges.sort((a, b) => a.from - b.from || a.to - b.to),
      steps: this.steps,
    };
  }
}
