/** Gets the histograms ahead of what could be pinned, so that its panel opens at once. */

import { useEffect } from "preact/hooks";
import type { HistogramRecord } from "../../../data/records/histograms";
import type { HistogramsOfTrial } from "../../../data/records/trial_histograms";
import { afterFrame } from "../../../state/after_frame";
import type { Store } from "../../../state/store";
import { whenIdle } from "../../../ui/scheduling/idle_work";
import type { Call } from "../levels/call_graph";
import type { Scene } from "../levels/scene";
import { warmUpPanels } from "./warm_up";

/** Of half a megabyte each. */
const MOST_CHUNKS = 16;
/** More modules than these hardly fit into so many chunks. */
const MOST_MODULES = 64;
const PARAMETERS_ITERATION = -1;
const NO_CALL: Pick<Call, "name" | "module" | "inputs" | "outputs"> = { name: "", module: -1, inputs: [], outputs: [] };

/** Begins when everything that is shown is there. */
export function useHistogramsAhead(store: Store, scene: Scene): void {
  const arrived = store.arrived.value;
  useEffect(() => {
    let giveUp = (): void => undefined;
    const cancel = afterFrame(() => (giveUp = loadAhead(store, scene)));
    return () => {
      cancel();
      giveUp();
    };
  }, [store, arrived, scene.nodes, scene.at]);
}

/** Asks for what is missing; where it is there, makes panels of it ready. Returns what gives that up. */
function loadAhead(store: Store, scene: Scene): () => void {
  const { chunks } = store.bundle;
  const { trial, open } = scene.material;
  const histograms = chunks.outstanding > 0 || chunks.hasFailed ? null : store.bundle.histograms(trial);
  if (histograms?.state !== "ready" || histograms.value === null) {
    return () => undefined;
  }
  const modules = modulesAhead(scene, histograms.value, store.bundle.typeOf(trial, open.step));
  const wanted = [...new Set(modules.flatMap(({ records }) => records.flatMap((record) => record.chunks)))].slice(0, MOST_CHUNKS);
  chunks.request(wanted);
  return chunks.outstanding > 0 ? () => undefined : whenIdle(warmUpPanels(store, modules));
}

/** The modules of a level that have histograms on steps of a type, the selected one before the others. */
function modulesAhead(
  { flow, nodes, at, material: { network } }: Pick<Scene, "flow" | "nodes" | "at" | "material">,
  histograms: HistogramsOfTrial,
  type: string,
): { name: string; records: HistogramRecord[] }[] {
  const selectedFirst = [...nodes].sort((a, b) => Number(b.key === at) - Number(a.key === at)).slice(0, MOST_MODULES);
  const recordsOf = (name: string, iteration: number): HistogramRecord[] =>
    histograms.records(name, iteration).filter((record) => record.type === type);
  return selectedFirst.flatMap(({ call }) => {
    const { name, module, inputs, outputs } = flow?.calls[call] ?? NO_CALL;
    const tensors = [...inputs, ...outputs].map(({ record }) => flow?.records[record]).filter((record) => record !== undefined);
    const parameters = network.parameters.filter((parameter) => parameter.module === module);
    const records = [
      ...tensors.flatMap((tensor) => recordsOf(tensor.name, tensor.iteration)),
      ...parameters.flatMap((parameter) => recordsOf(parameter.alias_of ?? parameter.name, PARAMETERS_ITERATION)),
    ];
    return records.length === 0 ? [] : [{ name, records }];
  });
}
