/** Addresses of what two views differ in, with B still beside A. */

import type { Trial } from "../../data/format/types";
import { readLink, type Tab, writeLink } from "../address/url";
import { withOption } from "../address/view_options";
import { nearestStep } from "../selection/nearest_step";
import type { OpenStep } from "../selection/open_step";
import { rankOf } from "../selection/options";
import { ANY_TYPE, ONLY_RANK, type Selection } from "../selection/selection";
import type { Store } from "../store";
import type { Kind, KindDifference, Place } from "./kinds/difference";
import { swapped, writePin } from "./pin";

/** Where those differences are shown that are not about a tensor. */
const TABS: Partial<Record<Kind, Tab>> = {
  module: "network",
  parameter: "network",
  hyperparameter: "overview",
  optimizer: "overview",
  software: "about",
};

/** The address of a difference: its tensor in A, or in B, which changes places with A, if A lacks it. */
export function linkToDifference(store: Store, { kind, place, a }: KindDifference): string {
  const isInB = place !== null && a === undefined;
  return isInB ? linkInB(store, place) : linkInA(store, place, TABS[kind]);
}

/** The address of a place in A. */
export function linkInA(store: Store, place: Place | null, tab: Tab = "tensors"): string {
  const selection = store.selection.value;
  return `#${writeLink(tab, { ...selection, ...selectionAt(place, selection, store.shown.value?.open) }, store.view.value)}`;
}

/** The address of another step of A and of B, with a place in A. */
export function linkToStepOfBoth(store: Store, step: number, place: Place | null): string {
  const selection = { ...store.selection.value, stepType: ANY_TYPE, step };
  const pin = store.pin.value;
  const view = pin?.step === undefined ? store.view.value : withOption(store.view.value, "pin", writePin({ ...pin, step }));
  return `#${writeLink("tensors", { ...selection, ...selectionAt(place, selection, store.shown.value?.open) }, view)}`;
}

/**
 * The address of a trial beside another one: at the first step that both have, before which nothing can differ, or else at the first step
 * of the one and the nearest of the other. Null where one of them has no steps.
 */
export function linkToTrials({ bundle, view }: Store, trial: Trial, other: Trial): string | null {
  const steps = stepsOfTrials(trial, other);
  if (steps === null) {
    return null;
  }
  const rank = rankOf(bundle, other);
  const beside = { trial: other.name, ...(rank !== ONLY_RANK && { rank }), ...(steps.ofB !== steps.ofA && { step: steps.ofB }) };
  const options = withOption(withOption(view.value, "pane", "compare"), "pin", writePin(beside));
  return `#${writeLink("tensors", { trial: trial.name, rank: rankOf(bundle, trial), stepType: ANY_TYPE, step: steps.ofA }, options)}`;
}

/** A training step rather than an evaluation, if there is one. */
function stepsOfTrials({ steps: { step: steps } }: Trial, other: Trial): { ofA: number; ofB: number } | null {
  const shared = steps.filter((step) => other.steps.step.includes(step));
  const ofA = shared.find(Number.isInteger) ?? shared[0] ?? steps[0];
  const ofB = ofA === undefined ? undefined : nearestStep(other, ofA)?.step;
  return ofA === undefined || ofB === undefined ? null : { ofA, ofB };
}

/** Goes on to where A and B differ if a link has led here to find that out. `link` is null where they do not differ. */
export function followDifference(store: Store, link: string | null): void {
  const isSought = store.soughtDifference.peek() !== null && store.soughtDifference.peek() === store.view.peek().get("pin");
  store.soughtDifference.value = null;
  const target = isSought && link !== null ? readLink(link) : null;
  if (target !== null) {
    store.open(target);
  }
}

/** The address of a place in B, which is shown then, beside what was A. */
function linkInB(store: Store, place: Place | null): string {
  const { selection, pin } = swapped(store.selection.value, store.pin.value ?? {});
  const second = store.second.value;
  const open = second?.state === "ready" ? second.value.open : null;
  return `#${writeLink("tensors", { ...selection, ...selectionAt(place, selection, open) }, withOption(store.view.value, "pin", writePin(pin)))}`;
}

/** What is selected at a place: the same batch or sample where its tensor has that, or else what it has. */
function selectionAt(
  place: Place | null,
  { iteration: shown, aggregation }: Selection,
  open: OpenStep | null | undefined,
): Partial<Selection> {
  if (place === null) {
    return {};
  }
  const { iteration, node, role } = place;
  const has = (k: number): boolean => open?.graphs[k]?.nodes.name.includes(node) === true;
  const shownOrFirst =
    open == null || has(shown)
      ? shown
      : Math.max(
          0,
          open.graphs.findIndex((_, k) => has(k)),
        );
  const at = iteration ?? shownOrFirst;
  const aggregations = open?.offers.of(at, node).find((offer) => role === null || offer.role === role)?.aggregations ?? [];
  const [other] = aggregations.includes(aggregation) ? [] : aggregations;
  return { iteration: at, node, ...(role !== null && { role }), ...(other !== undefined && { aggregation: other }) };
}
