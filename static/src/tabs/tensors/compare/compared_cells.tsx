/** A number of A, that of B, and their difference, as cells of a table. */

import type { Value } from "../../../data/arrays/numbers";
import { Cell } from "../../../ui/controls/virtual_rows";
import { exactText, numberText } from "../../../ui/text/format";
import { differenceOf } from "./difference";

/** The names of the columns. */
export const COMPARED = ["A", "B", "A \u2212 B"];

/** A value that is not loaded yet. */
export const NOT_YET = "\u2026";
/** Stands for a value that is not there. */
export const LACKING = "\u2013";

interface Props {
  a: Value | undefined;
  /** Undefined while it is not loaded, null if B lacks it. */
  b: Value | null | undefined;
  dtype: string;
}

/** The number of B and the difference. */
export function CellsOfB({ a, b, dtype }: Props) {
  const text = differenceText(a, b, dtype);
  return (
    <>
      <Cell class="number" data-testid="value-b" title={b === undefined || b === null ? "" : exactText(b, dtype)}>
        {b === undefined ? NOT_YET : b === null ? LACKING : numberText(b, dtype)}
      </Cell>
      <Cell class={text === "=" ? "number soft" : "number"}>{text}</Cell>
    </>
  );
}

/** `=` where both are the same. */
export function differenceText(a: Value | undefined, b: Value | null | undefined, dtype: string): string {
  if (b === null) {
    return LACKING;
  }
  if (a === undefined || b === undefined) {
    return NOT_YET;
  }
  const difference = differenceOf(a, b);
  return difference === 0 ? "=" : numberText(difference, dtype);
}
