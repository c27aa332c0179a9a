/** Addresses of what two views differ in, with B still beside A. */

import { type Tab, writeLink } from "../address/url";
import { withOption } from "../address/view_options";
import type { OpenStep } from "../selection/open_step";
import { ANY_TYPE, type Selection } from "../selection/selection";
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

/** The address of a place in B, which is shown then, beside what was A. */
function linkInB(store: Store, place: Place | null): string {
  const { selection, pin } = swapped(store.selection.value, store.pin.value ?? {});
  const second = store.second.value;
  const open = second?.state === "ready" ? second.value.open : null;
  return `#${writeLink("tensors", { ...selection, ...selectionAt(place, selection, open) }, withOption(store.view.value, "pin", writePin(pin)))}`;
}

function selectionAt(place: Place | null, { iteration: shown }: Selection, open: OpenStep | null | undefined): Partial<Selection> {
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
  return { iteration: iteration ?? shownOrFirst, node, ...(role !== null && { role }) };
}
