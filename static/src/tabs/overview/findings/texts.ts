/** Findings in words. */

import type { AssociationsDocument, FindingsDocument, FoundEvidence, FoundPlace, FoundProblem } from "../../../data/format/findings";
import { brief, capital, counted, sentence } from "../../../ui/text/format";

/** What a severity is called, by its number. */
export const SEVERITIES = ["Information", "Symptom", "Problem", "Bug"] as const;

/** What was checked, and that nothing was found; or that there was nothing to check. */
export function nothingFound({ passed, not_checked: notChecked, muted, steps }: FindingsDocument): string {
  if (steps === 0) {
    return "The recording has no step that can be read, so nothing could be checked.";
  }
  const first = `Nothing ${muted.length > 0 ? "new " : ""}was found by ${counted(passed.length, "rule")} on ${counted(steps, "step")}.`;
  return notChecked.length === 0 ? first : `${first} ${counted(notChecked.length, "rule")} could not be checked.`;
}

/**
 * Why rules could not be checked, and how many of them for that reason, the most frequent reason first.
 *
 * A reason is written for one rule; where several have it, it speaks of these.
 */
export function reasonsNotChecked({ not_checked: notChecked }: Pick<FindingsDocument, "not_checked">): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { reason } of notChecked) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => ({ reason: count === 1 ? reason : reason.replace("this rule checks", "these rules check"), count }))
    .sort((a, b) => b.count - a.count);
}

/** How many causes and consequences there are, and what was checked. */
export function summary({ incidents, passed, not_checked: notChecked, steps }: FindingsDocument): string {
  const consequences = incidents.reduce((sum, incident) => sum + incident.consequences.length, 0);
  const all = counted(incidents.length, "finding");
  const follow = `${consequences} that probably follow${consequences === 1 ? "s" : ""} from ${incidents.length === 1 ? "it" : "these"}`;
  const withThem = consequences === 0 ? all : `${all}, and ${follow}`;
  const order = incidents.length === 1 ? "" : " Those that may cause others come first.";
  return `${withThem}.${order} ${counted(steps, "step")} read; ${counted(passed.length, "other rule")} found nothing, ${notChecked.length} could not be checked.`;
}

/** What was measured, against what; empty where nothing was. */
export function measured({ value, limit, comparison }: FoundProblem): string {
  const beside = limit === null ? "" : ` (limit: ${brief(limit)})`;
  const parts = [...(value === null ? [] : [`Measured: ${brief(value)}${beside}.`]), ...(comparison === "" ? [] : [sentence(comparison)])];
  return parts.join(" ");
}

/** How much of the evidence stands side by side: the first two views if they show two things, such as a curve and values, else the first. */
export function compared([first, second]: readonly FoundEvidence[]): number {
  if (first === undefined || second === undefined) {
    return first === undefined ? 0 : 1;
  }
  const isOther = second.name !== first.name || second.iteration !== first.iteration || second.group !== first.group;
  // A curve has all steps.
  const areValues = first.item === null && second.item === null;
  const areBoth = (first.item === null) !== (second.item === null);
  return isOther || areBoth || (areValues && (second.step !== first.step || second.sample !== first.sample)) ? 2 : 1;
}

/** The values beside those of evidence that is shown as one of two, where both are values; else null. */
export function besideOf(evidence: readonly FoundEvidence[], shown: number, place: number): FoundEvidence | null {
  const [shownHere, other] = [evidence[place], evidence[1 - place]];
  return shown === 2 && shownHere?.item === null && other?.item === null ? other : null;
}

/** What was checked for associations with what result, and what was not checked: a sentence or two for each. */
export function checkedAssociations({ checked, not_checked: notChecked, notes }: AssociationsDocument): string[] {
  const byReason = new Map<string, string[]>();
  for (const { title, result } of notChecked) {
    byReason.set(result, [...(byReason.get(result) ?? []), title]);
  }
  return [
    ...checked.map(({ title, result }) => `${capital(title)}: ${sentence(result)}`),
    ...[...byReason].map(([reason, titles]) => `Not checked: ${titles.join("; ")}. ${sentence(reason)}`),
    ...notes.map(sentence),
  ];
}

/** Where something is wrong. */
export function placeText({ kind, name, iteration }: FoundPlace): string {
  const what = name === "" ? `the ${kind}` : name;
  return iteration === null || iteration <= 0 ? what : `${what} (iteration ${iteration})`;
}
