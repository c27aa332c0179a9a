/** A question mark that opens a sentence about the word beside it. */

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Button } from "./button";
import { quietTooltips } from "./quiet_tooltips";

/** Opens with the pointer, with Enter and with Space, and closes with Esc and with what is focused next. */
export function Hint({ of, testid, children }: { of: string; testid: string; children: ComponentChildren }) {
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
        ?
      </Button>
      <span id={id} class={open ? "hint-text hint-open" : "hint-text"} role="tooltip">
        {children}
      </span>
    </span>
  );
}
