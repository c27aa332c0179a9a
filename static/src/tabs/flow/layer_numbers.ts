/** Loads what is known of the elements of all layers. */

import { elementsOf, type Flow, type FlowsOfTrial } from "../../data/records/flows";
import type { FlowColoring } from "../../state/tab_options/flow_options";
import type { LayerNumbers } from "./layers/heat";

/** For layers with more elements than this, only what colours them is loaded. */
const SMALL = 65_536;

export async function loadNumbers(flows: FlowsOfTrial, flow: Flow, sample: number, coloring: FlowColoring): Promise<LayerNumbers[]> {
  return Promise.all(
    flow.layers.map(async (layer, position) => {
      const isSmall = elementsOf(layer) <= SMALL;
      const wantsValues = isSmall || coloring === "values" || !layer.hasGradients;
      const wantsGradients = isSmall || coloring !== "values" || !layer.hasValues;
      const [values, gradients] = await Promise.all([
        wantsValues ? flows.layerNumbers(flow, position, sample, "values") : undefined,
        wantsGradients ? flows.layerNumbers(flow, position, sample, "gradients") : undefined,
      ]);
      return { values, gradients };
    }),
  );
}

/** For every layer, 0 for the elements into which not all flows are known; null if they are known into all. */
export async function loadComputed(flows: FlowsOfTrial, flow: Flow, sample: number): Promise<(Int32Array | null)[]> {
  const masks: (Int32Array | null)[] = flow.layers.map(() => null);
  for (const [pair, { to }] of flow.pairs.entries()) {
    const computed = await flows.computed(flow, pair, sample);
    const known = masks[to] ?? null;
    masks[to] = computed === null || known === null ? (computed ?? known) : computed.map((isComputed, k) => isComputed & known[k]!);
  }
  return masks;
}
