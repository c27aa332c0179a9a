/** Opens a file without dragging it. */

import { useRef } from "preact/hooks";
import { Button } from "./button";

export interface FileOpening {
  /** Which files can be opened, in words. */
  what: string;
  /** Endings of their names. */
  endings: readonly string[];
  open: (files: readonly File[]) => void;
}

export function FileChooser({ what, endings, open }: FileOpening) {
  const input = useRef<HTMLInputElement>(null);
  const onChange = (): void => {
    const chosen = [...(input.current?.files ?? [])];
    input.current!.value = "";
    open(chosen);
  };
  return (
    <p class="file-chooser">
      <Button testid="open-file" onClick={() => input.current?.click()}>
        {"Open a file\u2026"}
      </Button>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        multiple
        accept={endings.join(",")}
        data-testid="file-input"
        onChange={onChange}
      />
      <span class="soft">Shows {what} in this page. You can also drop files anywhere on the page.</span>
    </p>
  );
}
