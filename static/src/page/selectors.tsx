/** The selectors of the tensors: what each offers comes from the step that is shown. */

import type { OpenStep } from "../state/selection/open_step";
import {
  aggregationLabel,
  aggregationOptions,
  type Option,
  rankOptions,
  recordingOptions,
  roleOptions,
  stepsOfType,
  stepTypeOptions,
  trialOptions,
} from "../state/selection/options";
import type { Attribute, Selection } from "../state/selection/selection";
import type { Store } from "../state/store";
import { Picker, Slider } from "../ui/controls/choice_controls";
import { roleLabel } from "../ui/text/format";

/** Why selectors have no effect on some tabs. They keep their place there, so that nothing jumps when the tab is changed. */
const WITHOUT_EFFECT: Partial<Record<string, Partial<Record<Attribute, string>>>> = {
  modules: {
    recording: "Has no effect on the Modules tab: panels show values and gradients side by side.",
    aggregation: "Has no effect on the Modules tab: histograms cover the whole batch.",
    role: "Has no effect on the Modules tab: it selects no single tensor.",
  },
  flow: {
    recording: "Has no effect on the Flow tab: each layer shows its flow, gradient or activation.",
    aggregation: "Has no effect on the Flow tab: choose the sample of the flows there.",
    role: "Has no effect on the Flow tab: it shows all layers of a flow.",
  },
};

/** Shown on every tab. The rank can only be chosen where some trial has several. */
export function TrialSelector({ store }: { store: Store }) {
  const { trial, rank } = store.selection.value;
  const ranks = rankOptions(store.bundle, trial);
  return (
    <div class="trial-selectors">
      <Picker
        id="trial"
        letter="t"
        label="Trial"
        options={trialOptions(store.bundle)}
        value={trial}
        onChange={(value) => store.change("trial", value)}
      />
      {ranks.length > 0 && (
        <Picker id="rank" letter="k" label="Rank" options={ranks} value={rank} onChange={(value) => store.change("rank", value)} />
      )}
    </div>
  );
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

export function Selectors({ store }: { store: Store }) {
  const selection = store.selection.value;
  const trial = store.trial.value;
  const open = store.shown.value?.open ?? null;
  if (trial === undefined) {
    return null;
  }
  const steps = stepsOfType(store.bundle, trial, selection.stepType).map((k) => trial.steps.step[k]!);
  const iterations = Array.from({ length: open?.offers.iterations ?? 0 }, (_, k) => k);
  const { recordings, aggregations, roles } = open === null ? NO_OPTIONS : optionsOf(store, open, selection);
  const bound = <A extends Attribute>(attribute: A) => ({
    value: selection[attribute],
    withoutEffect: WITHOUT_EFFECT[store.tab.value]?.[attribute],
    onChange: (value: Selection[A]): void => store.change(attribute, value),
  });
  return (
    <div class="selectors" role="group" aria-label="Selection">
      <Picker id="recording" letter="g" label="Recording type" options={recordings} {...bound("recording")} />
      <Picker id="step-type" letter="y" label="Training step type" options={stepTypeOptions(store.bundle, trial)} {...bound("stepType")} />
      <Slider id="step" letter="s" label="Training step" numbers={steps} {...bound("step")} />
      <Slider id="iteration" letter="i" label="Iteration" numbers={iterations} {...bound("iteration")} />
      <Picker id="aggregation" letter="b" label="Batch or sample" options={aggregations} {...bound("aggregation")} />
      <Picker id="role" letter="r" label="Role of tensor" options={roles} {...bound("role")} />
    </div>
  );
}
