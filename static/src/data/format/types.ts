/**
 * What a bundle holds, and the checks that know it: most types are what their check returns, so that the two cannot differ.
 * `docs/bundle-format.md` is the specification; `comgra_export/exporter/format.py` is the same for the exporter.
 *
 * A *position* marked S in the specification is an index into `strings`. Letters: `B` samples in the batch, `S` samples recorded one
 * by one, `N` values per sample, `A` aggregations, `I` items.
 */

import {
  also,
  ascending,
  type Check,
  type Checked,
  checkAscending,
  column,
  fail,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  table,
  text,
} from "./checks";
import { DamagedBundleError } from "./errors";
import type { StoryNote } from "./story";

export const FORMAT = "comgra-bundle";
export const VERSION = 1;

/** Raw bytes of a chunk of a lane, save the lane's last one. */
export const CHUNK_BYTES = 4 * 1024 * 1024;
/** Raw bytes of a chunk of a lane of histograms, save the lane's last one. */
export const HISTOGRAM_CHUNK_BYTES = 512 * 1024;
/** Raw bytes of a chunk of the lane of a gradient flow, save the lane's last one. */
export const FLOW_CHUNK_BYTES = 256 * 1024;

/** Bytes per element of the four lanes. */
export const LANE_WIDTHS = [8, 4, 2, 1] as const;
export type LaneWidth = (typeof LANE_WIDTHS)[number];

export interface Index {
  format: string;
  version: number;
  generator: string;
  title: string;
  description: string;
  group: string;
  content_digest: string;
  /** Which build of a folder that is kept fresh; 0 where it is none. */
  generation: number;
  strings: string[];
  chunks: ChunkTable;
  array_sets: ArraySet[];
  sample_sets: SampleSet[];
  structure_sets: number[][];
  call_sets: number[][];
  layouts: Places;
  structures: Places;
  calls: Places;
  facts: Places;
  module_runs: Places;
  parameter_lists: Places;
  trials: Trial[];
  /** How the run of each trial went; none in pages of earlier versions. */
  runs: RunOverview[];
  /** Names of the scripts that draw in a tab of their own. */
  visualizations: string[];
  figures: Figure[];
  plotly: number;
  about: Checked<typeof about>;
  story: StoryNote[];
  /** The address of the view that the page opens with; empty: the overview. */
  start: string;
}

/** The highest severity: almost certainly a bug. */
export const WORST = 3;

/** Stands for a position where there is nothing. */
export const NONE = -1;

/** No chunk of text is larger than this; a larger length is an attempt to exhaust memory. */
const LARGEST_CHUNK = 512 * 1024 * 1024;

/** One entry per chunk in every column. */
export type ChunkTable = Checked<typeof chunkTable>;
export const chunkTable = (value: unknown, where: string) => {
  const columns = table("bytes", () => ({
    bytes: integer(0, LARGEST_CHUNK),
    crc32: integer(0, 0xffffffff),
    codec: integer(0, 1),
    width: integer(1, 8),
    inline: integer(0, 1),
  }))(value, where);
  columns.bytes.forEach((bytes, k) => {
    if (columns.width[k] !== 1 && (bytes > CHUNK_BYTES || bytes % columns.width[k]! !== 0)) {
      throw new DamagedBundleError(`${where}.bytes[${k}] does not fit its width.`);
    }
  });
  // Different where content is; empty but in a folder that is kept fresh.
  return { ...columns, ...record({ identity: optional(list(integer(0)), []) })(value, where) };
};

/** The arrays of a step in the order of its lanes; names and dtypes are positions. */
export type ArraySet = Checked<ReturnType<typeof arraySet>>;
export const arraySet = (position: Check<number>) => table("name", () => ({ name: position, dtype: position, count: integer(0) }));

/** The samples recorded one by one; labels are positions. */
export type SampleSet = Checked<ReturnType<typeof sampleSet>>;
export const sampleSet = (position: Check<number>) => table("index", () => ({ index: integer(0), label: position }));

/** Where documents are: number of the chunk, and place in the list that the chunk holds. */
export type Places = Checked<ReturnType<typeof places>>;
export const places = (chunk: Check<number>) => table("chunk", () => ({ chunk, position: integer(0) }));

type Limit = "chunk" | "lane" | "type" | "layout" | "structure_set" | "sample_set" | "array_set" | "triggered" | "facts" | "call_set";
export type Limits = Record<Limit, Check<number>>;

