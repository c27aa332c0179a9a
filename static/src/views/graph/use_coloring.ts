/** The colours of the nodes by the statistic that the address names; asks for the numbers that are missing. */

import { useEffect, useMemo } from "preact/hooks";
import type { Graph } from "../../data/types";
import type { OpenStep } from "../../state/open_step";
import type { Shown, Store } from "../../state/store";
import { colorNodes, readColorChoice, type Coloring } from "./coloring";
import { numberPerNode, readStatistic, statisticsOf, withSelected, type NodeNumber, type Statistic } from "./node_numbers";

export interface Colored {
  statistic: Statistic;
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
  const read = useMemo(() => {
    const choice = readColorChoice(text);
    const isOffered = choice !== null && statisticsOf(open, iteration, recording).includes(choice.statistic);
    return isOffered ? { choice, ...readStatistic(open, iteration, recording, aggregation, choice.statistic) } : null;
  }, [open, iteration, recording, aggregation, text, version]);
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
    return { statistic: read.choice.statistic, numbers, coloring: colorNodes(numbers, read.choice.scale), state };
  }, [read, numbers]);
}
