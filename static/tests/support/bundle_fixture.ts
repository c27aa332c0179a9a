/** Bundles for tests, written after docs/bundle-format.md without any code of the viewer. */

import { deflateRawSync, crc32 as zlibCrc32 } from "node:zlib";

export interface FixtureTensor {
  name: string;
  iteration: number;
  node?: string;
  role?: string;
  type?: string;
  kind?: string;
  dtype?: string;
  stored?: string;
  shape: number[];
  batch_dimension?: number | null;
  samples?: number;
  /** What computed it, as autograd calls it. */
  operation?: string;
  /** Which line of the code made it. */
  source?: { file: string; line: number; function: string };
}

export interface FixtureStep {
  step: number;
  type?: string;
  tensors: FixtureTensor[];
  groups: { name: string; tensors: number[] }[];
  /** Graphs per iteration; null: not recorded. */
  graphs: (FixtureGraph | null)[];
  /** Arrays in the order of the format; the values as numbers. */
  arrays: FixtureArray[];
  /** Why it was recorded out of turn. */
  triggered?: string;
  /** What is known of it besides; `parameters` are positions in the network. */
  facts?: Record<string, unknown> & { runs?: unknown; parameters?: number[]; estimated?: unknown };
}

/** An entry of the trials: which steps it has, by their places. */
export interface FixtureTrial {
  name: string;
  rank: number | null;
  steps: number[];
  /** Its own network, instead of that of all. */
  network?: unknown;
}

export interface FixtureArray {
  name: string;
  dtype: "F32" | "F64" | "I32" | "U8" | "U16";
  storedDtype?: string;
  values: number[];
}

export interface FixtureGraph {
  nodes: { name: string; type: string; column: number; row: number }[];
  tensors: { name: string; node: number; role: string; record_name: string; record_iteration: number }[];
  edges: [number, number][];
  without_gradient?: number[];
}

/** What there is over time: the directory, and the elements of its lanes; those of lane 4 from `firstCount` on are integers. */
export interface FixtureTime {
  strings: string[];
  step_lists: number[][];
  records: Record<string, number[]>;
  parameters?: Record<string, number[]>;
  lane8: number[];
  lane4: number[];
  firstCount: number;
}

interface Chunk {
  raw: Buffer;
  width: number;
}

const CHUNK_BYTES = 4 * 1024 * 1024;

/** A step with one tensor, and numbers that no other step has, so that every step has a chunk of its own. */
export function ownStep(number: number): FixtureStep {
  return {
    step: number,
    tensors: [{ name: "x", iteration: 0, type: "input", kind: "kpis", shape: [3], batch_dimension: null }],
    groups: [{ name: "forward", tensors: [0] }],
    graphs: [null],
    arrays: [
      { name: "counts", dtype: "I32", values: [number, 0, 0, 0, 0] },
      { name: "extrema.F32", dtype: "F32", values: [number, number] },
      { name: "statistics.F32", dtype: "F32", values: [number, number, number, number] },
    ],
  };
}