/** One rank of one trial, or, where `rank` is null, all of them merged. */
export type Trial = Checked<ReturnType<typeof trial>>;
export const trial = (limits: Limits) =>
  record({
    name: text,
    rank: orNull(integer(0)),
    steps: stepColumns(limits),
    network: limits.chunk,
    notes: limits.chunk,
    curves: limits.chunk,
    gaps: limits.chunk,
    /** How many findings are likely a problem, without their consequences; -1: no rule was checked, or the bundle is older. */
    problems: optional(integer(-1), NONE),
    /** The severity of the most severe finding; -1: there is none, or no rule was checked, or the bundle is older. */
    worst: optional(integer(-1, WORST), NONE),
    /** What rules found, or -1. */
    findings: optional(limits.lane, NONE),
    /** What there is over time, or -1. */
    series: optional(limits.lane, NONE),
    /** What there is of histograms over time: one for each part of the steps, in their order. */
    histograms: optional(list(limits.chunk), []),
    /** The gradient flows of its steps, or -1. */
    flows: optional(limits.lane, NONE),
  });

/** The recorded steps in ascending order, one entry per step in every column. */
const stepColumns = (limits: Limits) =>
  also(
    table("step", () => ({
      step: integer(0),
      type: limits.type,
      batch_size: integer(0),
      time: orNull(number),
      layout: limits.layout,
      structure_set: limits.structure_set,
      /** Position in the sets of calls, or -1. */
      call_set: optional(limits.call_set, NONE),
      sample_set: limits.sample_set,
      array_set: limits.array_set,
      lane8: limits.lane,
      lane4: limits.lane,
      lane2: limits.lane,
      lane1: limits.lane,
      gaps: integer(0),
      /** Position of the reason why a step was recorded although it was not its turn, or -1. */
      triggered: optional(limits.triggered, NONE),
      /** Position in the facts, or -1. */
      facts: optional(limits.facts, NONE),
      epoch: optional(orNull(number), null),
    })),
    ({ step }, where) => checkAscending(step, `${where}.step`),
  );

export const FLOW_ROLES = ["input", "layer", "target"] as const;
export type FlowRole = (typeof FLOW_ROLES)[number];

/** More elements than this, or more samples, do not fit into the integers that name them. */
export const MOST_ELEMENTS = 2 ** 31 - 1;

/** A gradient flow of a step. `lane4` is the first chunk of its lane, and every start below is an element of that. */
export type StoredFlow = Checked<ReturnType<typeof storedFlow>> & { pairs: StoredFlowPair[] };
export const storedFlow = (lane: Check<number>) =>
  record({
    step: integer(0),
    iteration: integer(0),
    name: text,
    method: text,
    /** Positions in the batch; none where the layers have no batch dimension. */
    samples: list(integer(0)),
    lane4: lane,
    layers: list(storedLayer),
  });

/** `values` and `gradients` are starts, or -1 where they are not known. */
export type StoredFlowLayer = Checked<typeof storedLayer>;
const storedLayer = record({
  name: text,
  shape: list(integer(0, MOST_ELEMENTS)),
  role: oneOf(FLOW_ROLES),
  record_name: orNull(text),
  record_iteration: orNull(integer(-1)),
  values: integer(-1),
  gradients: integer(-1),
});

/** The flows from a layer to a later one. The sums have an entry per sample; `computed` and `residuals` are starts, or -1. */
export type StoredFlowPair = Checked<ReturnType<typeof storedPair>>;
export const storedPair = (layers: number, samples: number) => {
  const sums = column(number, samples);
  const counts = also(column(integer(0, MOST_ELEMENTS), samples), (perSample, where) => {
    if (perSample.reduce((sum, count) => sum + count, 0) > MOST_ELEMENTS) {
      fail(where, "smaller");
    }
  });
  const pair = record({
    from: integer(0, layers - 2),
    to: integer(0, layers - 1),
    count: counts,
    positive: sums,
    negative: sums,
    largest: sums,
    non_finite: counts,
    computed: integer(-1),
    residuals: integer(-1),
    by_source: flowRows,
    by_target: flowRows,
    /** The places where the strongest flows begin, one sample after another, and how many each sample has. */
    strongest: record({ sources: integer(0), targets: integer(0), flows: integer(0), count: counts }),
  });
  return also(pair, ({ from, to }, where) => void integer(from + 1, layers - 1)(to, `${where}.to`));
};

/** Where compressed rows begin: their starts, what is at the other end of each flow, and the flows. */
export type FlowRows = Checked<typeof flowRows>;
const flowRows = record({ starts: integer(0), others: integer(0), flows: integer(0) });

/** A hyperparameter, or a setting of an optimizer. */
export type Setting = number | boolean | string | null;
const setting = (value: unknown, where: string): Setting =>
  value === null || typeof value === "boolean" || typeof value === "string" ? value : number(value, where);

