/** A step whose description is loaded, with what can be selected on it. */

import type { Bundle, Loaded, StepContent } from "../../data/bundle";
import type { Graph, SampleSet, Trial } from "../../data/format/types";
import { type StepOffers, stepOffers } from "./offers";
import { graphsToShow } from "./tensor_listing";

export interface OpenStep {
  trial: Trial;
  step: number;
  content: StepContent;
  /** One per iteration. */
  graphs: readonly Graph[];
  /** Whether the dependency graph of an iteration is known. */
  hasGraph: readonly boolean[];
  /** Why graphs that were recorded are not shown. */
  graphError: Error | null;
  samples: SampleSet;
  offers: StepOffers;
}

const NO_SAMPLES: SampleSet = { index: [], label: [] };

/** Opens a step by its position among those of the trial. A graph that cannot be loaded does not keep its step from being opened. */
export function openStep(bundle: Bundle, trial: Trial, step: number): Loaded<OpenStep> {
  const content = bundle.step(trial, step);
  const graphs = bundle.graphs(trial, step);
  if (content.state !== "ready") {
    return content;
  }
  if (graphs.state === "loading") {
    return graphs;
  }
  const recorded = graphs.state === "ready" ? graphs.value : [];
  const graphError = graphs.state === "failed" ? graphs.error : null;
  const samples = bundle.index.sample_sets[trial.steps.sample_set[step] ?? -1] ?? NO_SAMPLES;
  const shownGraphs = graphsToShow(content.value.layout, recorded);
  const offers = stepOffers(content.value, shownGraphs, samples);
  const hasGraph = shownGraphs.map((_, iteration) => (recorded[iteration] ?? null) !== null);
  return { state: "ready", value: { trial, step, content: content.value, graphs: shownGraphs, hasGraph, graphError, samples, offers } };
}
