/** What happens directly within a call: the calls that are made there, its inputs and outputs, and which tensors flow between them. */

import { groupedBy } from "../../../data/collections";
import { childAround, type Flow, type FlowRecord, OUTERMOST, type Port } from "./call_graph";
import { callKey } from "./keys";
import { registeredIn } from "./registered";
import { sourcesFirst } from "./sources_first";

/**
 * `outside`: a tensor from elsewhere that is read directly, not through an input. `inside`: one from inside a call that is read although the
 * call did not return it. `tensor`: one that was registered here by name.
 */
export type LevelNodeKind = "input" | "output" | "call" | "outside" | "inside" | "tensor";

export interface LevelNode {
  /** The same for what is the same on another step. */
  key: string;
  kind: LevelNodeKind;
  /** Its row; -1 for what is no call. */
  call: number;
  /** The inputs or outputs that it stands for: several where one tensor is at several places. */
  ports: readonly Port[];
}

interface LevelEdge {
  from: number;
  to: number;
  carriesGradient: boolean;
  /** Whether the tensor is read without being an input of the call. */
  direct: boolean;
}

/** What an edge says besides its ends. */
type Connection = Omit<LevelEdge, "from" | "to">;

export interface Level {
  /** Inputs first, calls in the order in which they began, each tensor after what it was computed from, outputs last. */
  nodes: readonly LevelNode[];
  /** Every edge leads from an earlier node to a later one. */
  edges: readonly LevelEdge[];
}

/** The level of a call given by its row, or of what was called outside all modules. */
export function levelOf(flow: Flow, parent: number): Level {
  return new LevelBuilder(flow, parent).build();
}

/** Stands behind all calls: the outputs. */
const END = Number.MAX_SAFE_INTEGER;

class LevelBuilder {
  private readonly inputs: LevelNode[];
  private readonly children: readonly number[];
  private readonly outputs: LevelNode[];
  /** By record. */
  private readonly inputOf = new Map<number, LevelNode>();
  private readonly outsideOf = new Map<number, LevelNode>();
  private readonly insideOf = new Map<number, LevelNode>();
  private readonly registered: ReadonlyMap<number, LevelNode>;
  /** The calls that returned a record, ascending, and the first one that was given it. */
  private readonly returnedBy = new Map<number, number[]>();
  private readonly firstGivenTo = new Map<number, number>();
  private readonly nodeOfCall = new Map<number, LevelNode>();
  /** By source and sink. */
  private readonly drawnEdges = new Map<LevelNode, Map<LevelNode, Connection>>();

  constructor(
    private readonly flow: Flow,
    private readonly parent: number,
  ) {
    const call = flow.calls[parent];
    this.children = call?.children ?? flow.outermost;
    this.inputs = portNodes("input", call?.inputs ?? []);
    this.outputs = call === undefined ? this.losses() : portNodes("output", call.outputs);
    this.registered = new Map(registeredIn(flow, parent).map((record) => [record, this.tensorNode("tensor", record)]));
    this.inputs.forEach((node) => node.ports.forEach(({ record }) => this.inputOf.set(record, node)));
    for (const child of this.children) {
      const { number, name, inputs, outputs } = flow.calls[child]!;
      this.nodeOfCall.set(child, { key: callKey(number, name), kind: "call", call: child, ports: [] });
      for (const { record } of inputs) {
        this.firstGivenTo.set(record, this.firstGivenTo.get(record) ?? child);
      }
      for (const record of new Set(outputs.map((port) => port.record))) {
        const known = this.returnedBy.get(record) ?? [];
        known.push(child);
        this.returnedBy.set(record, known);
      }
    }
  }