/** Writes a bundle: the text of its index, and the base64 of its chunks. */
export function buildBundle(
  steps: readonly FixtureStep[],
  trials: readonly FixtureTrial[] = [{ name: "trial", rank: 0, steps: steps.map((_, k) => k) }],
  networkJson: unknown = { modules: [], parameters: [] },
  time?: FixtureTime,
): { index: string; chunks: string[] } {
  const chunks: Chunk[] = [];
  const strings: string[] = [];
  const S = (text: string): number => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const json = (value: unknown): number => chunks.push({ raw: Buffer.from(JSON.stringify(value)), width: 1 }) - 1;
  const [curves, notes, network, gaps] = [json([]), json([]), json(networkJson), json([])];
  const graphs = steps.flatMap((step) => step.graphs.filter((graph) => graph !== null));
  const structures = json(graphs.map(graphJson));
  const layouts = json(steps.map(layoutJson));
  const withFacts = steps.filter((step) => step.facts !== undefined);
  const runs = json(withFacts.map((step) => step.facts?.runs ?? { module: [], training: [], calls: [] }));
  const lists = json(withFacts.map((step) => ({ parameter: step.facts?.parameters ?? [], estimated: step.facts?.estimated })));
  const facts = json(
    withFacts.map(({ facts: known = {} }, k) => ({
      ...known,
      module_runs: known.runs ? k : -1,
      parameter_list: known.parameters ? k : -1,
    })),
  );
  const ownNetworks = trials.map((trial) => (trial.network === undefined ? network : json(trial.network)));
  const listed = (chunk: number) => ({ chunk: withFacts.map(() => chunk), position: withFacts.map((_, k) => k) });
  const series = time === undefined ? -1 : addTime(time, chunks, json);
  const lanes = steps.map((step) => addLanes(step.arrays, chunks));
  const array_sets = steps.map((step) => ({
    name: step.arrays.map((array) => S(array.name)),
    dtype: step.arrays.map((array) => S(array.storedDtype ?? array.dtype)),
    count: step.arrays.map((array) => array.values.length),
  }));
  const samples = Math.max(0, ...steps.flatMap((step) => step.tensors.map((tensor) => tensor.samples ?? 0)));
  const each = <T>(value: (k: number) => T): T[] => steps.map((_, k) => value(k));
  let next = 0;
  const index = {
    format: "comgra-bundle",
    version: 1,
    generator: "fixture",
    title: "Title",
    description: "",
    group: "group",
    content_digest: "0",
    generation: 0,
    chunks: {
      bytes: chunks.map((chunk) => chunk.raw.length),
      crc32: chunks.map((chunk) => zlibCrc32(chunk.raw)),
      codec: chunks.map((_, k) => k % 2),
      width: chunks.map((chunk) => chunk.width),
      inline: chunks.map(() => 1),
      identity: chunks.map((chunk) => zlibCrc32(chunk.raw)),
    },
    array_sets,
    sample_sets: [
      { index: Array.from({ length: samples }, (_, k) => k), label: Array.from({ length: samples }, (_, k) => S(`Sample ${k}`)) },
    ],
    structure_sets: each((k) => steps[k]!.graphs.map((graph) => (graph === null ? -1 : next++))),
    layouts: { chunk: each(() => layouts), position: each((k) => k) },
    structures: { chunk: graphs.map(() => structures), position: graphs.map((_, k) => k) },
    facts: listed(facts),
    module_runs: listed(runs),
    parameter_lists: listed(lists),
    trials: trials.map((trial, k) => {
      const own = <T>(value: (k: number) => T): T[] => trial.steps.map(value);
      return {
        name: trial.name,
        rank: trial.rank,
        steps: {
          step: own((k) => steps[k]!.step),
          type: own((k) => S(steps[k]!.type ?? "train")),
          batch_size: own(() => 4),
          time: own((k) => k * 0.5),
          layout: own((k) => k),
          structure_set: own((k) => k),
          sample_set: own(() => 0),
          array_set: own((k) => k),
          lane8: own((k) => lanes[k]![8] ?? -1),
          lane4: own((k) => lanes[k]![4] ?? -1),
          lane2: own((k) => lanes[k]![2] ?? -1),
          lane1: own((k) => lanes[k]![1] ?? -1),
          gaps: own(() => 0),
          triggered: own((k) => (steps[k]!.triggered === undefined ? -1 : S(steps[k]!.triggered))),
          facts: own((k) => withFacts.indexOf(steps[k]!)),
        },
        network: ownNetworks[k],
        notes,
        curves,
        gaps,
        ...(series >= 0 && { series }),
      };
    }),
    about: { recordings: [], omissions: [], problems: [] },
  };
  return { index: JSON.stringify({ ...index, strings }), chunks: chunks.map((chunk, k) => encode(chunk, k % 2)) };
}

/** Adds a chunk to a bundle, and returns its number: bytes, or a document as JSON. */
export function addChunk(built: { index: string; chunks: string[] }, content: Buffer | object, width = 1): number {
  const raw = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const index = JSON.parse(built.index);
  const row = { bytes: raw.length, crc32: zlibCrc32(raw), codec: 0, width, inline: 1, identity: zlibCrc32(raw) };
  Object.entries(row).forEach(([column, value]) => index.chunks[column].push(value));
  built.index = JSON.stringify(index);
  return built.chunks.push(encode({ raw, width }, 0)) - 1;
}