/** Built from entries, so that a key such as __proto__ is a key. */
export function settings(value: unknown, where: string): Record<string, Setting> {
  return Object.fromEntries(Object.entries(object(value, where)).map(([key, item]) => [key, setting(item, where)]));
}

/** A name and a value. */
function namedSetting(value: unknown, where: string): [string, Setting] {
  const [name, given] = column(setting, 2)(value, where);
  return [text(name, `${where}[0]`), given!];
}

const optimizerOverview = record({ name: text, groups: integer(0), options: settings });

/** The best first. Empty: not known. */
export const ENDINGS = ["finished", "", "running", "killed", "exception"] as const;
export type Ending = (typeof ENDINGS)[number];

/** How the run of an entry of the trials went. */
export type RunOverview = Checked<typeof runOverview>;
export const runOverview = record({
  started: text,
  seconds: orNull(number),
  ending: oneOf(ENDINGS),
  error: text,
  error_step: orNull(integer(0)),
  /** How many training steps there were, recorded or not; null where that is not known. */
  trained: orNull(integer(0)),
  recorded: integer(0),
  /** How many elements the parameters have; shared ones count once. */
  parameters: integer(0),
  trainable: integer(0),
  devices: list(text),
  dtypes: list(text),
  /** The settings are those of the first group. */
  optimizers: list(optimizerOverview),
  /** The hyperparameters, in the order in which they were given. */
  config: list(namedSetting),
});

/** A process that wrote a recording; `closed` says whether it ended the recording, or null where that is not known. */
export type Session = Checked<typeof session>;
const session = record({ first: orNull(integer(0)), last: orNull(integer(0)), steps: integer(0), closed: orNull(flag) });

export type AboutRecording = Checked<typeof aboutRecording>;
const aboutRecording = record({
  trial: optional(text, ""),
  rank: optional(integer(0), 0),
  world_size: optional(integer(1), 1),
  writer: optional(text, ""),
  torch_version: optional(text, ""),
  started: optional(text, ""),
  sessions: optional(list(session), []),
  left_behind: optional(integer(0), 0),
});

export const about = record({
  recordings: optional(list(aboutRecording), []),
  omissions: optional(list(text), []),
  problems: optional(list(text), []),
});

export const TENSOR_TYPES = ["input", "calculated", "target", "loss", "parameter"] as const;
export type TensorType = (typeof TENSOR_TYPES)[number];

export const KINDS = ["neuron", "kpis", "kpis_and_svd", "single_value"] as const;
export type Kind = (typeof KINDS)[number];

/** Dtypes that a tensor may have, in safetensors' spelling. */
export const DTYPES = [
  "F64",
  "F32",
  "F16",
  "BF16",
  "F8_E4M3",
  "F8_E5M2",
  "I64",
  "I32",
  "I16",
  "I8",
  "U64",
  "U32",
  "U16",
  "U8",
  "BOOL",
] as const;
export type Dtype = (typeof DTYPES)[number];

/** What a step holds, in which order. */
export interface Layout {
  tensors: {
    name: string[];
    iteration: number[];
    node: string[];
    role: string[];
    type: TensorType[];
    kind: Kind[];
    dtype: Dtype[];
    stored: Dtype[];
    shape: number[][];
    batch_dimension: (number | null)[];
    samples: number[];
    operation: (string | null)[];
    module: (string | null)[];
    /** Where the tensor was: `cpu`, `cuda:0`. */
    device: (string | null)[];
    shard: (Shard | null)[];
    /** Which line of the code made the tensor: a position in `sources`. */
    source: (number | null)[];
    /** Places of the samples whose values are in the bundle; null: all that were recorded. Missing: null for all tensors. */
    kept?: (number[] | null)[];
    /** The dtype of the aggregates in the bundle; null: they were left out. Missing: that of the statistics. */
    aggregates?: (Dtype | null)[];
  };
  groups: { name: string; tensors: number[] }[];
  sources: SourceLine[];
}

/** A line of the code: its file, relative to the project, and the function that it is part of. */
export type SourceLine = Checked<typeof sourceLine>;
export const sourceLine = record({ file: text, line: integer(1), function: text });

/** Which part of a tensor a rank holds: sizes of the whole, number of the part, how many there are. */
export type Shard = Checked<typeof shard>;
export const shard = also(record({ shape: list(integer(0)), index: integer(0), count: integer(1) }), ({ index, count }, where) => {
  integer(0, count - 1)(index, `${where}.index`);
});

