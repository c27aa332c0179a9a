/** Makes a view B, and lets each of its attributes be fixed or follow A. */

import { stepLabel } from "../../../data/format/steps";
import { PINNABLE, type Pin, type Pinnable, pinned, pinOf, withPin } from "../../../state/comparison/pin";
import { aggregationLabel, rankOptions } from "../../../state/selection/options";
import { ATTRIBUTE_NAMES, type Selection } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { nodeLabel, roleLabel } from "../../../ui/text/format";

/** What an attribute is called where there is little room. */
export const ATTRIBUTE_LABELS: Readonly<Record<Pinnable, string>> = {
  trial: "trial",
  rank: "rank",
  step: "step",
  recording: "recording",
  iteration: "iteration",
  node: "node",
  role: "role",
  aggregation: "batch or sample",
};

export function PinBar({ store }: { store: Store }) {
  const shown = store.shown.value;
  const pin = store.pin.value;
  if (shown === null) {
    return null;
  }
  const { selection } = shown;
  if (pin === null) {
    return (
      <div class="pin-bar">
        <Button testid="pin" keys="p" onClick={() => store.setPin(pinOf(selection))}>
          Compare with this view
        </Button>
      </div>
    );
  }
  const hasRanks = [selection.trial, pin.trial].some((trial) => trial !== undefined && rankOptions(store.bundle, trial).length > 1);
  return (
    <details class="pin-attributes">
      <summary>What B keeps, and what follows A</summary>
      <div class="pin-bar" role="group" aria-label="The second view, B">
        {PINNABLE.filter((attribute) => attribute !== "rank" || hasRanks).map((attribute) => (
          <Attribute
            key={attribute}
            attribute={attribute}
            selection={selection}
            pin={pin}
            text={attributeText(store, attribute, String(withPin(selection, pin)[attribute]))}
            onChange={(changed) => store.setPin(changed)}
          />
        ))}
      </div>
    </details>
  );
}

interface AttributeProps {
  attribute: Pinnable;
  selection: Selection;
  pin: Pin;
  /** Its value in B. */
  text: string;
  onChange: (pin: Pin) => void;
}

/** Pressed: B stays where it is. Not pressed: B goes where A goes. */
function Attribute({ attribute, selection, pin, text, onChange }: AttributeProps) {
  const isFixed = pin[attribute] !== undefined;
  const says = isFixed ? `${ATTRIBUTE_NAMES[attribute]} of B stays at ${text}` : `${ATTRIBUTE_NAMES[attribute]} of B follows A`;
  return (
    <Button
      class="pin-attribute"
      testid={`pin-${attribute}`}
      pressed={isFixed}
      title={`${says}. Click to change that.`}
      onClick={() => onChange(pinned(pin, attribute, isFixed ? undefined : selection[attribute]))}
    >
      <span class="soft">{ATTRIBUTE_LABELS[attribute]}</span> <bdi>{isFixed ? text : "as A"}</bdi>
    </Button>
  );
}

/** The value of an attribute as it is shown. */
export function attributeText(store: Store, attribute: Pinnable, value: string): string {
  switch (attribute) {
    case "aggregation": {
      const samples = store.shown.value?.open?.samples;
      return (samples && aggregationLabel(value, samples, (position) => store.bundle.text(position))) || value;
    }
    case "node":
      return nodeLabel(value) || value;
    case "role":
      return roleLabel(value) || value;
    case "step":
      return stepLabel(Number(value));
    default:
      return value;
  }
}
