/** What the page shows, and the order in which it gives way. */

/** Stands for "Any training step" where a type of execution is expected; the recorder refuses it as a type. */
export const ANY_TYPE = "any_value";

/** Stands for the triggered steps where a type of execution is expected; no type begins like this. */
export const TRIGGERED = "__triggered";

/** Stands for all ranks of a trial together. */
export const ALL_RANKS = "all";

/** The rank of a trial that has only one. */
export const ONLY_RANK = "";

/** The group that every recording begins with. */
export const FORWARD = "forward";

/** A complete selection. Trials are named; a sample is named by its place in the batch, so that it can be found again on another step. */
export interface Selection {
  trial: string;
  /** A number, `ALL_RANKS` or `ONLY_RANK`. */
  rank: string;
  recording: string;
  stepType: string;
  step: number;
  iteration: number;
  node: string;
  role: string;
  aggregation: string;
}

export type Attribute = keyof Selection;

/** The attributes that give way, in this order. */
export const RELAXABLE = ["role", "aggregation", "iteration", "node"] as const;
export type Relaxable = (typeof RELAXABLE)[number];

/** How an attribute is called in sentences. */
export const ATTRIBUTE_NAMES: Readonly<Record<Attribute, string>> = {
  trial: "trial",
  rank: "rank",
  recording: "recording type",
  stepType: "training step type",
  step: "training step",
  iteration: "iteration",
  node: "node",
  role: "role",
  aggregation: "batch or sample",
};

const SAMPLE_PREFIX = "sample_";

export function sampleAggregation(index: number): string {
  return `${SAMPLE_PREFIX}${index}`;
}

/** The place in the batch of the sample that an aggregation names; null for those over the batch. */
export function sampleOf(aggregation: string): number | null {
  const match = new RegExp(`^${SAMPLE_PREFIX}(\\d+)$`).exec(aggregation);
  return match === null ? null : Number(match[1]);
}
