/** Keys for everything: each control says which key is its own, and a list of all of them can be opened. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../state/store";
import { Button } from "../ui/controls/button";
import { quietTooltips } from "../ui/controls/quiet_tooltips";

/** Elements in which characters are typed or choose an option. */
const TAKES_CHARACTERS = "input:not([type=range]):not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable], dialog";

/** What the Enter key activates where it is. */
const TAKES_ENTER = `${TAKES_CHARACTERS}, button, a, summary, input`;

/** Keys that are not those of a single control. */
const OTHER_KEYS: readonly KeyEntry[] = [
  { key: "\u2190 \u2191 \u2192 \u2193", name: "Move through the graph" },
  { key: "Shift \u2190 \u2191 \u2192 \u2193", name: "Pan the graph" },
  { key: "Alt \u2190", name: "Undo the last change (the browser\u2019s back button)" },
];

interface KeyEntry {
  key: string;
  name: string;
}

/** Activates the control whose key was pressed. */
export function startKeyboard(): void {
  document.addEventListener("keydown", (event) => {
    const isTyping =
      event.target instanceof Element && event.target.closest(event.key === "Enter" ? TAKES_ENTER : TAKES_CHARACTERS) !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
      return;
    }
    if (event.key === "Escape" && quietTooltips()) {
      event.preventDefault();
      return;
    }
    // With several, as for Esc, what was put on top comes last.
    const control = visibleControls()
      .filter((element) => element.getAttribute("aria-keyshortcuts") === event.key)
      .at(-1);
    if (control === undefined) {
      return;
    }
    event.preventDefault();
    if (control instanceof HTMLInputElement) {
      control.closest<HTMLDialogElement>(".sheet")?.showModal();
      control.focus();
      control.select();
    } else {
      control.click();
    }
  });
}

function visibleControls(): HTMLElement[] {
  // What stands in a menu or a sheet can be reached wherever that is, whether or not it is open.
  return [...document.querySelectorAll<HTMLElement>("[aria-keyshortcuts]")].filter(
    (element) => (element.closest<HTMLElement>(".menu, .sheet-place") ?? element).offsetParent !== null,
  );
}

function entries(): KeyEntry[] {
  const own = new Map(visibleControls().map((element) => [element.getAttribute("aria-keyshortcuts") ?? "", nameOf(element)]));
  return [...OTHER_KEYS, ...[...own].flatMap(([key, name]) => entryOf(key, name, own))];
}

/** A key and the same one with Shift are one line where they are the two directions of one choice. */
function entryOf(key: string, name: string, own: ReadonlyMap<string, string>): KeyEntry[] {
  const [direction, subject] = name.split(": ", 2);
  if (direction === "Previous" && own.has(key.toLowerCase())) {
    return [];
  }
  return direction === "Next" && subject !== undefined
    ? [{ key: `${key}  ${key.toUpperCase()}`, name: `${subject}: next, previous` }]
    : [{ key, name }];
}

/** Its label or its text, without pictures such as a count beside it. */
function nameOf(element: HTMLElement): string {
  const parts = [...element.childNodes].filter((part) => !(part instanceof Element && part.getAttribute("role") === "img"));
  const text = parts.map((part) => part.textContent ?? "").join("");
  return element.getAttribute("aria-label") ?? text.trim();
}

/** The button that opens the list, and the list. */
export function KeyHelp({ store }: { store: Store }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [listed, setListed] = useState<readonly KeyEntry[] | null>(null);
  useEffect(() => {
    if (listed !== null && dialog.current?.open === false) {
      dialog.current.showModal();
    }
  }, [listed]);
  const openAbout = (): void => {
    dialog.current?.close();
    store.tab.value = "about";
  };
  return (
    <>
      <Button class="header-button" testid="keys" label="Keys" title="Keys (?)" keys="?" onClick={() => setListed(entries())}>
        <span aria-hidden="true">?</span>
      </Button>
      <dialog ref={dialog} class="keys" data-testid="key-list" aria-label="Keys" onClose={() => setListed(null)}>
        <div class="page-bar">
          <h2>Keys</h2>
          <Button testid="close-keys" onClick={() => dialog.current?.close()}>
            Close
          </Button>
        </div>
        <p class="soft keys-about">
          What this page holds, where it comes from and what is missing:{" "}
          <Button class="link" testid="keys-about" onClick={openAbout}>
            About
          </Button>
        </p>
        <dl>
          {listed?.map(({ key, name }) => (
            <div key={`${key}/${name}`}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{name}</dd>
            </div>
          ))}
        </dl>
      </dialog>
    </>
  );
}
