/** The colours of the nodes by the statistic that the address names; asks for the numbers that are missing. */

import { useEffect, useMemo } from "preact/hooks";
import type { Graph } from "../../data/types";
import type { OpenStep } from "../../state/open_step";
import type { Second } from "../../state/second";
import type { Shown, Store } from "../../state/store";
import { colorDifferences, colorNodes, readColorChoice, type ColorChoice, type Coloring } from "./coloring";
import { numberPerNode, readStatistic, relativeDifferences, statisticsOf, withSelected, type NodeNumber, type TensorNumbers } from "./node_numbers";

export interface Colored {
  choice: ColorChoice;
  numbers: readonly (NodeNumber | undefined)[];
  coloring: Coloring;
  /** Whether numbers are still on their way, or could not be loaded. */
  state: "ready" | "loading" | "failed";
}

/** Null where nodes have the colours of their types. */
export function useColoring(store: Store, shown: Shown, open: OpenStep, graph: Graph): Colored | null {
  const { iteration, recording, aggregation, node, role } = shown.selection;
  const text = store.view.value.get("color");
  const version = store.version.value;
  const loaded = store.second.value;
  const second = loaded?.state === "ready" ? loaded.value : null;
  const read = useMemo(() => {
    const choice = readColorChoice(text);
    if (choice === null || !statisticsOf(open, iteration, recording).includes(choice.statistic)) {
      return null;
    }
    const own = readStatistic(open, iteration, recording, aggregation, choice.statistic);
    if (!choice.isDifference) {
      return { choice, ...own };
    }
    const other = second === null ? null : readSecond(second, choice);
    return other === null ? null : { choice, ...relativeDifferences(own, other) };
  }, [open, iteration, recording, aggregation, text, version, second]);
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
    const hasFailed = read.chunks.some((chunk) => chunks.failure(chunk) !== undefined);
    const state = read.isComplete ? "ready" : hasFailed ? "failed" : "loading";
    const coloring = read.choice.isDifference ? colorDifferences(numbers) : colorNodes(numbers, read.choice.scale);
    return { choice: read.choice, numbers, coloring, state };
  }, [read, numbers]);
}

/** The numbers of B; null where its step is not there. */
function readSecond({ open, selection }: Second, { statistic }: ColorChoice): TensorNumbers | null {
  return open && readStatistic(open, selection.iteration, selection.recording, selection.aggregation, statistic);
}
