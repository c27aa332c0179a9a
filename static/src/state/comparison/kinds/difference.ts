/** What a difference in structure is: not by how much two numbers differ, but that they are of different things. */

import type { Setting } from "../../../data/format/types";
import type { OpenStep } from "../../selection/open_step";

/** In the order in which they are listed: what the network computes, then how it was trained, then what ran it. */
export const KINDS = [
  "operation",
  "shape",
  "dtype",
  "node",
  "tensor",
  "connection",
  "gradient",
  "module",
  "parameter",
  "iterations",
  "batch size",
  "hyperparameter",
  "optimizer",
  "code",
  "software",
] as const;
export type Kind = (typeof KINDS)[number];

/** What stands on one side; undefined if the side lacks it. */
export type Seen = Setting | undefined;

/** The place to look at, in A or, if A lacks it, in B. Null: any role of the node, and any iteration that has it, at best the one that is shown. */
export interface Place {
  iteration: number | null;
  node: string;
  role: string | null;
}

export interface KindDifference {
  kind: Kind;
  name: string;
  a: Seen;
  b: Seen;
  place: Place | null;
  /** The iterations of A in which a tensor differs; -1 for a tensor of no iteration. */
  iterations: readonly number[];
}

/** A step as it is compared. */
export interface Side {
  open: OpenStep;
  /** The iteration that is shown. */
  iteration: number;
}

/** A difference that is not about a tensor. */
export function difference(kind: Kind, name: string, a: Seen, b: Seen): KindDifference {
  return { kind, name, a, b, place: null, iterations: [] };
}

/** What two lists of named settings have that is not the same, in the order of A, then of B. */
export function differingSettings(
  kind: Kind,
  a: readonly (readonly [string, Setting])[],
  b: readonly (readonly [string, Setting])[],
): KindDifference[] {
  const [ofA, ofB] = [new Map(a), new Map(b)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])]
    .filter((name) => ofA.has(name) !== ofB.has(name) || !Object.is(ofA.get(name), ofB.get(name)))
    .map((name) => difference(kind, name, ofA.get(name), ofB.get(name)));
}