  build(): Level {
    for (const child of this.children) {
      for (const record of new Set(this.flow.calls[child]!.inputs.map((port) => port.record))) {
        const carriesGradient = this.carriesInto(record, child);
        this.connect(record, child, this.nodeOfCall.get(child)!, { carriesGradient, direct: false });
      }
    }
    this.connectDirectReads();
    this.connectRegistered();
    for (const output of this.outputs) {
      this.connect(output.ports[0]!.record, END, output, { carriesGradient: true, direct: false });
    }
    const tensors = [...this.registered.values(), ...this.insideOf.values()];
    const all = [...this.inputs, ...this.outsideOf.values(), ...this.nodeOfCall.values(), ...tensors, ...this.outputs];
    const nodes = sourcesFirst(all, this.drawnEdges);
    const position = new Map(nodes.map((node, k) => [node, k]));
    const edges = [...this.drawnEdges].flatMap(([from, sinks]) =>
      [...sinks].map(([to, edge]) => ({ from: position.get(from)!, to: position.get(to)!, ...edge })),
    );
    const leadingOn = edges.filter(({ from, to }) => from < to);
    return { nodes, edges: leadingOn.sort((a, b) => a.from - b.from || a.to - b.to) };
  }

  /** Outside all modules, losses take the place of outputs. */
  private losses(): LevelNode[] {
    const losses = [...this.flow.records.keys()].filter(
      (k) => this.flow.records[k]!.type === "loss" && childAround(this.flow, OUTERMOST, this.flow.records[k]!.home) < 0,
    );
    return losses.map((record) => ({
      key: `output ${this.flow.records[record]!.name}`,
      kind: "output",
      call: -1,
      ports: [{ path: this.flow.records[record]!.name, record, text: "", meaning: null, gradient: -1 }],
    }));
  }

  /** What a call computes from tensors of elsewhere that are no inputs of it. */
  private connectDirectReads(): void {
    for (const [k, record] of this.flow.records.entries()) {
      if (record.type === "parameter") {
        continue;
      }
      const own = childAround(this.flow, this.parent, record.home);
      for (const { record: result, carriesGradient } of record.to) {
        const child = childAround(this.flow, this.parent, this.flow.records[result]!.home);
        if (child >= 0 && child !== own && !this.flow.calls[child]!.inputs.some((port) => port.record === k)) {
          this.connect(k, child, this.nodeOfCall.get(child)!, { carriesGradient, direct: true });
        }
      }
    }
  }

  /** What is registered here was computed by a call that is made here, or from what is there. */
  private connectRegistered(): void {
    for (const [record, node] of this.registered) {
      const known = this.flow.records[record]!;
      const child = childAround(this.flow, this.parent, known.home);
      if (child >= 0) {
        this.draw(this.nodeOfCall.get(child)!, node, { carriesGradient: carries(known), direct: false });
      }
      const before = this.firstGivenTo.get(record) ?? END;
      const links = child >= 0 ? [] : known.from;
      links.forEach(({ record, carriesGradient }) => this.connect(record, before, node, { carriesGradient, direct: false }));
    }
  }

  /** Draws edges to a node from everything that a tensor comes from, as it was before the call at a position. */
  private connect(record: number, before: number, sink: LevelNode, { carriesGradient, direct }: Connection): void {
    for (const [source, carries] of this.sourcesOf(record, before)) {
      this.draw(source, sink, { carriesGradient: carries && carriesGradient, direct });
    }
  }

  /** Draws an edge. Two edges between the same nodes are one, which carries a gradient if one does, and is direct if both are. */
  private draw(source: LevelNode, sink: LevelNode, { carriesGradient, direct }: Connection): void {
    const sinks = this.drawnEdges.get(source) ?? new Map<LevelNode, Connection>();
    this.drawnEdges.set(source, sinks);
    const known = sinks.get(sink);
    sinks.set(sink, {
      carriesGradient: carriesGradient || (known?.carriesGradient ?? false),
      direct: direct && (known?.direct ?? true),
    });
  }

