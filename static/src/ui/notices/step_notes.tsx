/** What is unusual about the step that is shown: why it was recorded out of turn, and, on a line that opens, what could not be recorded. */

import type { Store } from "../../state/store";
import { counted, withStop } from "../text/format";
import { LinkedText } from "../text/linked_text";

/** Reasons that are listed; all of them are on the About tab. */
const LISTED = 20;

/** Why the step was recorded although it was not its turn. */
export function StepTrigger({ store }: { store: Store }) {
  const shown = store.shown.value;
  const reason = shown?.open?.trial.steps.triggered[shown.step] ?? -1;
  return reason < 0 ? null : (
    <p class="step-note step-trigger" data-testid="step-trigger">
      <strong>Triggered step.</strong> Recorded out of turn:{" "}
      <LinkedText store={store} text={withStop(store.bundle.text(reason))} step={null} />{" "}
      <span class="soft">Such steps are a biased sample: statistics over steps keep them apart.</span>
    </p>
  );
}

export function StepGaps({ store }: { store: Store }) {
  void store.version.value;
  const shown = store.shown.value;
  const count = shown?.open?.trial.steps.gaps[shown.step] ?? 0;
  if (shown === null || shown.open === null || count === 0) {
    return null;
  }
  const gaps = store.bundle.gaps(shown.open.trial);
  const own = gaps.state === "ready" ? gaps.value.filter((gap) => gap.step === shown.selection.step) : [];
  return (
    <details class="step-note gaps" data-testid="step-gaps">
      <summary>{counted(count, "thing")} could not be recorded on this step</summary>
      <ul>
        {own.slice(0, LISTED).map((gap, k) => (
          <li key={k} dir="auto">
            {gap.tensor !== null && (
              <>
                <span class="mono">
                  <LinkedText store={store} text={`\`${gap.tensor}\``} step={null} />
                </span>
                {gap.group !== null && (
                  <>
                    {" "}
                    (<bdi>{gap.group}</bdi>)
                  </>
                )}
                {gap.iteration !== null && `, iteration ${gap.iteration}`}:{" "}
              </>
            )}
            {gap.reason}
          </li>
        ))}
        {own.length > LISTED && <li>and {own.length - LISTED} more, on the About tab</li>}
        {gaps.state === "failed" && <li>{gaps.error.message}</li>}
      </ul>
    </details>
  );
}
