/** What a figure's caption says of the selection. */

import { stepLabel } from "../../data/format/steps";
import type { OpenStep } from "../../state/selection/open_step";
import { aggregationLabel, rankLabel, rankOptions } from "../../state/selection/options";
import type { Shown, Store } from "../../state/store";
import { recordingLabel, roleLabel } from "../text/format";
import type { Fact } from "./figure";

/** The page that a figure is from, and what wrote it. */
export function pageFacts(store: Store): { page: Fact[]; source: string } {
  const { title, generator, version, content_digest: digest } = store.bundle.index;
  const content = digest === "" ? "" : `, content ${digest.slice(0, 12)}`;
  return { page: title === "" ? [] : [["from", title]], source: `${generator}, bundle format ${version}${content}` };
}

export function trialFacts(store: Store, trial: string): Fact[] {
  const own = store.trial.value;
  const hasRanks = own !== undefined && own.name === trial && rankOptions(store.bundle, trial).length > 1;
  return [["trial", trial], ...(hasRanks ? [["rank", rankLabel(own)] as const] : [])];
}

/** The step and the iteration. */
export function stepFacts(store: Store, { selection, step }: Shown, open: OpenStep): Fact[] {
  const type = store.bundle.typeOf(open.trial, step);
  return [
    ...trialFacts(store, selection.trial),
    ["step", `${stepLabel(selection.step)}${type === "" ? "" : ` (${type})`}`],
    ["iteration", String(selection.iteration)],
  ];
}

/** Everything that is selected. */
export function selectionFacts(store: Store, shown: Shown, open: OpenStep): Fact[] {
  const { node, role, recording, aggregation } = shown.selection;
  const tensor = store.offer.value?.name ?? "";
  return [
    ...stepFacts(store, shown, open),
    ["node", node],
    ...(role === node ? [] : [["role", roleLabel(role)] as const]),
    ...(tensor === "" || tensor === node ? [] : [["tensor", tensor] as const]),
    ["recording", recordingLabel(recording)],
    ["aggregation", aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position))],
  ];
}

/** Parts of a file's name for the selection. */
export function selectionName({ selection }: Shown): string[] {
  const { node, role, recording, step, iteration, aggregation, trial } = selection;
  return [trial, `step${step}`, `iteration${iteration}`, node, ...(role === node ? [] : [role]), recording, aggregation];
}
