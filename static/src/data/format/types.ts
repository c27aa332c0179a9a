/**
 * What a bundle holds. `docs/bundle-format.md` is the specification; `comgra_export/exporter/format.py` is the same for the exporter.
 *
 * A *position* marked S in the specification is an index into `strings`. Letters: `B` samples in the batch, `S` samples recorded one
 * by one, `N` values per sample, `A` aggregations, `I` items.
 */

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
  /** Names of the scripts that draw in a tab of their own. */
  visualizations: string[];
  figures: Figure[];
  plotly: number;
  about: About;
}

/** One entry per chunk in every column. */
export interface ChunkTable {
  bytes: number[];
  crc32: number[];
  codec: number[];
  width: number[];
  inline: number[];
  /** Different where content is; empty but in a folder that is kept fresh. */
  identity: number[];
}

/** The arrays of a step in the order of its lanes; names and dtypes are positions. */
export interface ArraySet {
  name: number[];
  dtype: number[];
  count: number[];
}

/** The samples recorded one by one; labels are positions. */
export interface SampleSet {
  index: number[];
  label: number[];
}

/** Where documents are: number of the chunk, and place in the list that the chunk holds. */
export interface Places {
  chunk: number[];
  position: number[];
}

/** One rank of one trial, or, where `rank` is null, all of them merged. */
export interface Trial {
  name: string;
  rank: number | null;
  steps: StepColumns;
  network: number;
  notes: number;
  curves: number;
  gaps: number;
  /** What there is over time, or -1. */
  series: number;
  /** What there is of histograms over time: one for each part of the steps, in their order. */
  histograms: number[];
  /** The gradient flows of its steps, or -1. */
  flows: number;
}

/** The recorded steps in ascending order, one entry per step in every column. */
export interface StepColumns {
  step: number[];
  type: number[];
  batch_size: number[];
  time: (number | null)[];
  layout: number[];
  structure_set: number[];
  /** Position in the sets of calls, or -1. */
  call_set: number[];
  sample_set: number[];
  array_set: number[];
  lane8: number[];
  lane4: number[];
  lane2: number[];
  lane1: number[];
  gaps: number[];
  /** Position of the reason why a step was recorded although it was not its turn, or -1. */
  triggered: number[];
  /** Position in the facts, or -1. */
  facts: number[];
  epoch: (number | null)[];
}

/** What a trial has over time. Names and groups are positions in its strings; `laneW` is the first chunk of that lane, or -1. */
export interface Series {
  strings: string[];
  step_lists: number[][];
  lane8: number;
  lane4: number;
  records: SeriesRecords;
  parameters: SeriesParameters;
}

/** A trial's histograms at some of its steps. Names, groups and types are positions in strings; `laneW`: first chunk of the lane, or -1. */
export interface Histograms {
  strings: string[];
  step_lists: number[][];
  lane8: number;
  lane4: number;
  records: HistogramRecords;
}

/** One entry per record and type in every column: its list of steps, and where its numbers and integers begin; `counts` are of all bins. */
export interface HistogramRecords {
  group: number[];
  name: number[];
  iteration: number[];
  type: number[];
  steps: number[];
  width: number[];
  start: number[];
  integers_width: number[];
  integers_start: number[];
  counts: number[];
}

/** What there is about parameters, given by their positions in the network: their lists of steps, and where their numbers begin. */
export interface SeriesParameters {
  parameter: number[];
  steps: number[];
  width: number[];
  start: number[];
}

/** One entry per record in every column: how many statistics and aggregations it has, its list of steps, and where its numbers begin. */
export interface SeriesRecords {
  group: number[];
  name: number[];
  iteration: number[];
  items: number[];
  aggregations: number[];
  steps: number[];
  width: number[];
  start: number[];
  counts_width: number[];
  counts_start: number[];
}

export const FLOW_ROLES = ["input", "layer", "target"] as const;
export type FlowRole = (typeof FLOW_ROLES)[number];

/** A gradient flow of a step. `lane4` is the first chunk of its lane, and every start below is an element of that. */
export interface StoredFlow {
  step: number;
  iteration: number;
  name: string;
  method: string;
  /** Positions in the batch; none where the layers have no batch dimension. */
  samples: number[];
  lane4: number;
  layers: StoredFlowLayer[];
  pairs: StoredFlowPair[];
}

/** `values` and `gradients` are starts, or -1 where they are not known. */
export interface StoredFlowLayer {
  name: string;
  shape: number[];
  role: string;
  record_name: string | null;
  record_iteration: number | null;
  values: number;
  gradients: number;
}

