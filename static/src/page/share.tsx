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
  const need = needOf(isOfFiles);
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
        title={`Copy a link to this view (c)${need.long === "" ? "" : `. ${need.long}`}`}
        onClick={() => void copy()}
      >
        <Icon name="link" />
        <span class={said === "copied" ? "share-text share-said" : "share-text"}>
          {said !== "copied" ? "Copy link" : need.brief === "" ? "Link copied" : `Copied: ${need.brief}`}
        </span>
      </Button>
      <span class="visually-hidden" role="status" aria-live="polite">
        {said === "copied" && `Link copied to the clipboard. ${need.long}`.trim()}
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

/** Whether the page stands within another one and has no address of its own, as in a notebook. */
function hasNoAddress(): boolean {
  return window.location.protocol === "about:";
}

/** The page with another part behind `#`; that part alone where the page has no address. */
function addressOf(hash: string): string {
  return `${hasNoAddress() ? "" : window.location.href.split("#", 1)[0]}#${hash}`;
}

/** What a link that was copied needs, in a few words and in a sentence; nothing where it needs nothing. */
function needOf(isOfFiles: boolean): { brief: string; long: string } {
  return hasNoAddress()
    ? {
        brief: "needs the address of the page before it",
        long: "This page has no address here. Append the link to the address of the page.",
      }
    : isOfFiles
      ? { brief: "needs the opened files", long: "It works only after the same files are opened." }
      : { brief: "", long: "" };
}
