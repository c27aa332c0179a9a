/** What is the same for many steps: layouts, graphs, calls, and what is known of a step besides its tensors. */

import {
  also,
  ascending,
  type Checked,
  checkAscending,
  flag,
  integer,
  list,
  number,
  oneOf,
  optional,
  orNull,
  record,
  table,
  text,
} from "./checks";
import { NONE } from "./constants";
import type { Dtype, Kind, TensorType } from "./dtypes";

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
  /** Tensors, ascending, that may depend on more than this says, and why. */
  not_known: { tensor: number[]; reason: (string | null)[] };
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

/** The parameters whose norms were estimated: from how many elements, and the relative error of the norm of the update. */
const estimatedNorms = table("parameter", () => ({ parameter: integer(0), elements: integer(1), error: orNull(number) }));

/** The parameters that a step has numbers about: positions in the network. */
export type ParameterList = Checked<typeof parseParameterList>;
export const parseParameterList = record({
  parameter: ascending(Number.MAX_SAFE_INTEGER),
  estimated: optional(estimatedNorms, { parameter: [], elements: [], error: [] }),
});
