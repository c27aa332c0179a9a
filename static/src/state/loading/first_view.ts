/** What a page opens with where no address says it. */

import { namesNothing, readLink } from "../address/url";
import { initialSelection } from "../selection/step_choice";
import type { Store } from "../store";

/**
 * Opens the view that the author of the page chose. Without one it is the overview, which waits for the numbers of no step. It is that of the first trial with steps; where modules were watched, whose
 * trials are called after times, it is that of the trial that was begun last.
 */
export function openFirstView(store: Store): void {
  const { index } = store.bundle;
  const start = readLink(index.start);
  if (start !== null && !namesNothing(start)) {
    store.open(start);
    return;
  }
  const first = index.trials.find(({ name }) => name === initialSelection(store.bundle).trial);
  const isWatched = first?.steps.call_set.some((calls) => calls >= 0) ?? false;
  const trial = isWatched ? begunLast(store) : undefined;
  store.open({ tab: "overview", selection: trial === undefined ? {} : { trial } });
}

/** The name of the trial with steps that was begun last; undefined where it is not known of any. */
function begunLast({ bundle: { index } }: Store): string | undefined {
  const withSteps = new Set(index.trials.filter(({ steps }) => steps.step.length > 0).map(({ name }) => name));
  const begun = index.about.recordings.filter(({ trial, started }) => withSteps.has(trial) && !Number.isNaN(Date.parse(started)));
  return begun.sort((a, b) => Date.parse(b.started) - Date.parse(a.started))[0]?.trial;
}
