/** What could not be recorded on the step that is shown: one discreet line that opens. */

import type { Store } from "../state/store";
import { counted } from "./format";

/** Reasons that are listed; all of them are on the About tab. */
const LISTED = 20;

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
    <details class="gaps" data-testid="step-gaps">
      <summary>{counted(count, "thing")} could not be recorded on this step</summary>
      <ul>
        {own.slice(0, LISTED).map((gap, k) => (
          <li key={k} dir="auto">
            {gap.tensor !== null && <><bdi class="mono">{gap.tensor}</bdi>{gap.group !== null && <> (<bdi>{gap.group}</bdi>)</>}{gap.iteration !== null && `, iteration ${gap.iteration}`}: </>}
            {gap.reason}
          </li>
        ))}
        {own.length > LISTED && <li>and {own.length - LISTED} more, on the About tab</li>}
        {gaps.state === "failed" && <li>{gaps.error.message}</li>}
      </ul>
    </details>
  );
}
