/** Links to the views that show a finding. */

import type { Bundle } from "../../data/bundle";
import type { FoundEvidence, FoundPlace } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";
import { writeLink } from "../address/url";
import { NO_OPTIONS, type ViewOptions, withOption } from "../address/view_options";
import { nearestStep } from "../selection/nearest_step";
import { rankOf } from "../selection/options";
import { sampleAggregation } from "../selection/selection";
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

/** How a tensor is shown: at a step, of a recording type, of a sample, and with these options. */
interface Shown {
  step: number | null;
  recording?: string | undefined;
  sample?: number | null;
  view?: ViewOptions;
}

/** The address of a tensor at a step, or at the next one that the bundle has; null where it is not in a graph, or not loaded yet. */
export function linkToPlace(bundle: Bundle, trial: Trial, place: FoundPlace, { step, recording, sample, view }: Shown): string | null {
  const position = positionOf(trial, step);
  const graphs = position < 0 ? null : bundle.graphs(trial, position);
  if (graphs?.state !== "ready") {
    return null;
  }
  for (const [iteration, graph] of graphs.value.entries()) {
    const row = graph === null ? -1 : rowOfPlace(graph, place);
    if (graph !== null && row >= 0) {
      const selection = {
        ...selectionOf(bundle, trial),
        ...(recording !== undefined && { recording }),
        ...(sample != null && { aggregation: sampleAggregation(sample) }),
        step: trial.steps.step[position]!,
        iteration,
        node: graph.nodes.name[graph.tensors.node[row]!]!,
        role: graph.tensors.role[row]!,
      };
      return `#${writeLink("tensors", selection, view)}`;
    }
  }
  return null;
}

/** The address of a view that shows a finding: the tensor's values, or one of its statistics over the steps. */
export function linkToEvidence(bundle: Bundle, trial: Trial, { group, name, iteration, step, item, sample }: FoundEvidence): string | null {
  const overTime = (statistic: string): ViewOptions => withOption(withOption(NO_OPTIONS, "pane", "time"), "time", statistic);
  return linkToPlace(
    bundle,
    trial,
    { kind: "tensor", name, iteration, source: null },
    { step, recording: group, sample, view: item === null ? NO_OPTIONS : overTime(item) },
  );
}

function selectionOf(bundle: Bundle, trial: Trial): { trial: string; rank: string } {
  return { trial: trial.name, rank: rankOf(bundle, trial) };
}

/** The first step of the bundle that is not before `step`, or the last one; the first one where no step is named. */
function positionOf({ steps: { step: numbers } }: Trial, step: number | null): number {
  const next = step === null ? 0 : numbers.findIndex((number) => number >= step);
  return next < 0 ? numbers.length - 1 : Math.min(next, numbers.length - 1);
}