function encode({ raw, width }: Chunk, codec: number): string {
  const shuffled = Buffer.alloc(raw.length);
  const elements = raw.length / width;
  raw.forEach((byte, k) => (shuffled[(k % width) * elements + Math.floor(k / width)] = byte));
  return (codec === 1 ? deflateRawSync(shuffled) : shuffled).toString("base64");
}

const WIDTHS = { F64: 8, F32: 4, I32: 4, U16: 2, U8: 1 } as const;

function addLanes(arrays: readonly FixtureArray[], chunks: Chunk[]): Record<number, number> {
  const first: Record<number, number> = {};
  for (const width of [8, 4, 2, 1]) {
    const lane = Buffer.concat(arrays.filter((array) => WIDTHS[array.dtype] === width).map(arrayBytes));
    for (let start = 0; start < lane.length; start += CHUNK_BYTES) {
      const id = chunks.push({ raw: lane.subarray(start, start + CHUNK_BYTES), width }) - 1;
      first[width] ??= id;
    }
  }
  return first;
}

function addTime({ lane8, lane4, firstCount, ...directory }: FixtureTime, chunks: Chunk[], json: (value: unknown) => number): number {
  const floats = arrayBytes({ name: "", dtype: "F32", values: lane4.slice(0, firstCount) });
  const integers = arrayBytes({ name: "", dtype: "I32", values: lane4.slice(firstCount) });
  const first8 = chunks.push({ raw: arrayBytes({ name: "", dtype: "F64", values: lane8 }), width: 8 }) - 1;
  const first4 = chunks.push({ raw: Buffer.concat([floats, integers]), width: 4 }) - 1;
  return json({ ...directory, lane8: first8, lane4: first4 });
}

function arrayBytes({ dtype, values }: FixtureArray): Buffer {
  const typed = { F64: Float64Array, F32: Float32Array, I32: Int32Array, U16: Uint16Array, U8: Uint8Array }[dtype].from(values);
  return Buffer.from(typed.buffer);
}

function layoutJson({ tensors, groups }: FixtureStep): unknown {
  const read = <T>(value: (tensor: FixtureTensor) => T): T[] => tensors.map(value);
  const sources = tensors.flatMap(({ source }) => source ?? []);
  return {
    tensors: {
      name: read((tensor) => tensor.name),
      iteration: read((tensor) => tensor.iteration),
      node: read((tensor) => tensor.node ?? tensor.name),
      role: read((tensor) => tensor.role ?? tensor.name),
      type: read((tensor) => tensor.type ?? "calculated"),
      kind: read((tensor) => tensor.kind ?? "neuron"),
      dtype: read((tensor) => tensor.dtype ?? "F32"),
      stored: read((tensor) => tensor.stored ?? tensor.dtype ?? "F32"),
      shape: read((tensor) => tensor.shape),
      batch_dimension: read((tensor) => (tensor.batch_dimension === undefined ? 0 : tensor.batch_dimension)),
      samples: read((tensor) => tensor.samples ?? 0),
      operation: read((tensor) => tensor.operation ?? null),
      module: read(() => null),
      source: read((tensor) => (tensor.source === undefined ? null : sources.indexOf(tensor.source))),
    },
    groups,
    sources: {
      file: sources.map(({ file }) => file),
      line: sources.map(({ line }) => line),
      function: sources.map((line) => line.function),
    },
  };
}

export function graphJson({ nodes, tensors, edges, without_gradient }: FixtureGraph): unknown {
  return {
    nodes: {
      name: nodes.map((node) => node.name),
      type: nodes.map((node) => node.type),
      label: nodes.map((node) => node.name),
      column: nodes.map((node) => node.column),
      row: nodes.map((node) => node.row),
    },
    columns: { heading: Array.from({ length: 1 + nodes.reduce((most, { column }) => Math.max(most, column), -1) }, () => "") },
    tensors: {
      name: tensors.map((tensor) => tensor.name),
      node: tensors.map((tensor) => tensor.node),
      role: tensors.map((tensor) => tensor.role),
      record_name: tensors.map((tensor) => tensor.record_name),
      record_iteration: tensors.map((tensor) => tensor.record_iteration),
    },
    from: edges.map(([from]) => from),
    to: edges.map(([, to]) => to),
    ...(without_gradient && { without_gradient }),
  };
}
