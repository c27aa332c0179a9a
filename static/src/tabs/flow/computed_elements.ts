/** What the flows of some elements connect them with, in the layers next to theirs. */

import type { Flow } from "../../data/records/flows";
import type { FlowOptions } from "../../state/tab_options/flow_options";
import { type FlowSource, isShown, type Start } from "./follow";

/** By layers, the elements that shown flows lead to, or come from. */
export type Reached = ReadonlyMap<number, ReadonlySet<number>>;

export const NOTHING_REACHED: Reached = new Map();

export async function reachedFrom(
  source: FlowSource,
  flow: Flow,
  { sample, sign, threshold }: FlowOptions,
  { layer, elements }: Start,
): Promise<Reached> {
  const reached = new Map<number, Set<number>>();
  const add = (other: number, ends: Int32Array, flows: Float32Array): void => {
    const connected = reached.get(other) ?? new Set();
    ends.forEach((end, k) => isShown(flows[k]!, sign, threshold) && connected.add(end));
    reached.set(other, connected);
  };
  await Promise.all(
    flow.pairs.map(async ({ from, to }, pair) => {
      if (from === layer) {
        const { targets, flows } = await source.linksFrom(flow, pair, sample, elements);
        add(to, targets, flows);
      } else if (to === layer) {
        const { sources, flows } = await source.linksInto(flow, pair, sample, elements);
        add(from, sources, flows);
      }
    }),
  );
  return reached;
}
