/** The calls of an iteration together with how its tensors depend on each other: where each tensor was computed, and from what. */

import type { Calls, Graph, Layout, Network, TensorType } from "../../../data/format/types";

/** Stands for no call: outside all watched modules. */
export const OUTERMOST = -1;

/** Where it is not known in which call a tensor was computed. */
const UNKNOWN = -2;

export interface Link {
  record: number;
  carriesGradient: boolean;
}

/** A tensor that has numbers, or is in the graph. */
export interface FlowRecord {
  name: string;
  iteration: number;
  type: TensorType | null;
  /** Position among the tensors of the graph; -1 where it is not in it. */
  row: number;
  /** Position among the tensors of the layout, or -1. */
  tensor: number;
  /** Whether it holds whole numbers or booleans, through which no gradient flows. */
  isDiscrete: boolean;
  /** The call in whose own forward pass it was computed, `OUTERMOST`, or null where that is not known. */
  home: number | null;
  /** The module in whose forward pass it was registered, by the recorder's note. */
  module: string | null;
  from: Link[];
  to: Link[];
}

export interface Port {
  path: string;
  /** -1 where there are no numbers; then `text` says what it was. */
  record: number;
  text: string;
  /** What the tensor is known to be, as the recorder calls it. */
  meaning: string | null;
  /** Position among the tensors of the layout of its gradient through this call alone; -1 where there is none. */
  gradient: number;
}

/** A call of a module. */
export interface Call {
  module: number;
  parent: number;
  number: number;
  training: boolean;
  raised: boolean;
  /** The full name of its module, its type and its settings. */
  name: string;
  type: string;
  description: string;
  children: number[];
  inputs: Port[];
  outputs: Port[];
}

export interface Flow {
  iteration: number;
  calls: readonly Call[];
  /** The calls that are made in no other one. */
  outermost: readonly number[];
  records: readonly FlowRecord[];
}

/** `graph` is null where the dependencies were not recorded; then tensors are only followed from port to port. */
export function flowOf(tree: Calls, graph: Graph | null, layout: Layout, network: Network, iteration: number): Flow {
  const records = new Records(layout);
  const calls = readCalls(tree, network, records);
  if (graph !== null) {
    records.addGraph(graph);
  }
  findHomes(calls, records, iteration);
  const outermost = [...calls.keys()].filter((row) => calls[row]!.parent === OUTERMOST);
  return { iteration, calls, outermost, records: records.all };
}

const DISCRETE = /^(I|U|BOOL)/;

class Records {
  readonly all: FlowRecord[] = [];
  private readonly known = new Map<string, number>();
  private readonly tensors: ReadonlyMap<string, number>;

  constructor(private readonly layout: Layout) {
    this.tensors = new Map(layout.tensors.name.map((name, k) => [`${layout.tensors.iteration[k]}/${name}`, k]));
  }

  /** Position among the tensors of the layout, or -1. */
  tensor(name: string, iteration: number): number {
    return this.tensors.get(`${iteration}/${name}`) ?? -1;
  }

  position(name: string, iteration: number): number {
    const key = `${iteration}/${name}`;
    let position = this.known.get(key);
    if (position === undefined) {
      const tensor = this.tensor(name, iteration);
      const isDiscrete = DISCRETE.test(this.layout.tensors.dtype[tensor] ?? "");
      const module = this.layout.tensors.module[tensor] ?? null;
      position = this.all.push({ name, iteration, type: null, row: -1, tensor, isDiscrete, home: null, module, from: [], to: [] }) - 1;
      this.known.set(key, position);
    }
    return position;
  }

  addGraph(graph: Graph): void {
    const { tensors, nodes } = graph;
    const ofRow = tensors.record_name.map((name, row) => {
      const position = this.position(name, tensors.record_iteration[row]!);
      const record = this.all[position]!;
      if (record.row < 0) {
        record.row = row;
        record.type = nodes.type[tensors.node[row]!]!;
      }
      return position;
    });
    const withoutGradient = new Set(graph.without_gradient);
    for (const [k, from] of graph.from.entries()) {
      const [source, sink] = [ofRow[from]!, ofRow[graph.to[k]!]!];
      if (source !== sink) {
        const carriesGradient = !withoutGradient.has(k);
        this.all[sink]!.from.push({ record: source, carriesGradient });
        this.all[source]!.to.push({ record: sink, carriesGradient });
      }
    }
  }
}

