/** What a page opens with where no address says it, or where one says the tab alone. */

import type { Trial } from "../../data/format/types";
import { namesNothing, namesOnlyTab, readLink, type Tab } from "../address/url";
import { initialSelection } from "../selection/step_choice";
import type { Store } from "../store";
import { goToWorstFinding } from "./worst_finding";

/**
 * Opens the view that the author of the page chose. Without one it is the overview, which waits for the numbers of no step. It is that
 * of the first trial with steps; where modules were watched, whose trials are called after times, it is that of the trial that was begun
 * last. If that trial has no likely problem and others have some, it is that of the trial with the most. The evidence of its worst finding
 * is selected, for who goes on to another tab.
 *
 * With a `tab`, which is all that a link names, the same is selected, and that tab is open.
 *
 * If the page has a story, the reader is offered it.
 */
export function openFirstView(store: Store, tab?: Tab): void {
  const { story } = store;
  story.isOffered.value = story.notes.peek().length > 0 && story.inAddress.peek() === null && !story.isOpen.peek();
  const { index } = store.bundle;
  const start = readLink(index.start);
  if (start !== null && !namesNothing(start) && (tab === undefined || !namesOnlyTab(start))) {
    store.open(tab === undefined || tab === start.tab ? start : { tab, selection: start.selection });
    return;
  }
  const first = index.trials.find(({ name }) => name === initialSelection(store.bundle).trial);
  const isWatched = first?.steps.call_set.some((calls) => calls >= 0) ?? false;
  const name = (isWatched ? begunLast(store) : undefined) ?? first?.name;
  const trial = withProblems(index.trials, name);
  store.openFirst({ tab: tab ?? "overview", selection: trial === undefined ? {} : { trial } });
  goToWorstFinding(store);
}

/** A trial if it has likely problems, or else the one with the most of them; itself where none has any. */
function withProblems(trials: readonly Trial[], name: string | undefined): string | undefined {
  const most = trials.reduce<Trial | undefined>((worst, trial) => (trial.problems > (worst?.problems ?? 0) ? trial : worst), undefined);
  return most === undefined || trials.some((trial) => trial.name === name && trial.problems > 0) ? name : most.name;
}

/** The name of the trial with steps that was begun last; undefined where it is not known of any. */
function begunLast({ bundle: { index } }: Store): string | undefined {
  const withSteps = new Set(index.trials.filter(({ steps }) => steps.step.length > 0).map(({ name }) => name));
  const begun = index.about.recordings.filter(({ trial, started }) => withSteps.has(trial) && !Number.isNaN(Date.parse(started)));
  return begun.sort((a, b) => Date.parse(b.started) - Date.parse(a.started))[0]?.trial;
}
