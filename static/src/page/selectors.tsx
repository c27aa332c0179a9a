/** What selects a trial, a step and a tensor: what each selector offers comes from the step that is shown. */

import { type Tab, writeSelection } from "../state/address/url";
import { SYMPTOM } from "../state/findings/found";
import type { OpenStep } from "../state/selection/open_step";
import {
  aggregationLabel,
  aggregationOptions,
  type Option,
  rankOptions,
  recordingOptions,
  roleOptions,
  stepTypeOptions,
  trialOptions,
} from "../state/selection/options";
import type { Attribute, Selection } from "../state/selection/selection";
import type { Store } from "../state/store";
import { SEVERITIES } from "../tabs/overview/findings/texts";
import { Picker, Slider } from "../ui/controls/choice_controls";
import { StepTrigger } from "../ui/notices/step_notes";
import { roleLabel } from "../ui/text/format";
import { Timeline } from "./timeline/timeline";

/** Selectors that have no effect on a tab, and are not there. */
const WITHOUT_EFFECT: Partial<Record<Tab, readonly Attribute[]>> = {
  modules: ["recording", "aggregation", "role"],
  flow: ["recording", "aggregation", "role"],
  network: ["recording", "stepType", "iteration", "aggregation", "role"],
  graphs: ["recording", "iteration", "aggregation", "role"],
};

/** Shown on every tab, if there is a choice. The rank can only be chosen where some trial has several. */
export function TrialSelector({ store }: { store: Store }) {
  const { trial, rank } = store.selection.value;
  const ranks = rankOptions(store.bundle, trial);
  return (
    <div class="trial-selectors">
      <Picker
        id="trial"
        letter="t"
        label="Trial"
        options={trialOptions(store.bundle).map(markedTrial)}
        value={trial}
        onChange={(value) => store.change("trial", value)}
      />
      <Picker id="rank" letter="k" label="Rank" options={ranks} value={rank} onChange={(value) => store.change("rank", value)} />
    </div>
  );
}

/** A trial that has findings has a sign, with the worst of them in words. */
function markedTrial({ value, label, worst }: ReturnType<typeof trialOptions>[number]): Option {
  return { value, label: worst < SYMPTOM ? label : `\u26a0 ${label} (${SEVERITIES[worst]?.toLowerCase()})` };
}

interface StepOptions {
  recordings: readonly Option[];
  aggregations: readonly Option[];
  roles: readonly Option[];
}

const NO_OPTIONS: StepOptions = { recordings: [], aggregations: [], roles: [] };

function optionsOf(store: Store, { offers, samples }: OpenStep, selection: Selection): StepOptions {
  const text = (position: number): string => store.bundle.text(position);
  return {
    recordings: recordingOptions(offers, selection),
    aggregations: aggregationOptions(offers, selection, (value) => aggregationLabel(value, samples, text)),
    roles: roleOptions(offers, selection).map((option) => ({ ...option, label: roleLabel(option.label) })),
  };
}

function Selectors({ store }: { store: Store }) {
  const selection = store.selection.value;
  const trial = store.trial.value;
  const open = store.shown.value?.open ?? null;
  if (trial === undefined) {
    return null;
  }
  const iterations = Array.from({ length: open?.offers.iterations ?? 0 }, (_, k) => k);
  const { recordings, aggregations, roles } = open === null ? NO_OPTIONS : optionsOf(store, open, selection);
  const without = WITHOUT_EFFECT[store.tab.value] ?? [];
  const types = stepTypeOptions(store.bundle, trial);
  // Any step, and those of a single type, are the same.
  const stepTypes = types.length > 2 ? types : [];
  const bound = <A extends Attribute>(attribute: A) => ({
    value: selection[attribute],
    isHidden: without.includes(attribute),
    onChange: (value: Selection[A]): void => store.change(attribute, value),
  });
  return (
    <div class="selectors" role="group" aria-label="Selection">
      <Picker id="step-type" letter="y" label="Step type" options={stepTypes} {...bound("stepType")} />
      <Slider id="iteration" letter="i" label="Iteration" numbers={iterations} {...bound("iteration")} />
      <Picker id="recording" letter="g" label="Recording" options={recordings} {...bound("recording")} />
      <Picker id="aggregation" letter="b" label="Batch or sample" options={aggregations} {...bound("aggregation")} />
      <Picker id="role" letter="r" label="Role" options={roles} {...bound("role")} />
    </div>
  );
}

/** What selects a step and what is shown of it: on the tabs on which the step has an effect. */
export function Controls({ store }: { store: Store }) {
  return (
    <div hidden={!WITH_STEP.has(store.tab.value)} data-testid="controls" data-selection={writeSelection(store.selection.value)}>
      <Timeline store={store} />
      <Selectors store={store} />
      <StepTrigger store={store} />
    </div>
  );
}

const WITH_STEP: ReadonlySet<Tab> = new Set<Tab>(["tensors", "modules", "flow", "network", "graphs", "visualization"]);
