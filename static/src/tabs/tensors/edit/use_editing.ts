/** Lets a person change the values of a picture, whose recorded values and place in the edited array it knows. */

import { useEffect, useMemo } from "preact/hooks";
import { typedValue } from "../../../data/arrays/number_encoding";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import type { Brush } from "../../../state/editing/brush";
import { type Edits, toggled } from "../../../state/editing/edits";
import { EditedPicture, type EditedValues } from "./edited_values";

export interface Editing extends EditedValues {
  /** Paints values of the picture. A new stroke `begins` with a click or a key, and takes its value from the first one it touches. */
  paint: (places: readonly number[], begins: boolean) => void;
}

interface Picture {
  values: CellValues & { readonly length: number };
  /** Changes when values have arrived. */
  state: string;
  /** The place of the picture's first value in the edited array. */
  first: number;
  dtype: string;
}

/** The stroke that is being made, of all pictures of the page. */
const stroke: { number: number; value: ReturnType<typeof typedValue> } = { number: 0, value: 0 };

/** Null where nothing is edited. */
export function useEditing(picture: Picture | null, edits: Edits | null, brush: Brush): Editing | null {
  // Made anew when values have arrived.
  const edited = useMemo(
    () => (picture === null || edits === null ? null : new EditedPicture(picture.values, picture.first, edits)),
    [picture?.values, picture?.state, picture?.first, edits],
  );
  useUndoKeys(picture === null ? null : edits);
  if (picture === null || edits === null || edited === null) {
    return null;
  }
  const paint = (places: readonly number[], begins: boolean): void => {
    const loaded = places.flatMap((k) => {
      const recorded = picture.values.at(k);
      return recorded === undefined ? [] : [[picture.first + k, recorded] as const];
    });
    const [start] = loaded;
    if (begins) {
      const typed = typedValue(brush.text, picture.dtype);
      stroke.number += 1;
      stroke.value =
        start === undefined || typeof typed === "object" || brush.kind === "set"
          ? typed
          : toggled(edits.cells.get(start[0])?.after ?? start[1], typed);
    }
    if (typeof stroke.value !== "object") {
      edits.paint(loaded, stroke.value, stroke.number);
    }
  };
  return { ...edited.now, paint };
}

const TAKES_TEXT = "input:not([type=checkbox]):not([type=radio]), textarea, [contenteditable]";

/** Ctrl+Z (Command on a Mac) undoes, with Shift, or Ctrl+Y, does again, wherever in the page, but where text is typed. */
function useUndoKeys(edits: Edits | null): void {
  useEffect(() => {
    if (edits === null) {
      return undefined;
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      const isTyping = event.target instanceof Element && event.target.closest(TAKES_TEXT) !== null;
      if (isTyping || !(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) {
        return;
      }
      event.preventDefault();
      if (key === "y" || event.shiftKey) {
        edits.redo();
      } else {
        edits.undo();
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [edits]);
}
