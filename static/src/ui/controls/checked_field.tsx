/** A field for a number or an index. It shows what is wrong with what was typed, and keeps what held before. */

import { useId, useState } from "preact/hooks";

interface Props {
  /** What holds now. */
  text: string;
  /** What is wrong with a text, as a sentence that says what to type; empty where nothing is. */
  check: (text: string) => string;
  onText: (text: string) => void;
  /** When a text is taken: as soon as it is right, when it is entered or left, or with Enter alone. */
  takes: "input" | "change" | "enter";
  label: string;
  testid: string;
  class: string;
  /** The smallest and the largest whole number: the field gets arrows. */
  bounds?: readonly [low: number, high: number];
  placeholder?: string;
}

export function CheckedField({ text, check, onText, takes, label, testid, class: className, bounds, placeholder }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<{ text: string; of: string; wrong: string } | null>(null);
  // What was typed over something that does not hold any more is forgotten.
  const current = typed?.of === text ? typed : null;
  const take = (next: string): void => {
    const wrong = check(next);
    setTyped(wrong === "" && takes !== "input" ? null : { text: next, of: text, wrong });
    if (wrong === "") {
      onText(next);
    }
  };
  const holds = text !== "" && check(text) === "";
  const wrong = current !== null ? current.wrong : holds || text === "" ? "" : check(text);
  const kind = bounds === undefined ? ({ type: "text" } as const) : ({ type: "number", min: bounds[0], max: bounds[1] } as const);
  return (
    <>
      <input
        {...kind}
        class={className}
        data-testid={testid}
        aria-label={label}
        aria-invalid={wrong !== ""}
        aria-describedby={`${id}-wrong`}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        value={current?.text ?? text}
        onInput={({ currentTarget: { value } }) => (takes === "input" ? take(value) : setTyped({ text: value, of: text, wrong: "" }))}
        onChange={({ currentTarget: { value } }) => takes === "change" && current !== null && take(value)}
        onKeyDown={({ key, currentTarget: { value } }) =>
          key === "Escape" ? setTyped(null) : key === "Enter" && takes === "enter" && take(value)
        }
      />
      <span class="field-wrong" id={`${id}-wrong`} aria-live="polite" data-testid={`${testid}-wrong`}>
        {wrong !== "" && holds ? `${wrong} It stays ${text}.` : wrong}
      </span>
    </>
  );
}
