/** The colours of the nodes by the statistic that the address names; asks for the numbers that are missing. */

import { useEffect, useMemo } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import type { OpenStep } from "../../../../state/selection/open_step";
import type { Selection } from "../../../../state/selection/selection";
import type { Shown, Store } from "../../../../state/store";
import { type ColorChoice, type Coloring, colorDifferences, colorNodes, readColorChoice } from "./coloring";
import {
  isOfParameters,
  type NodeNumber,
  numberPerNode,
  readParameters,
  readStatistic,
  relativeDifferences,
  type Statistic,
  statisticsOf,
  type TensorNumbers,
  withSelected,
} from "./node_numbers";
import { type StepParameters, useStepParameters } from "./step_parameters";

export interface Colored {
  choice: ColorChoice;
  numbers: readonly (NodeNumber | undefined)[];
  coloring: Coloring;
  /** Whether numbers are still on their way, or could not be loaded. */
  state: "ready" | "loading" | "failed";
}

/** By what a text chooses, as in the address; null where it chooses nothing that there is: nodes have the colours of their types. */
export function useColoring(
  store: Store,
  shown: Shown,
  open: OpenStep,
  graph: Graph,
  parameters: StepParameters | null,
  text: string | undefined,
): Colored | null {
  const { iteration, recording, aggregation, node, role } = shown.selection;
  const version = store.version.value;
  const loaded = store.second.value;
  const second = loaded?.state === "ready" ? loaded.value : null;
  const parametersOfB = useStepParameters(store, second?.open ?? null);
  const read = useMemo(() => {
    const choice = readColorChoice(text);
    if (choice === null || !statisticsOf(open, iteration, recording, parameters).includes(choice.statistic)) {
      return null;
    }
    const own = readNumbers(open, shown.selection, parameters, choice.statistic);
    if (own === null || !choice.isDifference) {
      return own && { choice, ...own };
    }
    const other = second?.open ? readNumbers(second.open, second.selection, parametersOfB, choice.statistic) : null;
    return other && { choice, ...relativeDifferences(own, other) };
  }, [open, iteration, recording, aggregation, text, version, second, parameters, parametersOfB]);
  const { chunks } = store.bundle;
  useEffect(() => {
    if (read !== null && !read.isComplete) {
      chunks.request(read.chunks);
    }
  }, [read]);
  const strongest = useMemo(() => (read === null ? [] : numberPerNode(graph, read.numbers)), [graph, read]);
  const selected = graph.nodes.name.indexOf(node);
  const numbers = useMemo(() => withSelected(strongest, read?.numbers ?? [], selected, { node, role }), [strongest, node, role]);
  return useMemo(() => {
    if (read === null) {
      return null;
    }
    const hasFailed = chunks.failureOf(read.chunks) !== undefined;
    const state = read.isComplete ? "ready" : hasFailed ? "failed" : "loading";
    const coloring = read.choice.isDifference ? colorDifferences(numbers) : colorNodes(numbers, read.choice.scale);
    return { choice: read.choice, numbers, coloring, state };
  }, [read, numbers]);
}

/** Null where they would be about parameters, of which the step says nothing. */
function readNumbers(
  open: OpenStep,
  { iteration, recording, aggregation }: Selection,
  parameters: StepParameters | null,
  statistic: Statistic,
): TensorNumbers | null {
  return isOfParameters(statistic)
    ? parameters && readParameters(open, iteration, parameters, statistic)
    : readStatistic(open, iteration, recording, aggregation, statistic);
}
