/** What selects a trial, a step and a tensor: what each selector offers comes from the step that is shown. */

import { type Tab, writeSelection } from "../state/address/url";
import { SYMPTOM } from "../state/findings/found";
import type { OpenStep } from "../state/selection/open_step";
import {
  aggregationLabel,
  aggregationOptions,
  type Option,
  ROLE_HINT,
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
import { isCompact, isSmall } from "../ui/media";
import { StepTrigger } from "../ui/notices/step_notes";
import { recordingLabel, roleLabel } from "../ui/text/format";
import { Timeline } from "./timeline/timeline";

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
        hint="One run of the script, or one variant of it. A page can hold several, to compare them."
        options={trialOptions(store.bundle).map(markedTrial)}
        value={trial}
        onChange={(value) => store.change("trial", value)}
      />
      <Picker
        id="rank"
        letter="k"
        label="Rank"
        hint="One of the processes that train together. Each has its own part of the data, and sometimes of the model."
        options={ranks}
        value={rank}
        onChange={(value) => store.change("rank", value)}
      />
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
    recordings: recordingOptions(offers, selection).map((option) => ({ ...option, label: recordingLabel(option.label) })),
    aggregations: aggregationOptions(offers, selection, (value) => aggregationLabel(value, samples, text)),
    roles: roleOptions(offers, selection).map((option) => ({ ...option, label: roleLabel(option.label) })),
  };
}

/** An attribute as it is selected, and the way to select another. */
function bound<A extends Attribute>(store: Store, attribute: A) {
  return {
    value: store.selection.value[attribute],
    onChange: (value: Selection[A]): void => store.change(attribute, value),
  };
}

/** Beside the timeline: which of its steps are offered, and what within a step. */
export function StepSelectors({ store }: { store: Store }) {
  const trial = store.trial.value;
  if (trial === undefined) {
    return null;
  }
  const iterations = Array.from({ length: store.shown.value?.open?.offers.iterations ?? 0 }, (_, k) => k);
  const types = stepTypeOptions(store.bundle, trial);
  // Any step, and those of a single type, are the same.
  const stepTypes = types.length > 2 ? types : [];
  return (
    <div class="selectors" role="group" aria-label="Step">
      <Picker
        id="step-type"
        letter="y"
        label="Step type"
        hint="Which steps the timeline offers. Triggered steps were recorded because something unusual happened in them, so they are not typical of the run."
        options={stepTypes}
        {...bound(store, "stepType")}
      />
      {WITH_ITERATION.has(store.tab.value) && (
        <Slider id="iteration" letter="i" label="Iteration" numbers={iterations} {...bound(store, "iteration")} />
      )}
    </div>
  );
}

/** Above what shows values: which of them. */
export function ValueSelectors({ store }: { store: Store }) {
  const open = store.shown.value?.open ?? null;
  const { recordings, aggregations, roles } = open === null ? NO_OPTIONS : optionsOf(store, open, store.selection.value);
  return (
    <div class="selectors value-selectors" role="group" aria-label="Values">
      <Picker id="recording" letter="g" label="Values / gradients" options={recordings} {...bound(store, "recording")} />
      <Picker id="aggregation" letter="b" label="Batch or sample" options={aggregations} {...bound(store, "aggregation")} />
      <Picker id="role" letter="r" label="Shown as" hint={ROLE_HINT} options={roles} {...bound(store, "role")} />
    </div>
  );
}

/** The timeline of the run, on every tab, and what else selects what is shown of a step, on the tabs that show one. */
export function Controls({ store }: { store: Store }) {
  const tab = store.tab.value;
  return (
    <div data-testid="controls" data-selection={writeSelection(store.selection.value)}>
      <div class={isCompact(store.story.isOpen.value) ? "run-line compact" : "run-line"}>
        <Timeline store={store} />
        {!isSmall.value && WITH_TYPE.has(tab) && <StepSelectors store={store} />}
      </div>
      {!isSmall.value && tab === "visualization" && <ValueSelectors store={store} />}
      {WITH_STEP.has(tab) && <StepTrigger store={store} />}
    </div>
  );
}

/** Tabs that show a step; the others are about the whole run. */
export const WITH_STEP: ReadonlySet<Tab> = new Set<Tab>(["tensors", "modules", "flow", "network", "graphs", "visualization"]);

/** Tabs on which one chooses among the steps of a type, and those that show an iteration of a step. */
export const WITH_TYPE: ReadonlySet<Tab> = new Set<Tab>(["tensors", "modules", "flow", "graphs", "visualization"]);
export const WITH_ITERATION: ReadonlySet<Tab> = new Set<Tab>(["tensors", "modules", "flow", "visualization"]);
