/** Which tabs a page has: those that have something to show. */

import type { Index } from "../../data/format/types";
import { TABS, type Tab } from "./url";

export function shownTabs({ visualizations, figures, call_sets: calls, trials }: Index): Tab[] {
  const shown: Partial<Record<Tab, boolean>> = {
    visualization: visualizations.length + figures.length > 0,
    modules: calls.length > 0,
    flow: trials.some((trial) => trial.flows >= 0),
  };
  return TABS.filter((tab) => shown[tab] ?? true);
}

/** The tab that is wanted, or that of the tensors where the page lacks it. */
export function tabOrTensors(index: Index, wanted: Tab): Tab {
  return shownTabs(index).includes(wanted) ? wanted : "tensors";
}
