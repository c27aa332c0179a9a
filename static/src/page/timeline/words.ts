/** The steps of the timeline in words. */

import type { FoundProblem } from "../../data/format/findings";
import { partsOf, stepLabel } from "../../data/format/steps";
import { SEVERITIES } from "../../tabs/overview/findings/texts";
import { counted } from "../../ui/text/format";

/** What the timeline knows of a recorded step. */
export interface TimelineStep {
  step: number;
  type: string;
  isTriggered: boolean;
  /** The step before it that can be selected too; null if it is the first. */
  before: number | null;
}

/** What kind of step it is: `train`, or `train, triggered`. */
export function kindOf({ type, isTriggered }: TimelineStep): string {
  return isTriggered ? `${type}, triggered` : type;
}

/** How far it is from the step before: `19 steps since 101`, or `2 evaluations later`. */
export function distanceOf({ step, before }: TimelineStep): string {
  if (before === null) {
    return "the first one";
  }
  if (Math.floor(step) === Math.floor(before)) {
    return `${counted(partsOf(step).evaluation - partsOf(before).evaluation, "evaluation")} later`;
  }
  return before < 0
    ? "the first after evaluations"
    : `${counted(Math.floor(step) - Math.floor(before), "step")} since ${Math.floor(before)}`;
}

/** Findings that are named; more are counted. */
const NAMED = 3;

/** `Bug: The loss is NaN`, one after another. */
export function findingLines(findings: readonly FoundProblem[]): string[] {
  const lines = findings.slice(0, NAMED).map(({ severity, title }) => `${SEVERITIES[severity]}: ${title}`);
  return findings.length > NAMED ? [...lines, `and ${counted(findings.length - NAMED, "more finding")}`] : lines;
}

/** What a screen reader says: `5, train, 2 of 4, 5 steps since 0`, and what begins there. */
export function spoken(facts: TimelineStep, place: number, count: number, findings: readonly FoundProblem[]): string {
  const begins = findings.length === 0 ? "" : `. Begins here: ${findingLines(findings).join("; ")}`;
  return `${stepLabel(facts.step)}, ${kindOf(facts)}, ${place + 1} of ${count}, ${distanceOf(facts)}${begins}`;
}
