/** Copies the address of what is shown. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/controls/button";
import { Icon } from "../ui/controls/icon";

/** How long the button says that it has been done. */
const SAID_MILLISECONDS = 2000;

interface Props {
  link: () => string;
  /** Whether what is shown was opened from files, to which no link leads. */
  isOfFiles: boolean;
}

export function CopyLink({ link, isOfFiles }: Props) {
  const [said, setSaid] = useState<"nothing" | "copied">("nothing");
  const [shown, setShown] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLSpanElement>(null);
  const copy = async (): Promise<void> => {
    const address = addressOf(link());
    try {
      await navigator.clipboard.writeText(address);
      setSaid("copied");
      setTimeout(() => setSaid("nothing"), SAID_MILLISECONDS);
    } catch {
      // Not every page may write to the clipboard.
      setShown(address);
    }
  };
  useLayoutEffect(() => field.current?.select(), [shown]);
  return (
    <span class="share" ref={place}>
      <Button
        class="header-button share-button"
        testid="copy-link"
        keys="c"
        title={`Copy a link to this view (c)${isOfFiles ? "; it works only after the same files are opened" : ""}`}
        onClick={() => void copy()}
      >
        <Icon name="link" />
        <span class={said === "copied" ? "share-text share-said" : "share-text"}>
          {said !== "copied" ? "Copy link" : isOfFiles ? "Copied: needs the opened files" : "Link copied"}
        </span>
      </Button>
      <span class="visually-hidden" role="status" aria-live="polite">
        {said !== "copied"
          ? ""
          : isOfFiles
            ? "Link copied to the clipboard. It works only after the same files are opened."
            : "Link copied to the clipboard."}
      </span>
      {shown !== null && (
        <input
          ref={field}
          type="text"
          readOnly
          class="share-field"
          data-testid="link-text"
          aria-label="Link to this view; copy it from here"
          value={shown}
          onBlur={() => setShown(null)}
          onKeyDown={(event) => event.key === "Escape" && place.current?.querySelector("button")?.focus()}
        />
      )}
    </span>
  );
}

/** The page with another part behind `#`. */
function addressOf(hash: string): string {
  return `${window.location.href.split("#", 1)[0]}#${hash}`;
}
