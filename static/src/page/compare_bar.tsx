/** Says on every tab that two views are compared, and which they are. It is below the content, which keeps its place. */

import { stepInWords } from "../data/format/steps";
import { PINNABLE, type Pinnable, withPin } from "../state/comparison/pin";
import type { Selection } from "../state/selection/selection";
import type { Store } from "../state/store";
import { kindsSentence } from "../tabs/tensors/compare/kind_list";
import { ATTRIBUTE_LABELS, attributeText } from "../tabs/tensors/compare/pin_bar";
import { Button } from "../ui/controls/button";
import { counted } from "../ui/text/format";

export function CompareBar({ store }: { store: Store }) {
  const [pin, a] = [store.pin.value, store.selection.value];
  if (pin === null) {
    return null;
  }
  const b = withPin(a, pin);
  // What differs comes first, since long names are cut off.
  const named = PINNABLE.filter((attribute) => isNamed(store, attribute, a, b)).sort(
    (first, second) => Number(a[first] === b[first]) - Number(a[second] === b[second]),
  );
  const second = store.second.value;
  return (
    <section class="compare-bar" aria-label="Comparison" data-testid="compare-bar">
      <Side store={store} side="A" selection={a} named={named} />
      <span class="soft compare-with">compared with</span>
      <Side store={store} side="B" selection={b} named={named} />
      {second?.state === "ready" && second.value.missing !== null && <span class="soft">{second.value.missing}</span>}
      <KindsButton store={store} />
      <span class="compare-buttons">
        <Button
          testid="swap"
          keys="w"
          label="Swap A and B"
          title="Show B, and compare it with what is shown now: key w"
          onClick={() => store.swapPinned()}
        >
          Swap
        </Button>
        <Button testid="unpin" keys="Escape" label="Stop comparing" title="Stop comparing: key Esc" onClick={() => store.setPin(null)}>
          Stop
        </Button>
      </span>
    </section>
  );
}

/** Trial and step always, and what else differs. */
function isNamed({ bundle }: Store, attribute: Pinnable, a: Selection, b: Selection): boolean {
  return attribute === "trial" ? bundle.index.trials.length > 1 : attribute === "step" || a[attribute] !== b[attribute];
}

function Side({ store, side, selection, named }: { store: Store; side: "A" | "B"; selection: Selection; named: readonly Pinnable[] }) {
  const words = (attribute: Pinnable): string => {
    if (attribute === "step") {
      return stepInWords(selection.step);
    }
    const value = attributeText(store, attribute, String(selection[attribute]));
    return attribute === "trial" || attribute === "aggregation" ? value : `${ATTRIBUTE_LABELS[attribute]} ${value}`;
  };
  const text = named.map(words).join(", ");
  return (
    <span class="compare-side" title={text} data-testid={`compare-${side.toLowerCase()}`}>
      <strong class="legend-mark">{side}</strong> <bdi>{text}</bdi>
    </span>
  );
}

/** How many differences in structure there are; leads to their list. */
function KindsButton({ store }: { store: Store }) {
  const kinds = store.kinds.value;
  return kinds === null ? null : (
    <Button
      class="link"
      testid="show-kinds"
      title={kindsSentence(kinds)}
      onClick={() => {
        store.tab.value = "tensors";
        store.setView("pane", "compare");
      }}
    >
      {kinds.length === 0 ? "same structure" : `${counted(kinds.length, "difference")} in structure`}
    </Button>
  );
}
