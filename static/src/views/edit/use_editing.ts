/** Lets a person change the values of a picture. Of the picture it knows the recorded values, and where the first one stands in the edited array. */

import { useEffect, useMemo } from "preact/hooks";
import { typedValue } from "../../data/number_writing";
import { painted, redone, toggled, undone, type Change, type EditStore } from "../../state/edits";
import type { Brush } from "../../state/brush";
import { EditedValues, type CellValues, type ChangedCells } from "./edited_values";

export interface Editing {
  /** The values with the changes. */
  values: CellValues;
  /** Changes among the values of the picture, by their places in it. */
  changed: ChangedCells;
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
export function useEditing(picture: Picture | null, store: EditStore | null, brush: Brush): Editing | null {
  const cells = store?.edits.cells;
  const values = picture?.values;
  const changed = useMemo(() => (picture === null || cells === undefined ? new Map<number, Change>() : changesIn(cells, picture)), [cells, values, picture?.first]);
  const edited = useMemo(() => (values === undefined ? null : new EditedValues(values, changed)), [values, picture?.state, changed]);
  useUndoKeys(picture === null ? null : store);
  if (picture === null || store === null || edited === null) {
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
      stroke.value = start === undefined || typeof typed === "object" || brush.kind === "set" ? typed : toggled(store.edits.cells.get(start[0])?.after ?? start[1], typed);
    }
    if (typeof stroke.value !== "object") {
      store.change(painted(store.edits, loaded, stroke.value, stroke.number));
    }
  };
  return { values: edited, changed, paint };
}

function changesIn(cells: ReadonlyMap<number, Change>, { first, values }: Picture): ChangedCells {
  const own = new Map<number, Change>();
  for (const [place, change] of cells) {
    if (place >= first && place < first + values.length) {
      own.set(place - first, change);
    }
  }
  return own;
}

const TAKES_TEXT = "input:not([type=checkbox]):not([type=radio]), textarea, [contenteditable]";

/** Ctrl+Z (Command on a Mac) undoes, with Shift, or Ctrl+Y, does again, wherever in the page, but where text is typed. */
function useUndoKeys(store: EditStore | null): void {
  useEffect(() => {
    if (store === null) {
      return undefined;
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      const isTyping = event.target instanceof Element && event.target.closest(TAKES_TEXT) !== null;
      if (isTyping || !(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) {
        return;
      }
      event.preventDefault();
      store.change(key === "y" || event.shiftKey ? redone(store.edits) : undone(store.edits));
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [store]);
}
