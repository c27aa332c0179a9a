/** Loads ahead the histograms of what could be pinned, so that its panel opens at once. */

import { useEffect } from "preact/hooks";
import type { HistogramsOfTrial } from "../../data/histograms";
import { afterFrame } from "../../state/after_frame";
import type { Store } from "../../state/store";
import type { Call } from "./flow";
import type { Scene } from "./scene";

/** Of half a megabyte each. */
const MOST_CHUNKS = 16;
const PARAMETERS_ITERATION = -1;
const NO_CALL: Pick<Call, "module" | "inputs" | "outputs"> = { module: -1, inputs: [], outputs: [] };

/** Begins when everything that is shown is there. */
export function useHistogramsAhead(store: Store, scene: Scene): void {
  const version = store.version.value;
  useEffect(() => afterFrame(() => loadAhead(store, scene)), [store, version, scene.nodes, scene.at]);
}

function loadAhead(store: Store, scene: Scene): void {
  const { chunks } = store.bundle;
  const { trial, open } = scene.material;
  const histograms = chunks.outstanding > 0 || chunks.hasFailed ? null : store.bundle.histograms(trial);
  if (histograms?.state === "ready" && histograms.value !== null) {
    chunks.request(chunksAhead(scene, histograms.value, store.bundle.typeOf(trial, open.step)));
  }
}

/** Parts of the histograms of the modules of a level on steps of a type, those of the selected module before the others. */
export function chunksAhead({ flow, nodes, at, material: { network } }: Pick<Scene, "flow" | "nodes" | "at" | "material">, histograms: HistogramsOfTrial, type: string): number[] {
  const found = new Set<number>();
  const add = (name: string, iteration: number): void => {
    for (const record of histograms.records(name, iteration).filter((candidate) => candidate.type === type)) {
      record.chunks.forEach((id) => found.add(id));
    }
  };
  const selectedFirst = [...nodes].sort((a, b) => Number(b.key === at) - Number(a.key === at));
  for (const { call } of selectedFirst) {
    const { module, inputs, outputs } = flow?.calls[call] ?? NO_CALL;
    [...inputs, ...outputs].map(({ record }) => flow?.records[record]).forEach((record) => record && add(record.name, record.iteration));
    network.parameters.filter((parameter) => parameter.module === module).forEach(({ name, alias_of }) => add(alias_of ?? name, PARAMETERS_ITERATION));
  }
  return [...found].slice(0, MOST_CHUNKS);
}