/** The flows from a layer to a later one. The sums have an entry per sample; `computed` and `residuals` are starts, or -1. */
export interface StoredFlowPair {
  from: number;
  to: number;
  count: number[];
  positive: number[];
  negative: number[];
  largest: number[];
  non_finite: number[];
  computed: number;
  residuals: number;
  by_source: FlowRows;
  by_target: FlowRows;
  strongest: StrongestFlows;
}

/** Where compressed rows begin: their starts, what is at the other end of each flow, and the flows. */
export interface FlowRows {
  starts: number;
  others: number;
  flows: number;
}

/** The places where the strongest flows begin, one sample after another, and how many each sample has. */
interface StrongestFlows {
  sources: number;
  targets: number;
  flows: number;
  count: number[];
}

export interface About {
  recordings: AboutRecording[];
  omissions: string[];
  problems: string[];
}

export interface AboutRecording {
  trial: string;
  rank: number;
  world_size: number;
  writer: string;
  torch_version: string;
  started: string;
  sessions: Session[];
  left_behind: number;
}

/** A process that wrote a recording; `closed` says whether it ended the recording, or null where that is not known. */
export interface Session {
  first: number | null;
  last: number | null;
  steps: number;
  closed: boolean | null;
}

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
    /** Places of the samples whose values are in the bundle; null: all that were recorded. Missing: null for all tensors. */
    kept?: (number[] | null)[];
    /** The dtype of the aggregates in the bundle; null: they were left out. Missing: that of the statistics. */
    aggregates?: (Dtype | null)[];
  };
  groups: { name: string; tensors: number[] }[];
}

/** Which part of a tensor a rank holds: sizes of the whole, number of the part, how many there are. */
export interface Shard {
  shape: number[];
  index: number;
  count: number;
}

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

export const PORT_SIDES = ["input", "output"] as const;
type PortSide = (typeof PORT_SIDES)[number];

/** The calls of watched modules in one iteration, in the order in which they began, and what went in and came out. */
export interface Calls {
  calls: CallColumns;
  ports: PortColumns;
}

/** `module` is a position in the network, `parent` a row or -1, `number` counts the calls of the module. */
interface CallColumns {
  module: number[];
  parent: number[];
  number: number[];
  training: boolean[];
  raised: boolean[];
}

/** Without numbers, the record is null, and `text` says what the value was. */
interface PortColumns {
  call: number[];
  side: PortSide[];
  path: string[];
  record_name: (string | null)[];
  record_iteration: (number | null)[];
  text: (string | null)[];
  /** What the tensor is known to be: a pattern of attention. */
  meaning: (string | null)[];
  /** The record of an input's gradient through the call alone; null where there is only the tensor's gradient, which is the total. */
  gradient_record_name: (string | null)[];
  gradient_record_iteration: (number | null)[];
}

/** What is known of the gradients of one group; null where it is not. */
export interface GradientFacts {
  group: string;
  backward_passes: number | null;
  loss_scale: number | null;
  changed_in_place_by: string[] | null;
  averaged_over_ranks: boolean | null;
}

/** What is known of a step besides its tensors. `module_runs` and `parameter_list` are positions in the index's lists, or -1. */
export interface StepFacts {
  session: number;
  learning_rates: number[][] | null;
  gradients: GradientFacts[];
  held_bytes: number | null;
  module_runs: number;
  parameter_list: number;
}

/** Which modules ran: positions in the network, whether each was in training mode, how often it ran. */
export interface ModuleRuns {
  module: number[];
  training: boolean[];
  calls: number[];
}

/** The parameters that a step has numbers about: positions in the network. */
export interface ParameterList {
  parameter: number[];
}

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
  options: Record<string, number | boolean | string | null>;
}

export interface Note {
  text: string;
  step: number | null;
}

export interface Curve {
  group: string;
  name: string;
  type: string;
  t: number[];
  v: number[];
}

export interface Gap {
  step: number | null;
  iteration: number | null;
  group: string | null;
  tensor: string | null;
  reason: string;
}

/** A figure that was drawn at export. `selections` has the chunk of every entry of the index's trials, or -1 where nothing was drawn. */
export interface Figure {
  title: string;
  file: string;
  per: string[];
  selections: number[];
}

/** For which selections a figure was drawn, and where that is. What it does not depend on is -1; a `sample` of -1 is the batch. */
export interface FigureSelections {
  step: number[];
  iteration: number[];
  sample: number[];
  chunk: number[];
  position: number[];
}

export const FIGURE_KINDS = ["svg", "html", "plotly", "error"] as const;

/** What was drawn for a selection: an image, the document of a frame, the JSON of a figure of plotly, or a traceback. */
export interface FigureDocument {
  kind: (typeof FIGURE_KINDS)[number];
  text: string;
}

/** The document of a frame that shows a figure of plotly: what comes before its JSON, and what comes behind it. */
export interface PlotlyFrame {
  before: string;
  behind: string;
}
