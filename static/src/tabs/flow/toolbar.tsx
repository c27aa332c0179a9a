/** What of the flows is shown: which flow and sample, colours, signs, how many, and from which strength on. */

import { type Flow, samplesOf } from "../../data/records/flows";
import { type FlowColoring, type FlowOptions, SIGNS, type Sign, STRONGEST } from "../../state/tab_options/flow_options";
import { Button } from "../../ui/controls/button";
import { CheckedField } from "../../ui/controls/checked_field";
import { Select } from "../../ui/controls/select";
import { brief, grouped } from "../../ui/text/format";
import { placeOfThreshold, THRESHOLD_PLACES, thresholdAt, wrongThreshold } from "./threshold";

/** The keys of the controls. */
const COLORING_KEYS: Readonly<Record<FlowColoring, string>> = { flow: "a", gradients: "g", values: "v" };
const SIGN_KEYS: Readonly<Record<Sign, string>> = { both: "0", positive: "+", negative: "-" };
const CLEAR_KEY = "x";

const COLORING_NAMES: Readonly<Record<FlowColoring, string>> = { flow: "Flow", gradients: "Gradient", values: "Activation" };
const SIGN_NAMES: Readonly<Record<Sign, string>> = { both: "Both", positive: "+", negative: "\u2212" };
const SIGN_WORDS: Readonly<Record<Sign, string>> = {
  both: "Flows of both signs",
  positive: "Flows above zero",
  negative: "Flows below zero",
};

/** With the iteration, where the name does not say it. */
export function nameOf({ name, iteration }: { name: string; iteration: number }): string {
  const suffix = ` (iteration ${iteration})`;
  return iteration === 0 || name.endsWith(suffix) ? name : name + suffix;
}

interface Props {
  /** Those of the step. */
  flows: readonly Flow[];
  flow: Flow;
  options: FlowOptions;
  largest: number;
  hasSelection: boolean;
  onFlow: (name: string) => void;
  onChange: (changed: Partial<FlowOptions>) => void;
  onClear: () => void;
}

export function FlowToolbar({ flows, flow, options, largest, hasSelection, onFlow, onChange, onClear }: Props) {
  return (
    <div class="flow-bar" role="group" aria-label="Gradient flow">
      {flows.length > 1 && (
        <label class="flow-option">
          <span>Flow</span>
          <Select
            testid="flow-name"
            title={nameOf(flow)}
            value={flow.name}
            choices={flows.map((other) => [other.name, nameOf(other)])}
            onChange={onFlow}
          />
        </label>
      )}
      {samplesOf(flow) > 1 && (
        <label class="flow-option">
          <span>Sample</span>
          <Select
            testid="flow-sample"
            value={String(options.sample)}
            choices={flow.samples.map((sample, place) => [String(place), String(sample)])}
            onChange={(place) => onChange({ sample: Number(place) })}
          />
        </label>
      )}
      <div class="button-group" role="group" aria-label="Colors of the layers">
        {(["flow", "gradients", "values"] as const).map((coloring) => (
          <Button
            key={coloring}
            testid={`flow-coloring-${coloring}`}
            pressed={options.coloring === coloring}
            keys={COLORING_KEYS[coloring]}
            title={`Key ${COLORING_KEYS[coloring]}`}
            onClick={() => onChange({ coloring })}
          >
            {COLORING_NAMES[coloring]}
          </Button>
        ))}
      </div>
      <div class="button-group" role="group" aria-label="Sign">
        {SIGNS.map((sign) => (
          <Button
            key={sign}
            testid={`flow-sign-${sign}`}
            pressed={options.sign === sign}
            label={SIGN_WORDS[sign]}
            keys={SIGN_KEYS[sign]}
            title={`${SIGN_WORDS[sign]} (key ${SIGN_KEYS[sign]})`}
            onClick={() => onChange({ sign })}
          >
            {SIGN_NAMES[sign]}
          </Button>
        ))}
      </div>
      <label class="flow-option">
        <span title="Flows drawn between two layers, at most">Strongest</span>
        <Select
          testid="flow-strongest"
          value={String(options.strongest)}
          choices={STRONGEST.map((count, k) => [
            String(count),
            k === STRONGEST.length - 1 ? `all, up to ${grouped(count)}` : String(count),
          ])}
          onChange={(count) => onChange({ strongest: Number(count) })}
        />
      </label>
      <Threshold value={options.threshold} largest={largest} onChange={(threshold) => onChange({ threshold })} />
      <Button testid="flow-clear" inactive={!hasSelection} keys={CLEAR_KEY} title={`Key ${CLEAR_KEY}; Escape in a layer`} onClick={onClear}>
        Clear selection
      </Button>
    </div>
  );
}

function Threshold({ value, largest, onChange }: { value: number; largest: number; onChange: (value: number) => void }) {
  return (
    <div class="flow-option" role="group" aria-label="Threshold">
      <span>Threshold</span>
      <input
        type="range"
        data-testid="flow-threshold"
        aria-label="Threshold"
        aria-valuetext={brief(value)}
        min={0}
        max={THRESHOLD_PLACES}
        step={1}
        value={placeOfThreshold(value, largest)}
        onInput={(event) => onChange(thresholdAt(Number(event.currentTarget.value), largest))}
      />
      <CheckedField
        class="flow-number"
        testid="flow-threshold-typed"
        label="Threshold as a number"
        text={brief(value)}
        check={wrongThreshold}
        takes="change"
        onText={(text) => onChange(Number(text))}
      />
    </div>
  );
}
