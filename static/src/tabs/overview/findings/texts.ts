/** Findings in words. */

import { groupedBy } from "../../../data/collections";
import type {
  AssociationsDocument,
  FindingsDocument,
  FoundEvidence,
  FoundPlace,
  FoundProblem,
  NotCheckedRule,
} from "../../../data/format/findings";
import { brief, capital, counted, sentence } from "../../../ui/text/format";

/** What a severity is called, by its number. */
export const SEVERITIES = ["Information", "Symptom", "Problem", "Bug"] as const;

/** The rules that could not be checked since the recording lacks something, and those that are about nothing that this run has. */
export function unchecked({ not_checked: all }: Pick<FindingsDocument, "not_checked">): {
  lacking: NotCheckedRule[];
  others: NotCheckedRule[];
} {
  return { lacking: all.filter(({ applies }) => applies), others: all.filter(({ applies }) => !applies) };
}

/** `23 rules do not apply to this run, as far as the recording shows`. */
export function notApplying(count: number): string {
  return `${counted(count, "rule")} ${count === 1 ? "does" : "do"} not apply to this run, as far as the recording shows`;
}

/** What was checked, and that nothing was found; or that there was nothing to check. */
export function nothingFound(document: FindingsDocument): string {
  const { passed, muted, steps } = document;
  if (steps === 0) {
    return "The recording has no step that can be read, so nothing could be checked.";
  }
  const { lacking } = unchecked(document);
  const first = `Nothing ${muted.length > 0 ? "new " : ""}was found by ${counted(passed.length, "rule")} on ${counted(steps, "step")}.`;
  return lacking.length === 0 ? first : `${first} ${counted(lacking.length, "rule")} could not be checked.`;
}

/**
 * Why rules could not be checked, how many of them for that reason, and what to record, the most frequent reason first.
 *
 * A reason is written for one rule; where several have it, it speaks of these.
 */
export function reasonsNotChecked(
  document: Pick<FindingsDocument, "not_checked">,
): { reason: string; count: number; howToRecord: string }[] {
  return [...groupedBy(unchecked(document).lacking, ({ reason }) => reason)]
    .map(([reason, rules]) => ({
      reason: rules.length === 1 ? reason : reason.replace("this rule checks", "these rules check"),
      count: rules.length,
      howToRecord: rules.find(({ how_to_record: text }) => text !== "")?.how_to_record ?? "",
    }))
    .sort((a, b) => b.count - a.count);
}

/** How many causes and consequences there are, and what was checked. */
export function summary(document: FindingsDocument): string {
  const { incidents, passed, steps } = document;
  const consequences = incidents.reduce((sum, incident) => sum + incident.consequences.length, 0);
  const all = counted(incidents.length, "finding");
  const follow = `${consequences} that probably follow${consequences === 1 ? "s" : ""} from ${incidents.length === 1 ? "it" : "these"}`;
  const withThem = consequences === 0 ? all : `${all}, and ${follow}`;
  const order = incidents.length === 1 ? "" : " Those that may cause others come first.";
  const lacking = unchecked(document).lacking.length;
  return `${withThem}.${order} ${counted(steps, "step")} read; ${counted(passed.length, "other rule")} found nothing, ${lacking} could not be checked.`;
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
