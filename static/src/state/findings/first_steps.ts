/** At which steps findings begin. */

import { groupedBy } from "../../data/collections";
import type { FindingsDocument, FoundProblem } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";
import { allFindings, SYMPTOM } from "./found";

/**
 * The findings that begin at a step, by its position among those of the bundle, the most severe first. A step that the bundle lacks is
 * the next one that it has, or the last. What is only good to know is not among them, nor what holds for the whole trial.
 */
export function findingsByFirstStep(
  document: FindingsDocument | null,
  { steps: { step: steps } }: Trial,
): ReadonlyMap<number, readonly FoundProblem[]> {
  const all = document === null || steps.length === 0 ? [] : allFindings(document);
  const alarms = all.filter(({ severity, step }) => severity >= SYMPTOM && step !== null).sort((a, b) => b.severity - a.severity);
  return groupedBy(alarms, ({ step }) => {
    const next = steps.findIndex((number) => number >= step!);
    return next < 0 ? steps.length - 1 : next;
  });
}
