/** Directories of what is recorded over time: reading one, and finding the records of a tensor in it. */

import { groupedBy } from "../collections";
import { also, checkAscending, integer, list, record, text } from "../format/checks";
import { stepNumber } from "../format/steps";
import type { ChunkTable } from "../format/types";

/** What directories have in common: positions in their tables are places in the strings, and `laneW` is the first chunk of that lane, or -1. */
export function parseDirectory(value: unknown, { bytes }: ChunkTable, where: string) {
  const lane = integer(-1, bytes.length - 1);
  return record({ strings: list(text), step_lists: list(also(list(stepNumber), checkAscending)), lane8: lane, lane4: lane })(value, where);
}

/** The columns that every table of records has: what they are of, their list of steps, and where their numbers begin. */
export function commonColumns({ strings, step_lists: stepLists }: ReturnType<typeof parseDirectory>) {
  const position = integer(0, strings.length - 1);
  return { group: position, name: position, iteration: integer(-1), steps: integer(0, stepLists.length - 1), start: integer(0) };
}

/** The columns of a table of records that say of which tensor they are. */
interface Records {
  /** Positions in the strings of the table. */
  name: readonly number[];
  iteration: readonly number[];
}

export class ByTensor {
  private readonly positions: ReadonlyMap<string, readonly number[]>;

  constructor({ name, iteration }: Records, strings: readonly string[]) {
    this.positions = groupedBy(name.keys(), (k) => tensorKey(strings[name[k]!]!, iteration[k]!));
  }

  /** The rows of a tensor, in their order. */
  rows(name: string, iteration: number): readonly number[] {
    return this.positions.get(tensorKey(name, iteration)) ?? [];
  }
}

function tensorKey(name: string, iteration: number): string {
  return `${iteration}/${name}`;
}
