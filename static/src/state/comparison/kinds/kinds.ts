/** How two views differ in structure, before any number is compared. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Bundle } from "../../../data/bundle";
import type { Network, Trial } from "../../../data/format/types";
import type { OpenStep } from "../../selection/open_step";
import { difference, KINDS, type KindDifference, type Side } from "./difference";
import { differingGraphs } from "./graphs";
import { differingRuns, type Run, runOf } from "./runs";
import { differingTensors } from "./tensors";

/** In the order of `KINDS`. */
function differencesInKind(a: Side & { run: Run }, b: Side & { run: Run }): KindDifference[] {
  const kinds = [...differingTensors(a, b), ...differingGraphs(a, b), ...differingSteps(a, b), ...differingRuns(a.run, b.run)];
  return kinds.sort((x, y) => KINDS.indexOf(x.kind) - KINDS.indexOf(y.kind));
}

function differingSteps({ open: a }: Side, { open: b }: Side): KindDifference[] {
  const numbers = [
    ["iterations", a.graphs.length, b.graphs.length],
    ["batch size", a.trial.steps.batch_size[a.step]!, b.trial.steps.batch_size[b.step]!],
  ] as const;
  return numbers.filter(([, own, other]) => own !== other).map(([kind, own, other]) => difference(kind, kind, own, other));
}

/** A view of which it is known what it shows. */
interface View {
  open: OpenStep | null;
  selection: { iteration: number };
}

/** The differences of two views, worked out again only if one of them shows something else; null while there are no two views. */
export function kindsSignal(
  bundle: () => Bundle,
  viewOfA: () => View | null,
  viewOfB: () => View | null,
): ReadonlySignal<readonly KindDifference[] | null> {
  let known: { inputs: readonly unknown[]; kinds: readonly KindDifference[] } | null = null;
  return computed(() => {
    const [a, b] = [viewOfA(), viewOfB()];
    if (!a?.open || !b?.open) {
      return null;
    }
    const [open, other] = [a.open, b.open];
    const [network, otherNetwork] = [open, other].map(({ trial }) => loadedNetwork(bundle(), trial)) as [Network | null, Network | null];
    const inputs = [open, other, a.selection.iteration, b.selection.iteration, network, otherNetwork];
    if (known === null || inputs.some((input, k) => input !== known?.inputs[k])) {
      const { index } = bundle();
      const kinds = differencesInKind(
        { open, iteration: a.selection.iteration, run: runOf(index, open.trial, network) },
        { open: other, iteration: b.selection.iteration, run: runOf(index, other.trial, otherNetwork) },
      );
      known = { inputs, kinds };
    }
    return known.kinds;
  });
}

/** Null while it is not loaded. */
function loadedNetwork(bundle: Bundle, trial: Trial): Network | null {
  const network = bundle.network(trial);
  return network.state === "ready" ? network.value : null;
}
