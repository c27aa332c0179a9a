/** Changed cells of an array, with undo and redo. Pure: every function returns what comes of it. */

import type { Value } from "../data/numbers";

/** A cell's value as recorded, and what it has been changed to. */
export interface Change {
  before: Value;
  after: Value;
}

/** The changed cells, by their places in the array. */
export type Cells = ReadonlyMap<number, Change>;

export interface Edits {
  readonly cells: Cells;
  /** What was changed before each step that can be undone, and each that can be done again; the next one is the last. */
  readonly past: readonly Cells[];
  readonly future: readonly Cells[];
  /** The movement of the brush that the last step comes from; null where there is none to go on with. */
  readonly stroke: number | null;
}

/** Where the edits of an array are kept, for whatever lets a person make some. */
export interface EditStore {
  /** As they are now. */
  readonly edits: Edits;
  change(edits: Edits): void;
}

export const NO_EDITS: Edits = { cells: new Map(), past: [], future: [], stroke: null };

/** Steps that can be undone. */
const MOST_STEPS = 200;

/** A cell with its recorded value. */
export type Cell = readonly [place: number, recorded: Value];

/** Cells set to a value. What comes from the same stroke is undone in one step; what changes nothing is no step. */
export function painted(edits: Edits, cells: readonly Cell[], after: Value, stroke: number): Edits {
  const changed = new Map(edits.cells);
  let differs = false;
  for (const [place, before] of cells) {
    const current = changed.get(place)?.after ?? before;
    if (!isSame(current, after)) {
      differs = true;
      if (isSame(before, after)) {
        changed.delete(place);
      } else {
        changed.set(place, { before, after });
      }
    }
  }
  return !differs ? edits : edits.stroke === stroke ? { ...edits, cells: changed } : stepped(edits, changed, stroke);
}

/** What a click makes of a cell: 0 of what is not 0, and `z` of what is. */
export function toggled(value: Value, z: Value): Value {
  return Number(value) === 0 ? z : 0;
}

/** All cells as recorded; this can be undone, too. */
export function reset(edits: Edits): Edits {
  return edits.cells.size === 0 ? edits : stepped(edits, new Map(), null);
}

export function undone(edits: Edits): Edits {
  const cells = edits.past.at(-1);
  return cells === undefined ? edits : { cells, past: edits.past.slice(0, -1), future: [...edits.future, edits.cells], stroke: null };
}

export function redone(edits: Edits): Edits {
  const cells = edits.future.at(-1);
  return cells === undefined ? edits : { cells, past: [...edits.past, edits.cells], future: edits.future.slice(0, -1), stroke: null };
}

function stepped(edits: Edits, cells: Cells, stroke: number | null): Edits {
  return { cells, past: [...edits.past, edits.cells].slice(-MOST_STEPS), future: [], stroke };
}

/** NaN is the same as NaN, and 0 is not the same as -0: they are other bytes. */
function isSame(one: Value, other: Value): boolean {
  return Object.is(one, other);
}
