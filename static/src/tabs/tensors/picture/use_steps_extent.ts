/** The extent that all steps of the trial share, from the extremes that each of them recorded of the tensor. */

import { useMemo } from "preact/hooks";
import type { Facts } from "../../../data/records/step_numbers";
import type { Extent } from "../../../kits/heatmap/value_colors";
import type { PaneProps } from "../pane";
import { joined, sharedExtent } from "./color_extent";

interface StepsExtent {
  /** Of the steps that are known so far; null where there is none. */
  extent: Extent | null;
  known: number;
  total: number;
}

/** Steps that are loaded at a time: each may need a chunk of its own. */
const AT_A_TIME = 4;

/** Goes through the steps as long as it is `wanted`, and keeps what it has found. */
export function useStepsExtent(pane: PaneProps, aggregation: number, wanted: boolean): StepsExtent {
  const { store, shown, open, record } = pane;
  void store.version.value;
  const { tensors } = open.content.layout;
  const [name, iteration] = [tensors.name[record.tensor], tensors.iteration[record.tensor]];
  const extremes = useMemo(() => new Map<number, Facts | null>(), [open.trial, shown.selection.recording, name, iteration]);
  const steps = open.trial.steps.step.length;
  for (let step = 0, asked = 0; wanted && step < steps && asked < AT_A_TIME; step++) {
    if (!extremes.has(step)) {
      const facts = factsOf(pane, step, name, iteration);
      if (facts === undefined) {
        asked += 1;
      } else {
        extremes.set(step, facts);
      }
    }
  }
  const extents = [...extremes.values()].map((facts) => facts && sharedExtent(facts, record.hasBatch, aggregation));
  return { extent: extents.reduce(joined, null), known: extremes.size, total: steps };
}

/** What a step recorded of a tensor: undefined while it is not loaded, null where it has nothing or cannot be read. */
function factsOf(
  { store, shown, open }: PaneProps,
  step: number,
  name: string | undefined,
  iteration: number | undefined,
): Facts | null | undefined {
  const { bundle } = store;
  const content = bundle.step(open.trial, step);
  if (content.state !== "ready") {
    return content.state === "failed" ? null : undefined;
  }
  const { layout, table, numbers } = content.value;
  const tensor = layout.tensors.name.findIndex((other, k) => other === name && layout.tensors.iteration[k] === iteration);
  const record = table.byGroup.get(shown.selection.recording)?.get(tensor);
  if (record === undefined) {
    return null;
  }
  const chunks = numbers.overviewChunks(record, 0);
  bundle.chunks.request(chunks);
  return numbers.facts(record) ?? (bundle.chunks.failureOf(chunks) !== undefined ? null : undefined);
}
