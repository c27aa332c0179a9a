/** Links to the views that show a finding. */

import type { Bundle } from "../../data/bundle";
import type { FoundEvidence, FoundPlace, FoundProblem } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";
import { writeLink } from "../address/url";
import { NO_OPTIONS, type ViewOptions, withOption } from "../address/view_options";
import { writePin } from "../comparison/pin";
import { nearestStep } from "../selection/nearest_step";
import { rankOf } from "../selection/options";
import { type Selection, sampleAggregation } from "../selection/selection";
import { rowOfPlace } from "./found";

/** The address of what was found in a trial. */
export function linkToFindings(bundle: Bundle, trial: Trial): string {
  return `#${writeLink("overview", selectionOf(bundle, trial))}`;
}

/** The address of a step, or of the recorded one that is nearest to it; null where no step was recorded. */
export function linkToStep(bundle: Bundle, trial: Trial, step: number): string | null {
  const nearest = nearestStep(trial, step);
  return nearest === null ? null : `#${writeLink("tensors", { ...selectionOf(bundle, trial), step: nearest.step })}`;
}

/** The address of a step, with what a finding is about selected where the step has it. */
export function linkToStepOf(bundle: Bundle, trial: Trial, step: number, { places, evidence }: FoundProblem): string | null {
  const [place] = places;
  const nearest = nearestStep(trial, step);
  const recording = evidence.find(({ name }) => name === place?.name)?.group;
  const ofPlace =
    place === undefined || place.name === "" || nearest === null
      ? null
      : linkToPlace(bundle, trial, place, { step: nearest.step, recording });
  return ofPlace ?? linkToStep(bundle, trial, step);
}

/** How a tensor is shown: at a step, of a recording type, of a sample, and with these options. */
interface Shown {
  step: number | null;
  recording?: string | undefined;
  sample?: number | null;
  view?: ViewOptions;
}

/** The address of a tensor at a step, or at the next one that the bundle has; null where it is not in a graph, or not loaded yet. */
export function linkToPlace(bundle: Bundle, trial: Trial, place: FoundPlace, { view, ...shown }: Shown): string | null {
  const selection = selectionOfPlace(bundle, trial, place, shown);
  return selection === null ? null : `#${writeLink("tensors", selection, view)}`;
}

/** What is selected where a tensor is, at a step or at the next one that the bundle has; null as above. */
export function selectionOfPlace(
  bundle: Bundle,
  trial: Trial,
  place: FoundPlace,
  { step, recording, sample }: Omit<Shown, "view">,
): Partial<Selection> | null {
  const position = positionOf(trial, step);
  const graphs = position < 0 ? null : bundle.graphs(trial, position);
  if (graphs?.state !== "ready") {
    return null;
  }
  for (const [iteration, graph] of graphs.value.entries()) {
    const row = graph === null ? -1 : rowOfPlace(graph, place);
    if (graph !== null && row >= 0) {
      return {
        ...selectionOf(bundle, trial),
        ...(recording !== undefined && { recording }),
        ...(sample != null && { aggregation: sampleAggregation(sample) }),
        step: trial.steps.step[position]!,
        iteration,
        node: graph.nodes.name[graph.tensors.node[row]!]!,
        role: graph.tensors.role[row]!,
      };
    }
  }
  return null;
}

/**
 * The address of a view that shows a finding: one of the tensor's statistics over the steps, or its values.
 *
 * `beside` are values that the finding compares with these.
 */
export function linkToEvidence(bundle: Bundle, trial: Trial, evidence: FoundEvidence, beside: FoundEvidence | null = null): string | null {
  const selection = selectionOfEvidence(bundle, trial, evidence);
  const other = beside && selectionOfEvidence(bundle, trial, beside);
  const view = other === null ? viewOfEvidence(bundle, trial, evidence) : comparedWith(other);
  return selection === null ? null : `#${writeLink("tensors", selection, view)}`;
}

/** What is selected at the tensor of evidence. */
export function selectionOfEvidence(
  bundle: Bundle,
  trial: Trial,
  { group, name, iteration, step, sample }: FoundEvidence,
): Partial<Selection> | null {
  return selectionOfPlace(bundle, trial, { kind: "tensor", name, iteration, source: null }, { step, recording: group, sample });
}

function comparedWith(other: Partial<Selection>): ViewOptions {
  return withOption(withOption(NO_OPTIONS, "pane", "compare"), "pin", writePin(other));
}

/** A single sample is looked up in the table. */
function viewOfEvidence(bundle: Bundle, trial: Trial, evidence: FoundEvidence): ViewOptions {
  const { item, sample } = evidence;
  if (item !== null) {
    return withOption(withOption(NO_OPTIONS, "pane", "time"), "time", item);
  }
  const pane = sample === null ? paneOfHistogram(bundle, trial, evidence) : "table";
  return withOption(NO_OPTIONS, "pane", pane);
}

/** Where the histogram of a tensor is: that of its values, or that which was recorded without them; the table where there is none. */
function paneOfHistogram(bundle: Bundle, trial: Trial, { group, name, iteration, step }: FoundEvidence): "histogram" | "time" | "table" {
  const opened = bundle.step(trial, trial.steps.step.indexOf(step));
  if (opened.state !== "ready") {
    return "table";
  }
  const { layout, table, numbers } = opened.value;
  const tensor = layout.tensors.name.findIndex((known, k) => known === name && layout.tensors.iteration[k] === iteration);
  const record = table.byGroup.get(group)?.get(tensor);
  if (record === undefined) {
    return "table";
  }
  if (numbers.neurons(record, 0).length > 0) {
    return "histogram";
  }
  const histograms = bundle.histograms(trial);
  const known = histograms.state === "ready" ? (histograms.value?.records(name, iteration) ?? []) : [];
  return known.some((other) => other.group === group && other.steps.includes(step)) ? "time" : "table";
}

function selectionOf(bundle: Bundle, trial: Trial): { trial: string; rank: string } {
  return { trial: trial.name, rank: rankOf(bundle, trial) };
}

/** The first step of the bundle that is not before `step`, or the last one; the first one where no step is named. */
function positionOf({ steps: { step: numbers } }: Trial, step: number | null): number {
  const next = step === null ? 0 : numbers.findIndex((number) => number >= step);
  return next < 0 ? numbers.length - 1 : Math.min(next, numbers.length - 1);
}
