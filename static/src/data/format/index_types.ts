/** The index: everything that opening a bundle reads. */

import {
  also,
  type Check,
  type Checked,
  checkAscending,
  column,
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
import { CHUNK_BYTES, LARGEST_CHUNK, NONE, WORST } from "./constants";
import { DamagedBundleError } from "./errors";
import { type Setting, setting, settings } from "./settings";
import { stepNumber } from "./steps";
import type { StoryNote } from "./story";
import type { Figure } from "./trial_types";

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
  /** Which types of steps trained; none where that is not known, and in pages of earlier versions. */
  step_types: StepTypes;
  /** Names of the scripts that draw in a tab of their own. */
  visualizations: string[];
  figures: Figure[];
  plotly: number;
  about: Checked<typeof about>;
  story: StoryNote[];
  /** The address of the view that the page opens with; empty: the overview. */
  start: string;
}

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
  // `identity` differs where content does; empty but in a folder that is kept fresh. `encoded`: the lengths of what the page holds, for
  // programs that fetch parts of it.
  const others = record({ identity: optional(list(integer(0)), []), encoded: optional(list(integer(0)), []) });
  return { ...columns, ...others(value, where) };
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

/** The types of the recorded steps, and whether some step of each trained. */
export type StepTypes = Checked<ReturnType<typeof stepTypes>>;
export const stepTypes = (type: Check<number>) => table("type", () => ({ type, trained: integer(0, 1) }));

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
      step: stepNumber,
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

/** A name and a value. */
function namedSetting(value: unknown, where: string): [string, Setting] {
  const [name, given] = column(setting, 2)(value, where);
  return [text(name, `${where}[0]`), given!];
}

const optimizerOverview = record({ name: text, groups: integer(0), options: settings });

/** The best first. Empty: not known. */
const ENDINGS = ["finished", "", "running", "killed", "exception"] as const;
export type Ending = (typeof ENDINGS)[number];

/** How the run of an entry of the trials went. */
export type RunOverview = Checked<typeof runOverview>;
export const runOverview = record({
  started: text,
  seconds: orNull(number),
  ending: oneOf(ENDINGS),
  error: text,
  error_step: orNull(stepNumber),
  /** Whether the exception came after that step had ended; older bundles do not say. */
  between_steps: optional(flag, false),
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
const session = record({ first: orNull(stepNumber), last: orNull(stepNumber), steps: integer(0), closed: orNull(flag) });

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
