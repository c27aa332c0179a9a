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
  strings: string[];
  chunks: ChunkTable;
  array_sets: ArraySet[];
  sample_sets: SampleSet[];
  structure_sets: number[][];
  layouts: Places;
  structures: Places;
  trials: Trial[];
  about: About;
}

/** One entry per chunk in every column. */
export interface ChunkTable {
  bytes: number[];
  crc32: number[];
  codec: number[];
  width: number[];
  inline: number[];
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

/** One rank of one trial. */
export interface Trial {
  name: string;
  rank: number;
  steps: StepColumns;
  network: number;
  notes: number;
  curves: number;
  gaps: number;
}

/** The recorded steps in ascending order, one entry per step in every column. */
export interface StepColumns {
  step: number[];
  type: number[];
  batch_size: number[];
  time: (number | null)[];
  layout: number[];
  structure_set: number[];
  sample_set: number[];
  array_set: number[];
  lane8: number[];
  lane4: number[];
  lane2: number[];
  lane1: number[];
  gaps: number[];
}

export interface About {
  recordings: AboutRecording[];
  omissions: string[];
  problems: string[];
}

export interface AboutRecording {
  trial: string;
  writer: string;
  torch_version: string;
  started: string;
}

export const TENSOR_TYPES = ["input", "calculated", "target", "loss", "parameter"] as const;
export type TensorType = (typeof TENSOR_TYPES)[number];

export const KINDS = ["neuron", "kpis", "kpis_and_svd", "single_value"] as const;
export type Kind = (typeof KINDS)[number];

/** Dtypes that a tensor may have, in safetensors' spelling. */
export const DTYPES = [
  "F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL",
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
  };
  groups: { name: string; tensors: number[] }[];
}

/** The dependency graph of one iteration, laid out in columns. Nodes are ordered by column, then row. */
export interface Graph {
  nodes: { name: string[]; type: TensorType[]; label: string[]; column: number[]; row: number[] };
  columns: { heading: string[] };
  tensors: { name: string[]; node: number[]; role: string[]; record_name: string[]; record_iteration: number[] };
  from: number[];
  to: number[];
}

export interface Network {
  modules: { name: string; type: string; parent: number }[];
  parameters: { name: string; module: number; shape: number[]; dtype: string; requires_grad: boolean; alias_of: string | null }[];
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
