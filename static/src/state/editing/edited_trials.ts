/** Trials that come from an edited input, and those that the inputs are of. */

import { batch } from "@preact/signals";
import type { Bundle } from "../../data/bundle";
import { ANY_TYPE } from "../selection/selection";
import { place } from "../selection/step_choice";
import type { Store } from "../store";

/** The trial that an edited input was of, as `comgra-export rerun` names trials; null where there is none. */
export function originalOf(bundle: Bundle, trial: string): string | null {
  const name = /^(.+) edit \d+$/.exec(trial)?.[1];
  return bundle.index.trials.some((candidate) => candidate.name === name) ? name! : null;
}

/** Shows a trial, and the one before the edit as B: at the step that was shown of it, or the one nearest to that of A. */
export function compareWithOriginal(store: Store, trial: string, original: string): void {
  const before = store.selection.value;
  const { step } = place(store.bundle, { ...before, trial: original, stepType: ANY_TYPE }).selection;
  batch(() => {
    if (before.trial !== trial) {
      store.change("trial", trial);
    }
    store.tab.value = "tensors";
    store.setPin({ trial: original, step });
    store.setView("pane", "compare");
  });
}
