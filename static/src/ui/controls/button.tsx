/** Buttons of the page. */

import type { ComponentProps } from "preact";

interface Props extends Omit<ComponentProps<"button">, "label"> {
  testid?: string | undefined;
  /** Its name, if its content does not name it. */
  label?: string | undefined;
  /** The key that presses it, as `aria-keyshortcuts` names keys. */
  keys?: string | undefined;
  pressed?: boolean | undefined;
  /** Does nothing now, and can still be focused. */
  inactive?: boolean | undefined;
}

export function Button({ testid, label, keys, pressed, inactive, ...rest }: Props) {
  return (
    <button
      type="button"
      data-testid={testid}
      aria-label={label}
      aria-keyshortcuts={keys}
      aria-pressed={pressed}
      aria-disabled={inactive}
      {...rest}
    />
  );
}
