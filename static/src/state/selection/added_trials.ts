/** Trials that come with newer data. */

import type { Bundle } from "../../data/bundle";

/** Names of the trials that have steps in the newer one of two bundles only; none where they have no trial in common. */
export function addedTrials(older: Bundle, newer: Bundle): string[] {
  const [known, names] = [trialsWithSteps(older), [...trialsWithSteps(newer)]];
  return names.some((name) => known.has(name)) ? names.filter((name) => !known.has(name)) : [];
}

function trialsWithSteps({ index }: Bundle): Set<string> {
  return new Set(index.trials.filter(({ steps }) => steps.step.length > 0).map(({ name }) => name));
}
