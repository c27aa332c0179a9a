/** A question mark, or a word, that opens a sentence about the word. */

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Button } from "./button";
import { quietTooltips } from "./quiet_tooltips";

interface Props {
  of: string;
  testid: string;
  isWord?: boolean;
  children: ComponentChildren;
}

/** Beside the word or, with `isWord`, in place of it. Opens with the pointer, with Enter and with Space, and closes with Esc and with what is focused next. */
export function Hint({ of, testid, isWord, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <span class="hint">
      <Button
        class="hint-button"
        testid={testid}
        label={`What is this: ${of}?`}
        aria-expanded={open}
        aria-describedby={open ? id : undefined}
        onClick={() => setOpen(!open)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && open) {
            event.preventDefault();
            setOpen(false);
            // The pointer may rest on it.
            quietTooltips();
          }
        }}
      >
        {isWord ? of : "?"}
      </Button>
      <span id={id} class={open ? "hint-text hint-open" : "hint-text"} role="tooltip">
        {children}
      </span>
    </span>
  );
}
