/** What belongs to a trial and to no step: its network, notes, curves, gaps and figures. */

import { also, type Check, type Checked, fail, integer, list, number, orNull, record, text } from "./checks";
import type { Setting } from "./settings";
import { stepNumber } from "./steps";

export interface Network {
  modules: { name: string; type: string; parent: number; description: string }[];
  parameters: { name: string; module: number; shape: number[]; dtype: string; requires_grad: boolean; alias_of: string | null }[];
  /** Null if the recorder tracked none. */
  optimizers: Optimizer[] | null;
}

export interface Optimizer {
  name: string;
  type: string;
  groups: OptimizerGroup[];
}

/** Positions of parameters in the network, and the settings as they were when the optimizer was handed over. */
export interface OptimizerGroup {
  parameters: number[];
  options: Record<string, Setting>;
}

export type Note = Checked<typeof note>;
export const note = record({ text, step: orNull(stepNumber) });

export type Curve = Checked<typeof curve>;
export const curve = also(record({ group: text, name: text, type: text, t: list(number), v: list(number) }), ({ t, v }, where) => {
  if (t.length !== v.length) {
    fail(`${where}.v`, `a list of ${t.length}`);
  }
});

export type Gap = Checked<typeof gap>;
export const gap = record({
  step: orNull(stepNumber),
  iteration: orNull(integer(-1)),
  group: orNull(text),
  tensor: orNull(text),
  reason: text,
});

/** A figure that was drawn at export. `selections` has the chunk of every entry of the index's trials, or -1 where nothing was drawn. */
export type Figure = Checked<ReturnType<typeof figure>>;
export const figure = (lane: Check<number>) => record({ title: text, file: text, per: list(text), selections: list(lane) });
