/** The controls of the selectors: every one has a button to the previous and to the next choice. */

import type { ComponentChildren } from "preact";
import type { Option } from "../../state/selection/options";
import { Button } from "./button";
import { Hint } from "./hint";

interface FieldProps {
  id: string;
  label: string;
  /** The key of the next choice; with Shift, that of the previous one. */
  letter: string;
  wide?: boolean;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
  /** Shown beside the label. */
  output?: ComponentChildren;
  /** Says what the label means. */
  hint?: string | undefined;
  children: ComponentChildren;
}

/** A labelled control between its two buttons. A button without anything to go to stays focusable, but does nothing. */
function Field({ id, label, letter, wide, onPrevious, onNext, output, hint, children }: FieldProps) {
  return (
    <div class={wide ? "field field-wide" : "field"} data-testid={`selector-${id}`}>
      <div class="field-head">
        <label for={`select-${id}`} class={hint === undefined ? undefined : "visually-hidden"}>
          {label}
        </label>
        {hint !== undefined && (
          <Hint of={label} testid={`hint-${id}`} isWord>
            {hint}
          </Hint>
        )}
        {output}
      </div>
      <div class="field-control">
        <StepButton direction="previous" label={label} letter={letter.toUpperCase()} id={id} onClick={onPrevious} />
        {children}
        <StepButton direction="next" label={label} letter={letter} id={id} onClick={onNext} />
      </div>
    </div>
  );
}

interface StepButtonProps {
  direction: "previous" | "next";
  label: string;
  letter: string;
  id: string;
  onClick: (() => void) | null;
}

/** A button to the choice before or after. Without one it stays focusable, but does nothing. */
export function StepButton({ direction, label, letter, id, onClick }: StepButtonProps) {
  return (
    <Button
      class="step-button"
      testid={`${direction}-${id}`}
      label={`${direction === "previous" ? "Previous" : "Next"}: ${label}`}
      title={`Key ${letter}`}
      keys={letter}
      inactive={onClick === null}
      onClick={() => onClick?.()}
    >
      {direction === "previous" ? "\u2039" : "\u203a"}
    </Button>
  );
}

/** Shown where there is nothing to choose from. */
const NOTHING = "\u2013";

interface PickerProps {
  id: string;
  label: string;
  letter: string;
  options: readonly Option[];
  value: string;
  hint?: string;
  onChange: (value: string) => void;
}

/** A list of choices, if there are several. A value that is not among them is shown as such. */
export function Picker({ id, label, letter, options, value, hint, onChange }: PickerProps) {
  const current = options.findIndex((option) => option.value === value);
  const go = (target: Option | undefined): (() => void) | null => (target === undefined ? null : () => onChange(target.value));
  const previous = options
    .slice(0, Math.max(0, current))
    .reverse()
    .find((option) => !option.disabled);
  const next = options.slice(current + 1).find((option) => !option.disabled);
  const shown = current < 0 ? [{ value, label: value === "" ? NOTHING : value, disabled: true }, ...options] : options;
  if (options.length === 0 || shown.length === 1) {
    return null;
  }
  return (
    <Field id={id} label={label} letter={letter} hint={hint} onPrevious={go(previous)} onNext={go(next)}>
      <select
        id={`select-${id}`}
        data-testid={`select-${id}`}
        title={shown.find((option) => option.value === value)?.label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {shown.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled ?? false} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface SliderProps {
  id: string;
  label: string;
  letter: string;
  /** The numbers to choose from, in order. */
  numbers: readonly number[];
  value: number;
  onChange: (value: number) => void;
}

/** A slider over numbers, if there are several. */
export function Slider({ id, label, letter, numbers, value, onChange }: SliderProps) {
  if (numbers.length < 2) {
    return null;
  }
  const place = Math.max(0, numbers.indexOf(value));
  const go = (number: number | undefined): (() => void) | null => (number === undefined ? null : () => onChange(number));
  const of = `${place + 1} of ${numbers.length}`;
  return (
    <Field
      id={id}
      label={label}
      letter={letter}
      wide
      onPrevious={go(numbers[place - 1])}
      onNext={go(numbers[place + 1])}
      output={
        <output class="field-number" for={`select-${id}`} data-testid={`value-${id}`} title={of}>
          {value}
        </output>
      }
    >
      <input
        type="range"
        id={`select-${id}`}
        data-testid={`select-${id}`}
        min={0}
        max={numbers.length - 1}
        step={1}
        value={place}
        aria-valuetext={`${value}, ${of}`}
        onInput={(event) => {
          const number = numbers[Number(event.currentTarget.value)];
          if (number !== undefined && number !== value) {
            onChange(number);
          }
        }}
      />
    </Field>
  );
}
