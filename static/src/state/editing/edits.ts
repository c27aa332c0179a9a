/** Changed cells of an array, with undo and redo. A change costs as much as the cells that it touches, however many have been changed. */

import { signal } from "@preact/signals";
import type { Value } from "../../data/arrays/numbers";

/** A cell's value as recorded, and what it has been changed to. */
export interface Change {
  before: Value;
  after: Value;
}

/** The changed cells, by their places in the array. */
export type Cells = ReadonlyMap<number, Change>;

/** A cell with its recorded value. */
export type Cell = readonly [place: number, recorded: Value];

/** What a step did to each of its cells; undefined stands for as recorded. */
type Step = Map<number, { was: Change | undefined; is: Change | undefined }>;

/** Steps that can be undone. */
const MOST_STEPS = 200;

export class Edits {
  /** Rises with every change; whoever reads it while rendering is rendered again. */
  readonly version = signal(0);
  private readonly changed = new Map<number, Change>();
  private readonly past: Step[] = [];
  private readonly future: Step[] = [];
  /** The movement of the brush that the last step comes from; null where there is none to go on with. */
  private stroke: number | null = null;
  private last: readonly number[] = [];

  /** As they are now. The map is changed in place. */
  get cells(): Cells {
    return this.changed;
  }

  /** The places that the last change touched. */
  get touched(): readonly number[] {
    return this.last;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Sets cells to a value. What comes from the same stroke is undone in one step; what changes nothing is no step. */
  paint(cells: readonly Cell[], after: Value, stroke: number): void {
    const step: Step = new Map();
    for (const [place, before] of cells) {
      const was = this.changed.get(place);
      if (!isSame(was?.after ?? before, after)) {
        step.set(place, { was, is: isSame(before, after) ? undefined : { before, after } });
      }
    }
    if (step.size === 0) {
      return;
    }
    const going = this.stroke === stroke ? this.past.at(-1) : undefined;
    if (going === undefined) {
      this.add(step, stroke);
    } else {
      step.forEach(({ was, is }, place) => going.set(place, { was: going.has(place) ? going.get(place)!.was : was, is }));
    }
    this.apply(step, "is");
  }

  /** All cells as recorded; this can be undone, too. */
  reset(): void {
    if (this.changed.size > 0) {
      const step: Step = new Map(Array.from(this.changed, ([place, was]) => [place, { was, is: undefined }]));
      this.add(step, null);
      this.apply(step, "is");
    }
  }

  undo(): void {
    const step = this.past.pop();
    if (step !== undefined) {
      this.future.push(step);
      this.stroke = null;
      this.apply(step, "was");
    }
  }

  redo(): void {
    const step = this.future.pop();
    if (step !== undefined) {
      this.past.push(step);
      this.stroke = null;
      this.apply(step, "is");
    }
  }

  private add(step: Step, stroke: number | null): void {
    this.past.push(step);
    if (this.past.length > MOST_STEPS) {
      this.past.shift();
    }
    this.future.length = 0;
    this.stroke = stroke;
  }

  private apply(step: Step, which: "was" | "is"): void {
    step.forEach((change, place) => {
      const next = change[which];
      if (next === undefined) {
        this.changed.delete(place);
      } else {
        this.changed.set(place, next);
      }
    });
    this.last = [...step.keys()];
    this.version.value += 1;
  }
}

/** What a click makes of a cell: 0 of what is not 0, and `z` of what is. */
export function toggled(value: Value, z: Value): Value {
  return Number(value) === 0 ? z : 0;
}

/** NaN is the same as NaN, and 0 is not the same as -0: they are other bytes. */
function isSame(a: Value, b: Value): boolean {
  return Object.is(a, b);
}