function readCalls({ calls, ports }: Calls, network: Network, records: Records): Call[] {
  const read = calls.module.map((module, row): Call => {
    const { name = `module ${module}`, type = "", description = "" } = network.modules[module] ?? {};
    return {
      module,
      parent: calls.parent[row]!,
      number: calls.number[row]!,
      training: calls.training[row]!,
      raised: calls.raised[row]!,
      name,
      type,
      description,
      children: [],
      inputs: [],
      outputs: [],
    };
  });
  read.forEach((call, row) => read[call.parent]?.children.push(row));
  ports.call.forEach((row, k) => {
    const [name, iteration] = [ports.record_name[k]!, ports.record_iteration[k]!];
    const [gradient, at] = [ports.gradient_record_name[k]!, ports.gradient_record_iteration[k]!];
    const port = {
      path: ports.path[k]!,
      record: name === null ? -1 : records.position(name, iteration),
      text: ports.text[k] ?? "",
      meaning: ports.meaning[k]!,
      gradient: gradient === null ? -1 : records.tensor(gradient, at),
    };
    read[row]![ports.side[k] === "input" ? "inputs" : "outputs"].push(port);
  });
  return read;
}

/** Rows of the calls in the order in which they ended. */
function endings(calls: readonly Call[]): number[] {
  const order: number[] = [];
  const open: number[] = [];
  calls.forEach((call, row) => {
    while (open.length > 0 && open[open.length - 1] !== call.parent) {
      order.push(open.pop()!);
    }
    open.push(row);
  });
  return [...order, ...open.reverse()];
}

/**
 * A tensor was computed in the first call that returned it without having been given it. If there is none, it was computed where the first
 * call was made that was given it, or in the module that the recorder noted.
 */
function findHomes(calls: readonly Call[], records: Records, iteration: number): void {
  const home = new Array<number>(records.all.length).fill(UNKNOWN);
  for (const row of endings(calls)) {
    const given = new Set(calls[row]!.inputs.map((port) => port.record));
    for (const { record } of calls[row]!.outputs) {
      if (record >= 0 && home[record] === UNKNOWN && !given.has(record)) {
        home[record] = row;
      }
    }
  }
  const readIn = new Map<number, number>();
  calls.forEach((call) =>
    call.inputs.filter(({ record }) => record >= 0 && !readIn.has(record)).forEach(({ record }) => readIn.set(record, call.parent)),
  );
  const callOf = onlyCalls(calls);
  records.all.forEach((record, k) => {
    const known = home[k]!;
    record.home = record.iteration !== iteration ? OUTERMOST : known !== UNKNOWN ? known : notedHome(calls, callOf, readIn.get(k), record);
  });
}

/** By the name of a module its only call; null where there are several. */
function onlyCalls(calls: readonly Call[]): ReadonlyMap<string, number | null> {
  const only = new Map<string, number | null>();
  calls.forEach(({ name }, row) => only.set(name, only.has(name) ? null : row));
  return only;
}

/** `around` is the call in which the first call was made that was given the tensor. */
function notedHome(
  calls: readonly Call[],
  callOf: ReadonlyMap<string, number | null>,
  around: number | undefined,
  { module, from }: FlowRecord,
): number | null {
  for (let row = around ?? OUTERMOST; row >= 0; row = calls[row]!.parent) {
    if (calls[row]!.name === module) {
      return row;
    }
  }
  // What was computed from nothing that is known, in no module, was there before.
  const isGiven = module === null && from.length === 0;
  return callOf.get(module ?? "") ?? around ?? (isGiven ? OUTERMOST : null);
}

/** What tells the calls of a module apart: ` (call 2)`, and nothing for the first. */
export function callSuffix(number: number): string {
  return number === 0 ? "" : ` (call ${number + 1})`;
}

/** The call made directly in `parent` that is, or holds, the call `row`; -1 where `row` is not within `parent`. */
export function childAround(flow: Flow, parent: number, row: number | null): number {
  let child = row ?? OUTERMOST;
  while (child >= 0 && flow.calls[child]!.parent !== parent) {
    child = flow.calls[child]!.parent;
  }
  return child;
}
