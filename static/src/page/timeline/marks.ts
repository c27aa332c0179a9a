/** What the timeline shows of each step, and what is left of it in pixels. */

import type { Bundle } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import { orderedTypes, recordedTypes } from "../../state/selection/type_order";
import { COLOR_COUNT } from "../../state/tab_options/curve_options";

/** Rows of the timeline. */
export const TRAINING = 0;
export const EVALUATION = 1;
export type Row = typeof TRAINING | typeof EVALUATION;

/** How steps of a type look. */
export interface TypeLook {
  name: string;
  row: Row;
  /** Which colour of curves it has. */
  color: number;
}

/** The look of each type of the trial, by its position in the texts of the bundle: training first, then evaluations. The last colour is that of all further types. */
export function typeLooks(bundle: Bundle, trial: Trial): ReadonlyMap<number, TypeLook> {
  const types = recordedTypes(bundle, trial);
  const order = orderedTypes(
    types.map(({ name }) => name),
    types,
  );
  const looks = new Map(
    types.map(({ name, isEvaluation }): [string, TypeLook] => [
      name,
      { name, row: isEvaluation ? EVALUATION : TRAINING, color: Math.min(order.indexOf(name), COLOR_COUNT - 1) },
    ]),
  );
  return new Map([...new Set(trial.steps.type)].map((position) => [position, looks.get(bundle.text(position))!]));
}

/** A line of one pixel for all steps of a row that lie there. */
export interface Tick {
  x: number;
  row: Row;
  color: number;
  /** Whether a step can be selected there under the chosen type. */
  isOffered: boolean;
}

interface StepMark {
  x: number;
  look: TypeLook;
  isOffered: boolean;
}

/** Joins steps at the same pixel of a row: one that can be selected wins, then the first. In ascending order, row by row. */
export function mergedTicks(marks: readonly StepMark[], width: number): Tick[] {
  const NOTHING = -1;
  const rows = [new Int16Array(width + 1).fill(NOTHING), new Int16Array(width + 1).fill(NOTHING)] as const;
  for (const { x, look, isOffered } of marks) {
    const pixels = rows[look.row];
    const at = Math.max(0, Math.min(width, Math.round(x)));
    const known = pixels[at]!;
    if (known === NOTHING || (isOffered && known % 2 === 0)) {
      pixels[at] = 2 * look.color + Number(isOffered);
    }
  }
  return rows.flatMap((pixels, row) =>
    [...pixels.entries()]
      .filter(([, code]) => code !== NOTHING)
      .map(([x, code]) => ({ x, row: row as Row, color: code >> 1, isOffered: code % 2 === 1 })),
  );
}
