/** Findings in words. */

import type { FindingsDocument, FoundPlace, FoundProblem } from "../../data/format/findings";
import { brief, counted } from "../../ui/text/format";

/** What a severity is called, by its number. */
export const SEVERITIES = ["Information", "Symptom", "Problem", "Bug"] as const;

/** What was checked, and that nothing was found. */
export function nothingFound({ passed, not_checked: notChecked, steps }: FindingsDocument): string {
  const first = `Nothing was found by ${counted(passed.length, "rule")} on ${counted(steps, "step")}.`;
  return notChecked.length === 0 ? first : `${first} ${counted(notChecked.length, "rule")} could not be checked.`;
}

/** How many causes and consequences there are, and what was checked. */
export function summary({ incidents, passed, not_checked: notChecked, steps }: FindingsDocument): string {
  const consequences = incidents.reduce((sum, incident) => sum + incident.consequences.length, 0);
  const all = counted(incidents.length, "finding");
  const withThem = consequences === 0 ? all : `${all}, and ${consequences} that probably follow from these`;
  return `${withThem}. ${counted(steps, "step")} read; ${counted(passed.length, "other rule")} found nothing, ${notChecked.length} could not be checked.`;
}

/** What was measured, against what; empty where nothing was. */
export function measured({ value, limit, comparison }: FoundProblem): string {
  const parts = [
    ...(value === null ? [] : [`Measured: ${brief(value)}`]),
    ...(limit === null ? [] : [`limit: ${brief(limit)}`]),
    ...(comparison === "" ? [] : [comparison]),
  ];
  return parts.join("; ");
}

/** Where something is wrong. */
export function placeText({ kind, name, iteration }: FoundPlace): string {
  const what = name === "" ? kind : name;
  return iteration === null || iteration <= 0 ? what : `${what} (iteration ${iteration})`;
}
