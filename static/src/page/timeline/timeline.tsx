/** The timeline of the run: every recorded step of the trial, and the way from one to another. */

import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { readStep, stepLabel } from "../../data/format/steps";
import type { Trial } from "../../data/format/types";
import { findingsByFirstStep } from "../../state/findings/first_steps";
import { findingsOf } from "../../state/findings/found";
import { stepsOfType } from "../../state/selection/options";
import type { Store } from "../../state/store";
import { CheckedField } from "../../ui/controls/checked_field";
import { StepButton } from "../../ui/controls/choice_controls";
import { typeLooks } from "./marks";
import { stepScale } from "./scale";
import { type Run, Track } from "./track";
import { distanceOf, kindOf, type TimelineStep } from "./words";

export function Timeline({ store }: { store: Store }) {
  const trial = store.trial.value;
  return trial === undefined || trial.steps.step.length === 0 ? null : <OfTrial store={store} trial={trial} />;
}

const LABEL = "Step";

function OfTrial({ store, trial }: { store: Store; trial: Trial }) {
  const step = useComputed(() => store.selection.value.step).value;
  const stepType = useComputed(() => store.selection.value.stepType).value;
  const run = useRun(store, trial, stepType);
  const { offered } = run;
  const place = Math.max(
    0,
    offered.findIndex((position) => trial.steps.step[position] === step),
  );
  const go = (position: number): void => store.change("step", trial.steps.step[position]!);
  const goTo = (position: number | undefined): (() => void) | null => (position === undefined ? null : () => go(position));
  const position = offered[place] ?? 0;
  return (
    <div class="timeline" data-testid="selector-step" role="group" aria-label="Timeline">
      <StepButton direction="previous" label={LABEL} letter="S" id="step" onClick={goTo(offered[place - 1])} />
      <Track run={run} position={position} onGo={go} />
      <StepButton direction="next" label={LABEL} letter="s" id="step" onClick={goTo(offered[place + 1])} />
      <Words store={store} run={run} facts={run.factsOf(position)} color={run.looks[position]!.color} />
    </div>
  );
}

function useRun(store: Store, trial: Trial, stepType: string): Run {
  const { bundle } = store;
  const document = findingsOf(store);
  const scale = useMemo(() => stepScale(trial.steps.step), [trial]);
  const looks = useMemo(() => {
    const byType = typeLooks(bundle, trial);
    return trial.steps.type.map((type) => byType.get(type)!);
  }, [bundle, trial]);
  const findings = useMemo(() => findingsByFirstStep(document, trial), [document, trial]);
  return useMemo(() => {
    const { step, triggered, epoch } = trial.steps;
    const offered = stepsOfType(bundle, trial, stepType);
    const placeOf = new Map(offered.map((position, place) => [position, place]));
    const factsOf = (position: number): TimelineStep => ({
      step: step[position]!,
      type: looks[position]!.name,
      isTriggered: triggered[position]! >= 0,
      before: step[offered[(placeOf.get(position) ?? 0) - 1] ?? -1] ?? null,
    });
    return {
      scale,
      looks,
      offered,
      findings,
      factsOf,
      triggered: [...triggered.keys()].filter((position) => triggered[position]! >= 0),
      epochs: epoch,
    };
  }, [bundle, trial, stepType, scale, looks, findings]);
}

/** The step as a field that goes to another one, and what it is in words. */
function Words({ store, run, facts, color }: { store: Store; run: Run; facts: TimelineStep; color: number }) {
  const first = run.scale.steps[0]!;
  const last = run.scale.steps.at(-1)!;
  const check = (text: string): string => (readStep(text) !== null ? "" : `Type a step from ${stepLabel(first)} to ${stepLabel(last)}.`);
  return (
    <div class="timeline-words">
      <span aria-hidden="true">step</span>
      <CheckedField
        text={stepLabel(facts.step)}
        check={check}
        onText={(text) => store.goToStep(readStep(text)!)}
        takes="change"
        label="Go to the step"
        testid="value-step"
        class="timeline-field"
      />
      <output class="timeline-kind" for="select-step" data-testid="step-words" title={`${kindOf(facts)} \u00b7 ${distanceOf(facts)}`}>
        <span class="timeline-part">
          <span class="timeline-type" style={{ "--type": `var(--curve-${color})` }} aria-hidden="true" />
          <bdi>{kindOf(facts)}</bdi>
        </span>
        <span class="timeline-dot"> {"\u00b7"} </span>
        <span class="timeline-part">{distanceOf(facts)}</span>
      </output>
    </div>
  );
}
