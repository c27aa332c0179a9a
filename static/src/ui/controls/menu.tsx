/** A button that opens a list of what is used less often. Its keys work while it is closed too. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";

interface Props {
  testid: string;
  /** What the button is called, if its sign does not say it. */
  label?: string;
  /** What stands on the button: a word or a picture. */
  sign?: string;
  icon?: IconName;
  children: ComponentChildren;
}

/** Closes with Esc, which brings the focus back to its button, and with whatever else is clicked or focused. */
export function Menu({ testid, label, sign, icon, children }: Props) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  // At once, so that a key that follows the click closes it.
  useLayoutEffect(() => {
    if (!open) {
      return undefined;
    }
    const leave = (event: Event): void => {
      if (event.target instanceof Node && menu.current?.contains(event.target) === false) {
        setOpen(false);
      }
    };
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape") {
        event.preventDefault();
        setOpen(false);
        menu.current?.querySelector("button")?.focus();
      }
    };
    // Before the keys of the page, one of which may be Esc.
    document.addEventListener("keydown", close, { capture: true });
    const events = ["pointerdown", "focusin"] as const;
    for (const name of events) {
      document.addEventListener(name, leave);
    }
    return () => {
      document.removeEventListener("keydown", close, { capture: true });
      for (const name of events) {
        document.removeEventListener(name, leave);
      }
    };
  }, [open]);
  return (
    <div class="menu" ref={menu}>
      <Button
        class={icon === undefined ? "menu-button" : "icon-button"}
        testid={testid}
        label={label}
        title={label}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {icon === undefined ? sign : <Icon name={icon} />}
      </Button>
      <div id={id} class="menu-items" hidden={!open}>
        {children}
      </div>
    </div>
  );
}
