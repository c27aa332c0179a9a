/** From what a person has chosen to what exists: gives way as far as needed, and goes back to what was chosen as soon as it can. */

import { agrees, type Offer, type StepOffers, type Wanted } from "./offers";
import { type Attribute, FORWARD, RELAXABLE, type Relaxable, type Selection } from "./selection";

/** The part of a selection that a step decides about. */
export type StepSelection = Pick<Selection, "recording" | "iteration" | "node" | "role" | "aggregation">;

interface Resolution {
  selection: StepSelection;
  /** What the person has chosen last, attribute by attribute, whether it is shown now or had to give way. */
  chosen: StepSelection;
  /** Whether there is a record of the selection. */
  hasRecord: boolean;
}

/**
 * Finds what to show.
 *
 * `current` is what is shown now, with the change in it. `changed` is what the person has just changed, which never gives way; null for
 * a link, where everything may give way. `chosen` is what an earlier resolution said; null before the first one.
 */
export function resolve(offers: StepOffers, current: StepSelection, changed: Attribute | null, chosen: StepSelection | null): Resolution {
  const wanted = chosen === null || changed === null ? current : withChange(chosen, current, changed);
  const selection = find(offers, wanted, current, changed);
  if (selection === undefined) {
    return { selection: withoutRecord(offers, current), chosen: wanted, hasRecord: false };
  }
  return { selection, chosen: changed === null ? selection : wanted, hasRecord: true };
}

/** Whoever chooses something in an iteration means that iteration, and whoever chooses a role means its node. */
function withChange(chosen: StepSelection, current: StepSelection, changed: Attribute): StepSelection {
  switch (changed) {
    case "recording":
    case "aggregation":
    case "node":
      return { ...chosen, iteration: current.iteration, [changed]: current[changed] };
    case "role":
      return { ...chosen, iteration: current.iteration, node: current.node, role: current.role };
    case "iteration":
      return { ...chosen, iteration: current.iteration };
    default:
      return chosen;
  }
}

/** The recording type gives way only where the node has none of it, and to `forward` if possible. */
function find(offers: StepOffers, wanted: StepSelection, current: StepSelection, changed: Attribute | null): StepSelection | undefined {
  if (changed === "recording") {
    return relax(offers, wanted, current, changed);
  }
  const keepsRecording = wanted.recording === current.recording;
  const others = offers.recordings.filter((recording) => recording !== wanted.recording && recording !== current.recording);
  others.sort((a, b) => Number(b === FORWARD) - Number(a === FORWARD));
  const withNode = keepsRecording ? undefined : relax(offers, wanted, current, changed, RELAXABLE.slice(0, -1));
  if (withNode !== undefined) {
    return withNode;
  }
  for (const recording of [current.recording, ...others]) {
    const relaxed = relax(offers, { ...wanted, recording }, current, changed);
    if (relaxed !== undefined) {
      return relaxed;
    }
  }
  return undefined;
}

/** Drops role, batch or sample, iteration and node, one after the other and cumulatively, until something exists. */
function relax(
  offers: StepOffers,
  wanted: StepSelection,
  current: StepSelection,
  changed: Attribute | null,
  order: readonly Relaxable[] = RELAXABLE,
): StepSelection | undefined {
  const constraints: Wanted = { ...wanted };
  for (const attribute of [null, ...order]) {
    if (attribute !== null && attribute === changed) {
      continue;
    }
    if (attribute !== null) {
      delete constraints[attribute];
    }
    const offer = nearestOffer(offers, constraints, wanted, current);
    if (offer !== undefined) {
      const { iteration, node, role, aggregations } = offer;
      const aggregation =
        [wanted.aggregation, current.aggregation].find((candidate) => aggregations.includes(candidate)) ?? aggregations[0]!;
      return { recording: wanted.recording, iteration, node, role, aggregation };
    }
  }
  return undefined;
}

/** Returns the offer that meets the constraints, in the iteration nearest to the wanted one, most like what is wanted or shown. */
function nearestOffer(offers: StepOffers, constraints: Wanted, wanted: StepSelection, current: StepSelection): Offer | undefined {
  const iterations = constraints.iteration === undefined ? byDistance(offers.iterations, wanted.iteration) : [constraints.iteration];
  const likeness = (offer: Offer): number =>
    8 * Number(offer.node === wanted.node) +
    4 * Number(offer.node === current.node) +
    2 * Number(offer.role === wanted.role) +
    Number(offer.role === current.role);
  for (const iteration of iterations) {
    const offered = offers.of(iteration, constraints.node).filter((offer) => agrees(offer, constraints));
    if (offered.length > 0) {
      const scores = offered.map(likeness);
      return offered[scores.indexOf(scores.reduce((most, score) => Math.max(most, score)))];
    }
  }
  return undefined;
}

/** The numbers below `count`, those nearest to `wanted` first. */
function byDistance(count: number, wanted: number): number[] {
  return Array.from({ length: count }, (_, k) => k).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
}

/** A tensor of the graph without any numbers can still be selected; anything else falls back to what is there. */
function withoutRecord(offers: StepOffers, wanted: StepSelection): StepSelection {
  const iteration = Math.max(0, Math.min(wanted.iteration, offers.iterations - 1));
  const shown = offers.of(iteration);
  const ofNode = shown.filter((candidate) => candidate.node === wanted.node);
  const offer = ofNode.find((candidate) => candidate.role === wanted.role) ?? ofNode[0] ?? shown[0];
  return { ...wanted, iteration, node: offer?.node ?? "", role: offer?.role ?? "" };
}
