/** What a page opens with where no address says it. */

import { effect } from "@preact/signals";
import type { Layout, Network } from "../../data/format/types";
import type { Store } from "../store";

const BUFFER = "buffer ";
/** What stands behind the name of the module. */
const OF_MODULE = /( \(call [0-9]+\))?: (gradient of )?(input|output|attention)[^:]*$/;

/**
 * Opens the first view: the first trial on the tab of the tensors. If modules were watched and nothing was registered by hand, it is the
 * tab of the modules, in the trial that was begun last; where the first trial was imported with flows, it is theirs.
 */
export function openFirstView(store: Store): void {
  store.open({ selection: {} });
  const stop = effect(() => {
    void store.version.value;
    const shown = store.shown.value;
    if (shown === null) {
      return;
    }
    const { open, selection } = shown;
    const isWatched = open !== null && (open.trial.steps.call_set[shown.step] ?? -1) >= 0;
    const network = isWatched ? store.bundle.network(open.trial) : null;
    if (network?.state === "loading") {
      return;
    }
    const hasImportedFlows = open !== null && open.trial.flows >= 0 && isImported(store, open.trial.name);
    const hasOnlyModules = network?.state === "ready" && isOnlyWatched(open!.content.layout, network.value);
    queueMicrotask(() => {
      stop();
      if (hasOnlyModules) {
        store.open({ tab: "modules", selection: { trial: begunLast(store) ?? selection.trial } });
      } else if (hasImportedFlows) {
        store.tab.value = "flow";
      }
    });
  });
}

/**
 * What is watched is called after its module, as `encoder (call 2): output`. What the script computes from it, such as its losses, is
 * called after functions, has statistics only, and is no input; what is registered by hand has its values, unless the script asks for
 * less.
 */
export function isOnlyWatched({ tensors }: Pick<Layout, "tensors">, { modules }: Pick<Network, "modules">): boolean {
  const names = new Set(modules.map(({ name }) => name));
  return tensors.name.every(
    (name, k) =>
      tensors.type[k] === "parameter" ||
      (tensors.kind[k] !== "neuron" && tensors.type[k] !== "input") ||
      tensors.role[k]!.startsWith(BUFFER) ||
      names.has(name.replace(OF_MODULE, "")),
  );
}

/** Whether a trial was made from files of another tool: what PyTorch ran says of which version it was. */
function isImported({ bundle: { index } }: Store, name: string): boolean {
  return index.about.recordings.some(({ trial, torch_version: version }) => trial === name && version === "");
}

/** The name of the trial with steps that was begun last; undefined where it is not known of any. */
function begunLast({ bundle: { index } }: Store): string | undefined {
  const withSteps = new Set(index.trials.filter(({ steps }) => steps.step.length > 0).map(({ name }) => name));
  const begun = index.about.recordings.filter(({ trial, started }) => withSteps.has(trial) && !Number.isNaN(Date.parse(started)));
  return begun.sort((a, b) => Date.parse(b.started) - Date.parse(a.started))[0]?.trial;
}
