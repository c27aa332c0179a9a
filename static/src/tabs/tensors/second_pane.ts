/** B as a pane shows it, for the panes that show its values beside those of A. */

import type { Numbers } from "../../data/arrays/lanes";
import type { Value } from "../../data/arrays/numbers";
import type { Store } from "../../state/store";
import type { PaneProps } from "./pane";
import { type ShownValues, shownValues } from "./selected_values";

/** Null if nothing is compared, and while B is not there or lacks the tensor. */
function paneOfSecond(store: Store): PaneProps | null {
  const second = store.second.value;
  if (second?.state !== "ready" || second.value.open === null || second.value.record === undefined) {
    return null;
  }
  const { selection, open, record } = second.value;
  const trial = store.bundle.index.trials.indexOf(open.trial);
  return { store, shown: { selection, trial, step: open.step, open, hasRecord: true }, open, record };
}

export interface SecondValues extends ShownValues {
  pane: PaneProps;
  statistics: Numbers;
  /** Whether its values have the same places as those of A. */
  isAlike: boolean;
}

/** A statistic of B; null where it has none of this name, undefined while it is not loaded. */
export function statisticInB({ pane, statistics }: SecondValues, item: string): Value | null | undefined {
  const place = pane.record.items.indexOf(item);
  return place < 0 ? null : statistics.at(place);
}

/** The value of B at the place of one of A, in the same way. */
export function valueInB({ isAlike, numbers }: SecondValues, k: number): Value | null | undefined {
  return isAlike ? numbers.at(k) : null;
}

/** The values of B beside those of A. */
export function secondValues(store: Store, { shape, numbers }: ShownValues): SecondValues | null {
  const pane = paneOfSecond(store);
  if (pane === null) {
    return null;
  }
  const values = shownValues(pane);
  const isAlike = values.numbers.length === numbers.length && values.shape.join() === shape.join();
  return { ...values, pane, statistics: pane.open.content.numbers.statistics(pane.record, values.aggregation), isAlike };
}
