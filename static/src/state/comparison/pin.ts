/** The second view, B, with which the shown one, A, is compared: some attributes of it are fixed, the others follow A. */

import { readPairs, readSelection, writeSelection } from "../address/url";
import type { Selection } from "../selection/selection";

/** What is fixed of B. */
export type Pin = Partial<Selection>;

/** What can be fixed, in the order in which it is shown. */
export const PINNABLE = ["trial", "rank", "step", "recording", "iteration", "node", "role", "aggregation"] as const;
export type Pinnable = (typeof PINNABLE)[number];

/** What stays fixed when a view becomes B: its place. The selected tensor follows A. */
const FIXED_AT_FIRST: readonly Pinnable[] = ["trial", "rank", "step", "recording", "aggregation"];

export function pinOf(selection: Selection): Pin {
  return Object.fromEntries(FIXED_AT_FIRST.map((attribute) => [attribute, selection[attribute]]));
}

export function withPin(selection: Selection, pin: Pin): Selection {
  return { ...selection, ...pin };
}

/** B as the shown view, and the pin that makes the shown one B: the same attributes stay fixed. */
export function swapped(selection: Selection, pin: Pin): { selection: Selection; pin: Pin } {
  const fixed = Object.keys(pin) as Pinnable[];
  return { selection: withPin(selection, pin), pin: Object.fromEntries(fixed.map((attribute) => [attribute, selection[attribute]])) };
}

/** The pin with one attribute fixed at a value, or free to follow A. */
export function pinned<A extends Pinnable>(pin: Pin, attribute: A, value: Selection[A] | undefined): Pin {
  const { [attribute]: _, ...others } = pin;
  return value === undefined ? (others as Pin) : { ...others, [attribute]: value };
}

export function writePin(pin: Pin): string {
  return writeSelection(pin);
}

/** Null if the address has no second view. */
export function readPin(text: string | undefined): Pin | null {
  return text === undefined ? null : readSelection(readPairs(text));
}