  /** Where a tensor comes from that is there before the call `before` begins: what is computed in between is followed back. */
  private sourcesOf(record: number, before: number): ReadonlyMap<LevelNode, boolean> {
    const sources = new Map<LevelNode, boolean>();
    const seen = new Set<string>();
    const open = [{ record, before, carriesGradient: true }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const key = `${next.record}/${next.before}/${next.carriesGradient}`;
      const known = this.flow.records[next.record];
      if (known === undefined || known.type === "parameter" || seen.has(key)) {
        continue;
      }
      seen.add(key);
      const source = this.sourceOf(next.record, next.before);
      if (source !== null) {
        const carriesGradient = next.carriesGradient && carries(known);
        sources.set(source, carriesGradient || (sources.get(source) ?? false));
        continue;
      }
      const earlier = Math.min(next.before, this.firstGivenTo.get(next.record) ?? END);
      open.push(
        ...known.from.map((link) => ({
          record: link.record,
          before: earlier,
          carriesGradient: next.carriesGradient && link.carriesGradient,
        })),
      );
    }
    return sources;
  }

  /** The node that a tensor comes from; null where it was computed directly within this call. */
  private sourceOf(record: number, before: number): LevelNode | null {
    const known = this.flow.records[record]!;
    const child = childAround(this.flow, this.parent, known.home);
    const registered = this.registered.get(record);
    const passed = this.returnedBy
      .get(record)
      ?.filter((returning) => returning < before && !(registered !== undefined && returning === child))
      .at(-1);
    if (passed !== undefined) {
      return this.nodeOfCall.get(passed)!;
    }
    const given = registered ?? this.inputOf.get(record);
    if (given !== undefined) {
      return given;
    }
    if (child >= 0) {
      return child < before ? this.insideNode(record, child) : null;
    }
    const isElsewhere = known.home !== null && known.home !== this.parent;
    const isGiven =
      known.from.length === 0 && (known.iteration !== this.flow.iteration || known.type === "input" || known.type === "target");
    return isElsewhere || isGiven ? this.outsideNode(record) : null;
  }

  private outsideNode(record: number): LevelNode {
    // Outside all modules, everything that is read comes from there.
    const node = this.outsideOf.get(record) ?? this.tensorNode(this.parent === OUTERMOST ? "input" : "outside", record);
    this.outsideOf.set(record, node);
    return node;
  }

  private insideNode(record: number, child: number): LevelNode {
    const node = this.insideOf.get(record) ?? this.tensorNode("inside", record);
    this.insideOf.set(record, node);
    this.draw(this.nodeOfCall.get(child)!, node, { carriesGradient: carries(this.flow.records[record]!), direct: false });
    return node;
  }

  private tensorNode(kind: LevelNodeKind, record: number): LevelNode {
    const { name, iteration } = this.flow.records[record]!;
    const key = `${kind} ${iteration < 0 ? "" : iteration - this.flow.iteration}.${name}`;
    return { key, kind, call: -1, ports: [{ path: name, record, text: "", meaning: null, gradient: -1 }] };
  }

  /** Whether a gradient flows through what a call computes from a given tensor. If it computes nothing, it may hand the tensor on. */
  private carriesInto(record: number, child: number): boolean {
    const known = this.flow.records[record];
    const within = known?.to.filter((link) => childAround(this.flow, this.parent, this.flow.records[link.record]!.home) === child) ?? [];
    return within.length === 0 ? known === undefined || carries(known) : within.some((link) => link.carriesGradient);
  }
}

/** Whether a gradient flows through a tensor: to its sources, or, if it has none, from what is computed from it. */
function carries({ isDiscrete, from, to }: FlowRecord): boolean {
  const links = from.length > 0 ? from : to;
  return !isDiscrete && (links.length === 0 || links.some((link) => link.carriesGradient));
}

/** A node per tensor; other values have none. */
function portNodes(kind: "input" | "output", ports: readonly Port[]): LevelNode[] {
  const byRecord = groupedBy(
    ports.filter(({ record }) => record >= 0),
    ({ record }) => record,
  );
  return [...byRecord.values()].map((own) => ({ key: `${kind} ${own[0]!.path}`, kind, call: -1, ports: own }));
}