/** The dependency graph of one iteration, laid out in columns. Nodes are ordered by column, then row. */
export interface Graph {
  nodes: { name: string[]; type: TensorType[]; label: string[]; column: number[]; row: number[] };
  columns: { heading: string[] };
  tensors: { name: string[]; node: number[]; role: string[]; record_name: string[]; record_iteration: number[] };
  from: number[];
  to: number[];
  /** Positions in `from` and `to` of the dependencies through which no gradient flows. */
  without_gradient: number[];
}

/** `module` is a position in the network, `parent` a row or -1, `number` counts the calls of the module. */
const callColumns = table("module", (rows) => ({
  module: integer(0),
  parent: integer(-1, rows - 1),
  number: integer(0),
  training: flag,
  raised: flag,
}));

/** Without numbers, the record is null, and `text` says what the value was. */
const portColumns = (calls: number) =>
  table("call", () => ({
    call: integer(0, calls - 1),
    side: oneOf(["input", "output"] as const),
    path: text,
    record_name: orNull(text),
    record_iteration: orNull(integer(-1)),
    text: orNull(text),
    /** What the tensor is known to be: a pattern of attention. */
    meaning: optional(orNull(text), null),
    /** The record of an input's gradient through the call alone; null where there is only the tensor's gradient, which is the total. */
    gradient_record_name: optional(orNull(text), null),
    gradient_record_iteration: optional(orNull(integer(-1)), null),
  }));

/** The calls of watched modules in one iteration, in the order in which they began, and what went in and came out. */
export type Calls = Checked<typeof callsAndPorts>;
export const callsAndPorts = (value: unknown, where: string) => {
  const { calls } = record({ calls: callColumns })(value, where);
  return { calls, ...record({ ports: portColumns(calls.module.length) })(value, where) };
};

/** What is known of the gradients of one group; null where it is not. */
export type GradientFacts = Checked<typeof gradientFacts>;
const gradientFacts = record({
  group: text,
  backward_passes: orNull(integer(0)),
  loss_scale: orNull(number),
  changed_in_place_by: orNull(list(text)),
  averaged_over_ranks: orNull(flag),
});

/** What is known of a step besides its tensors. `module_runs` and `parameter_list` are positions in the index's lists, or -1. */
export type StepFacts = Checked<typeof parseFacts>;
export const parseFacts = record({
  session: optional(integer(0), 0),
  learning_rates: orNull(list(list(number))),
  gradients: optional(list(gradientFacts), []),
  held_bytes: orNull(integer(0)),
  module_runs: optional(integer(-1), NONE),
  parameter_list: optional(integer(-1), NONE),
});

/** Which modules ran: positions in the network, whether each was in training mode, how often it ran. */
export type ModuleRuns = Checked<typeof parseModuleRuns>;
export const parseModuleRuns = also(
  table("module", () => ({ module: integer(0), training: flag, calls: integer(0) })),
  ({ module }, where) => checkAscending(module, `${where}.module`),
);

/** The parameters that a step has numbers about: positions in the network. */
export type ParameterList = Checked<typeof parseParameterList>;
export const parseParameterList = record({ parameter: ascending(Number.MAX_SAFE_INTEGER) });

export interface Network {
  modules: { name: string; type: string; parent: number; description: string }[];
  parameters: { name: string; module: number; shape: number[]; dtype: string; requires_grad: boolean; alias_of: string | null }[];
  /** Null if the recorder tracked none. */
  optimizers: Optimizer[] | null;
}

export interface Optimizer {
  name: string;
  type: string;
  groups: OptimizerGroup[];
}

/** Positions of parameters in the network, and the settings as they were when the optimizer was handed over. */
export interface OptimizerGroup {
  parameters: number[];
  options: Record<string, Setting>;
}

export type Note = Checked<typeof note>;
export const note = record({ text, step: orNull(integer(0)) });

export type Curve = Checked<typeof curve>;
export const curve = also(record({ group: text, name: text, type: text, t: list(number), v: list(number) }), ({ t, v }, where) => {
  if (t.length !== v.length) {
    fail(`${where}.v`, `a list of ${t.length}`);
  }
});

export type Gap = Checked<typeof gap>;
export const gap = record({
  step: orNull(integer(0)),
  iteration: orNull(integer(-1)),
  group: orNull(text),
  tensor: orNull(text),
  reason: text,
});

/** A figure that was drawn at export. `selections` has the chunk of every entry of the index's trials, or -1 where nothing was drawn. */
export type Figure = Checked<ReturnType<typeof figure>>;
export const figure = (lane: Check<number>) => record({ title: text, file: text, per: list(text), selections: list(lane) });
