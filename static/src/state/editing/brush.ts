/** How a person changes cells: whether at all, and what happens to a cell. */

export interface Brush {
  isOn: boolean;
  /** `toggle`: 0 becomes the value, and everything else 0; `set`: everything becomes the value. */
  kind: "toggle" | "set";
  /** The value as typed, as far as it was one. */
  text: string;
}

export const FIRST_BRUSH: Brush = { isOn: false, kind: "toggle", text: "1" };
