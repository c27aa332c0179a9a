/** From what is wanted to what exists: gives way as far as needed, and remembers what was given up. */

import { agrees, firstOffer, type StepOffers, type Wanted } from "./offers";
import { FORWARD, RELAXABLE, type Attribute, type Relaxable, type Selection } from "./selection";

/** The part of a selection that a step decides about. */
export type StepSelection = Pick<Selection, "recording" | "iteration" | "node" | "role" | "aggregation">;

/**
 * What was selected before and cannot be now: a list per attribute, the latest last. The recording type gives way to `forward`,
 * which always exists; it is remembered only when it had to.
 */
export type Memory = Readonly<Record<Relaxable, readonly string[]>> & { readonly recording: string | null };

export const EMPTY_MEMORY: Memory = { role: [], aggregation: [], iteration: [], node: [], recording: null };

export interface Resolution {
  selection: StepSelection;
  memory: Memory;
  /** Whether there is a record of the selection. */
  found: boolean;
}

/**
 * Finds what to show.
 *
 * `changed` is what the person has just changed, which never gives way; null for a link, where everything may give way, and nothing
 * that was remembered before is put in its place.
 */
export function resolve(offers: StepOffers, wanted: StepSelection, changed: Attribute | null, memory: Memory): Resolution {
  const found = relax(offers, wanted, changed) ?? relaxRecording(offers, wanted, changed);
  if (found === undefined) {
    return { selection: withoutRecord(offers, wanted), memory, found: false };
  }
  if (changed === null) {
    const selection = restore(offers, found, null, memoryOf(wanted));
    return { selection, memory: remember(offers, selection, memory, null), found: true };
  }
  const givenUp = changed === "recording" ? null : memory.recording ?? (found.recording === wanted.recording ? null : wanted.recording);
  const selection = restore(offers, found, changed, { ...memory, recording: givenUp });
  const stillGivenUp = selection.recording === givenUp ? null : givenUp;
  return { selection, memory: remember(offers, selection, memory, stillGivenUp), found: true };
}

/** Drops role, batch or sample, iteration and node, one after the other and cumulatively, until something exists. */
function relax(offers: StepOffers, wanted: StepSelection, changed: Attribute | null): StepSelection | undefined {
  const constraints: Wanted = { ...wanted };
  for (const attribute of [null, ...RELAXABLE]) {
    if (attribute !== null) {
      if (attribute === changed) {
        continue;
      }
      delete constraints[attribute];
    }
    const offer = firstOffer(offers, constraints);
    if (offer !== undefined) {
      return {
        recording: wanted.recording,
        iteration: offer.iteration,
        node: offer.node,
        role: offer.role,
        aggregation: constraints.aggregation ?? offer.aggregations[0]!,
      };
    }
  }
  return undefined;
}

/** Nothing of this recording type is there at all: another one, `forward` if possible. */
function relaxRecording(offers: StepOffers, wanted: StepSelection, changed: Attribute | null): StepSelection | undefined {
  if (changed === "recording") {
    return undefined;
  }
  const others = offers.recordings.filter((recording) => recording !== wanted.recording);
  others.sort((a, b) => Number(b === FORWARD) - Number(a === FORWARD));
  for (const recording of others) {
    const found = relax(offers, { ...wanted, recording }, changed);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** What a link names is to be kept wherever it is possible by itself, even if something before it had to give way. */
function memoryOf({ role, aggregation, iteration, node, recording }: StepSelection): Memory {
  return { role: [role], aggregation: [aggregation], iteration: [String(iteration)], node: [node], recording };
}

/** Goes back to what was selected before, wherever changing that alone is possible. */
function restore(offers: StepOffers, found: StepSelection, changed: Attribute | null, memory: Memory): StepSelection {
  const hoped = { ...found, recording: memory.recording ?? found.recording };
  let selection = exists(offers, hoped) ? hoped : found;
  for (const attribute of RELAXABLE) {
    if (attribute !== changed) {
      const latest = [...memory[attribute]].reverse().find((value) => exists(offers, withValue(selection, attribute, value)));
      selection = latest === undefined ? selection : withValue(selection, attribute, latest);
    }
  }
  return selection;
}

/** Keeps what cannot be selected now, and puts the present value last. */
function remember(offers: StepOffers, selection: StepSelection, memory: Memory, recording: string | null): Memory {
  const remembered: Record<Relaxable, readonly string[]> = { role: [], aggregation: [], iteration: [], node: [] };
  for (const attribute of RELAXABLE) {
    const impossible = memory[attribute].filter((value) => !exists(offers, withValue(selection, attribute, value)));
    remembered[attribute] = [...impossible, String(selection[attribute])];
  }
  return { ...remembered, recording };
}

function withValue(selection: StepSelection, attribute: Relaxable, value: string): StepSelection {
  return { ...selection, [attribute]: attribute === "iteration" ? Number(value) : value };
}

function exists(offers: StepOffers, selection: StepSelection): boolean {
  return offers.of(selection.iteration).some((offer) => agrees(offer, selection));
}

/** A tensor of the graph without any numbers may still be looked at; anything else falls back to what is there. */
function withoutRecord(offers: StepOffers, wanted: StepSelection): StepSelection {
  const iteration = Math.max(0, Math.min(wanted.iteration, offers.iterations - 1));
  const shown = offers.of(iteration);
  const ofNode = shown.filter((candidate) => candidate.node === wanted.node);
  const offer = ofNode.find((candidate) => candidate.role === wanted.role) ?? ofNode[0] ?? shown[0];
  return { ...wanted, iteration, node: offer?.node ?? "", role: offer?.role ?? "" };
}
