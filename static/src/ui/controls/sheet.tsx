/** Controls that a small window has in a sheet at its lower edge, so that the content comes first. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { isSmall } from "../media";
import { Button } from "./button";
import { Icon } from "./icon";

interface Props {
  testid: string;
  /** What the sheet is called. */
  label: string;
  /** What stands on the button that opens it. */
  sign: ComponentChildren;
  children: ComponentChildren;
}

/** Shows controls as they are in a large window, and in a sheet in a small one. */
export function InSheet(props: Props) {
  return isSmall.value ? <Sheet {...props} /> : props.children;
}

/** While it is open, the focus stays in it. It closes with Esc, with its button, and with a click outside. Its keys work while it is closed, too. */
export function Sheet({ testid, label, sign, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  return (
    <div class="sheet-place">
      <Button class="sheet-button" testid={`open-${testid}`} aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        <Icon name="adjust" />
        {sign}
      </Button>
      {/* Around the sheet there is only its backdrop. */}
      <dialog
        ref={dialog}
        class="sheet"
        data-testid={testid}
        aria-label={label}
        onPointerDown={(event) => event.target === dialog.current && close()}
      >
        <div class="sheet-content">
          <div class="sheet-head">
            <h2>{label}</h2>
            <Button testid={`close-${testid}`} label={`Close: ${label}`} title="Close (Esc)" onClick={close}>
              <Icon name="close" />
            </Button>
          </div>
          {children}
        </div>
      </dialog>
    </div>
  );
}
