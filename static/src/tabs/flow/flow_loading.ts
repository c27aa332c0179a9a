/** Loads what a gradient flow shows: the flows of the selection, the numbers of its layers, and what is connected with the pointer. */

import { useMemo } from "preact/hooks";
import type { Flow, FlowsOfTrial } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { NOTHING_REACHED, type Reached, reachedFrom } from "./computed_elements";
import type { FlowSettings } from "./flow_settings";
import { type Followed, follow, type Start } from "./follow";
import { loadComputed, loadNumbers } from "./layer_numbers";
import type { LayerNumbers } from "./layers/heat";
import type { Pointed } from "./sankey/sankey_view";
import { useAsync } from "./use_async";

export interface LoadedFlow {
  error: Error | undefined;
  /** Whether something is not yet that of what is selected now. */
  isOld: boolean;
  /** Undefined until it is there, as what follows. */
  followed: (Followed & { start: Start | null }) | undefined;
  /** By layers. */
  numbers: readonly LayerNumbers[] | undefined;
  computed: readonly (Int32Array | null)[] | undefined;
  reached: Reached | undefined;
  /** The selection that `followed` will be of. */
  start: Start | null;
}

export function useLoadedFlow(
  store: Store,
  flows: FlowsOfTrial,
  flow: Flow,
  { options, selection, elements }: FlowSettings,
  pointed: Pointed | null,
): LoadedFlow {
  const { sample, coloring, threshold, sign, strongest } = options;
  const start = useMemo(() => (selection === null ? null : { layer: selection.layer, elements }), [selection, elements]);
  // How the layers are coloured changes nothing about what is followed.
  const followed = useAsync(store, async () => ({ ...(await follow(flows, flow, options, start)), flow, start }), [
    flow,
    sample,
    threshold,
    sign,
    strongest,
    start,
  ]);
  const numbers = useAsync(store, async () => ({ flow, layers: await loadNumbers(flows, flow, sample, coloring) }), [
    flow,
    sample,
    coloring === "values",
  ]);
  const computed = useAsync(store, async () => ({ flow, layers: await loadComputed(flows, flow, sample) }), [flow, sample]);
  const selected = coloring === "flow" ? null : start;
  const from = pointed === null ? selected : { layer: pointed.layer, elements: [pointed.element] };
  const reached = useAsync(store, async () => (from === null ? NOTHING_REACHED : reachedFrom(flows, flow, options, from)), [
    flow,
    sample,
    threshold,
    sign,
    pointed?.layer,
    pointed?.element,
    selected,
  ]);
  // What was worked out of another flow does not fit these layers.
  const ofFlow = <T extends { flow: Flow }>(value: T | undefined): T | undefined => (value?.flow === flow ? value : undefined);
  return {
    error: [followed, numbers, computed, reached].find(({ error }) => error !== undefined)?.error,
    isOld: followed.isOld || numbers.isOld,
    followed: ofFlow(followed.value),
    numbers: ofFlow(numbers.value)?.layers,
    computed: ofFlow(computed.value)?.layers,
    reached: reached.value,
    start,
  };
}
