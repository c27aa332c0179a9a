/** The tab of gradient flows: which there are at the step that is selected. */

import { stepInWords, stepLabel } from "../../data/format/steps";
import type { Flow, FlowsOfTrial } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { NotReady } from "../../ui/notices/loading";
import { StepGaps } from "../../ui/notices/step_notes";
import { grouped, keyOf } from "../../ui/text/format";
import { FlowAtStep } from "./flow_at_step";

const STEPS_LISTED = 24;

export function FlowView({ store }: { store: Store }) {
  return (
    <>
      <StepGaps store={store} />
      <div class="flow-work" data-testid="flow-work">
        <Flows store={store} />
      </div>
    </>
  );
}

function Flows({ store }: { store: Store }) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const trial = store.trial.value;
  if (trial === undefined) {
    return null;
  }
  const loaded = store.bundle.flows(trial);
  if (loaded.state !== "ready") {
    return <NotReady store={store} loaded={loaded} what="the gradient flows" />;
  }
  const flows = loaded.value;
  if (flows === null) {
    return trial.rank === null ? (
      <p class="empty" data-testid="flow-none">
        A gradient flow belongs to one rank. Choose a rank.
      </p>
    ) : (
      <p class="empty" data-testid="flow-none">
        This trial has no gradient flow, or the export left it out to limit the size of the page.{" "}
        <code class="mono">recorder.record_gradient_flow(loss, layers)</code> records one.
      </p>
    );
  }
  const { step } = store.selection.value;
  const here = flows.list.filter((flow) => flow.step === step);
  const flow = here.find(({ name }) => name === store.view.value.get("flow")) ?? here[0];
  return flow === undefined ? (
    <Elsewhere store={store} flows={flows} step={step} />
  ) : (
    <FlowAtStep key={keyOf(trial)} store={store} flows={flows} here={here} flow={flow} />
  );
}

/** At which steps there are some. */
function Elsewhere({ store, flows, step }: { store: Store; flows: FlowsOfTrial; step: number }) {
  const steps = [...new Set(flows.list.map((flow: Flow) => flow.step))];
  return (
    <div class="flow-elsewhere" data-testid="flow-elsewhere">
      <p>
        No gradient flow was recorded at {stepInWords(step, grouped)}. There {steps.length === 1 ? "is one" : "are some"} at{" "}
        {steps.length === 1 ? "step" : "the steps"}:
      </p>
      <p>
        {steps.slice(0, STEPS_LISTED).map((other) => (
          <Button class="link" key={other} testid="flow-step" onClick={() => store.goToStep(other)}>
            {stepLabel(other)}
          </Button>
        ))}
        {steps.length > STEPS_LISTED && ` and ${grouped(steps.length - STEPS_LISTED)} more`}
      </p>
    </div>
  );
}
