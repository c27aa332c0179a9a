/** The tab of the modules: the graph of the calls that a module made, what is known of each, and what is pinned. */

import { useState } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import type { Calls } from "../../data/format/types";
import type { Store } from "../../state/store";
import { pinnedModules } from "../../state/tab_options/module_pins";
import { Splitter } from "../../ui/controls/splitter";
import { NotReady } from "../../ui/notices/loading";
import { NoSteps } from "../../ui/notices/no_steps";
import { StepGaps } from "../../ui/notices/step_notes";
import { LevelView } from "./level_view";
import type { Material } from "./levels/scene";
import { PanelArea } from "./panels/panel_area";

const FIRST_SHARE = 68;

export function ModulesView({ store }: { store: Store }) {
  const [share, setShare] = useState(FIRST_SHARE);
  return (
    <>
      <StepGaps store={store} />
      <div
        class={pinnedModules(store).length === 0 ? "module-work without-panels" : "module-work"}
        style={{ "--module-share": `${share}%` }}
      >
        <Modules store={store} />
        <Splitter of="the modules" orientation="vertical" share={share} onShare={setShare} />
        <PanelArea store={store} />
      </div>
    </>
  );
}

function Modules({ store }: { store: Store }) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const material = readMaterial(store);
  if (material.state !== "ready") {
    return <NotReady store={store} loaded={material} what="the modules" />;
  }
  if (material.value === null) {
    return (
      <p class="empty" role="status">
        <NoSteps />
      </p>
    );
  }
  return <LevelView store={store} material={material.value} />;
}

function readMaterial(store: Store): Loaded<Material | null> {
  const [shown, pending] = [store.shown.value, store.pending.value];
  const open = shown?.open ?? null;
  if (pending?.error) {
    return { state: "failed", error: pending.error };
  }
  if (shown === null || open === null) {
    return pending === null ? { state: "ready", value: null } : { state: "loading" };
  }
  const { trial } = open;
  const { iteration } = shown.selection;
  const number = store.bundle.callSet(trial, open.step)[iteration] ?? -1;
  const network = store.bundle.network(trial);
  const calls: Loaded<Calls | null> = number < 0 ? { state: "ready", value: null } : store.bundle.calls(number);
  if (network.state !== "ready") {
    return network;
  }
  if (calls.state !== "ready") {
    return calls;
  }
  const graph = open.hasGraph[iteration] === true ? open.graphs[iteration]! : null;
  return { state: "ready", value: { trial, shown, open, network: network.value, calls: calls.value, graph } };
}
