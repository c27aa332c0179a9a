/** In a small window: what is selected in one line at its lower edge, which opens the selectors. */

import type { Attribute } from "../state/selection/selection";
import type { Store } from "../state/store";
import { attributeText } from "../tabs/tensors/compare/pin_bar";
import { Sheet } from "../ui/controls/sheet";
import { recordingLabel } from "../ui/text/format";
import { StepSelectors, TrialSelector, ValueSelectors, WITH_ITERATION, WITH_TYPE } from "./selectors";

export function SelectionSheet({ store }: { store: Store }) {
  const tab = store.tab.value;
  const hasIteration = WITH_ITERATION.has(tab);
  const hasValues = tab === "tensors" || tab === "visualization";
  return (
    <div class="selection-line">
      <Sheet testid="selection" label="Selection" sign={<bdi class="selection-text">{selected(store, hasIteration, hasValues)}</bdi>}>
        <TrialSelector store={store} />
        {WITH_TYPE.has(tab) && <StepSelectors store={store} />}
        {hasValues && <ValueSelectors store={store} />}
      </Sheet>
    </div>
  );
}

/** What the tab shows, and of which trial if there are several. */
function selected(store: Store, hasIteration: boolean, hasValues: boolean): string {
  const { bundle, selection, shown } = store;
  const text = (attribute: Exclude<Attribute, "step" | "stepType" | "recording">): string =>
    attributeText(store, attribute, String(selection.value[attribute]));
  const { recording } = selection.value;
  const parts = [
    ...(hasValues ? [text("aggregation"), recordingLabel(recording)] : []),
    ...(hasIteration && (shown.value?.open?.offers.iterations ?? 0) > 1 ? [`iteration ${text("iteration")}`] : []),
    // Last, since long names are cut off.
    ...(bundle.index.trials.length > 1 ? [text("trial")] : []),
  ];
  return parts.length === 0 ? "Selection" : parts.join(" \u00b7 ");
}
