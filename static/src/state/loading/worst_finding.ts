/** Where a page opens that was given no address: the overview, with what the worst finding is about selected on the other tabs. */

import { effect } from "@preact/signals";
import type { Loaded } from "../../data/bundle";
import type { FoundProblem } from "../../data/format/findings";
import { readLink } from "../address/url";
import { allFindings, SYMPTOM } from "../findings/found";
import { linkToStep, selectionOfEvidence, selectionOfPlace } from "../findings/links";
import { stepSince } from "../selection/nearest_step";
import type { Selection } from "../selection/selection";
import type { Store } from "../store";

/** The worst finding that has evidence or a step: the first of the highest severity, since causes come before what follows from them. */
function worstFinding(findings: readonly FoundProblem[]): FoundProblem | undefined {
  const shown = findings.filter(({ severity, evidence, step }) => severity >= SYMPTOM && (evidence.length > 0 || step !== null));
  return shown.reduce<FoundProblem | undefined>(
    (worst, finding) => (worst === undefined || finding.severity > worst.severity ? finding : worst),
    undefined,
  );
}

/**
 * Selects what the trial's worst finding is about, unless something has been chosen before. Nothing is shown until that is known: what
 * would be shown before would be drawn for nothing, and go at once.
 */
export function goToWorstFinding(store: Store): void {
  let isDone = false;
  const stop = effect(() => {
    void store.version.value;
    void store.shown.value;
    const target = isDone || !store.isFirstView ? DONE : selectionOfWorst(store);
    if (isDone || target.state === "loading") {
      return;
    }
    isDone = true;
    queueMicrotask(() => {
      stop();
      if (store.isFirstView && target.state === "ready" && target.value !== null) {
        store.open({ tab: store.tab.peek(), selection: target.value, view: store.view.peek() });
      } else {
        store.endSeeking();
      }
    });
  });
}

const DONE: Loaded<null> = { state: "ready", value: null };

/** What is selected where its evidence is, or else where it is itself; null where nothing was found. */
function selectionOfWorst(store: Store): Loaded<Partial<Selection> | null> {
  const { bundle } = store;
  const trial = store.trial.peek();
  const document = trial === undefined ? DONE : bundle.findings(trial);
  if (trial === undefined || document.state !== "ready") {
    return document.state === "ready" ? DONE : document;
  }
  const worst = document.value === null ? undefined : worstFinding(allFindings(document.value));
  if (worst === undefined) {
    return DONE;
  }
  const [evidence] = worst.evidence;
  const [place] = worst.places;
  const since = evidence?.step ?? (worst.step === null ? null : stepSince(trial, worst.step));
  if (since === null) {
    return DONE;
  }
  const ofPlace = place === undefined ? null : selectionOfPlace(bundle, trial, place, { step: since });
  const selection = evidence === undefined ? ofPlace : selectionOfEvidence(bundle, trial, evidence);
  const next = trial.steps.step.findIndex((step) => step >= since);
  const graphs = bundle.graphs(trial, next < 0 ? trial.steps.step.length - 1 : next);
  if (selection === null && graphs.state === "loading") {
    return graphs;
  }
  // A tensor that is in no graph cannot be selected, but its step may be.
  return { state: "ready", value: selection ?? readLink(linkToStep(bundle, trial, since) ?? "")?.selection ?? null };
}
