/** Opens a file without dragging it. */

import { useRef } from "preact/hooks";
import type { Store } from "../../state/store";
import { openFiles } from "../../page/opening/open_files";
import { ALL_ENDINGS, openableInWords } from "../../page/opening/openers";

export function FileChooser({ store }: { store: Store }) {
  const input = useRef<HTMLInputElement>(null);
  const onChange = (): void => {
    const chosen = [...(input.current?.files ?? [])];
    input.current!.value = "";
    void openFiles(store, chosen);
  };
  return (
    <p class="file-chooser">
      <button type="button" data-testid="open-file" onClick={() => input.current?.click()}>{"Open a file\u2026"}</button>
      <input ref={input} type="file" class="visually-hidden" tabIndex={-1} aria-hidden="true" multiple accept={ALL_ENDINGS.join(",")} data-testid="file-input" onChange={onChange} />
      <span class="soft">Shows {openableInWords()} in this page, as dropping them anywhere onto the page does.</span>
    </p>
  );
}
