/** Directories of what is recorded over time: reading one, and finding the records of a tensor in it. */

import { groupedBy } from "../collections";
import { ascending, column, fail, integer, list, object, rowsOf, text } from "../format/checks";
import type { ChunkTable } from "../format/types";

/** What directories have in common, checked, and ways to check the rest. */
interface Directory<Key extends string> {
  root: Record<string, unknown>;
  strings: string[];
  stepLists: number[][];
  /** How many records there are. */
  rows: number;
  /** The first chunks of the lanes. */
  lanes: { lane8: number; lane4: number };
  /** The columns that every table of records has. */
  common: Record<Common, number[]>;
  /** A column of whole numbers. */
  read: (key: Key, low: number, high?: number) => number[];
  /** A column of some of these numbers. */
  readOneOf: (key: Key, ...allowed: number[]) => number[];
}

type Common = "group" | "name" | "iteration" | "steps" | "start";

export function directoryOf<Key extends string>(value: unknown, chunks: ChunkTable, where: string): Directory<Key> {
  const root = object(value, where);
  const table = object(root.records, `${where}.records`);
  const rows = rowsOf(table, "group", `${where}.records`);
  const strings = list(text)(root.strings, `${where}.strings`);
  const stepLists = list(ascending(Number.MAX_SAFE_INTEGER))(root.step_lists, `${where}.step_lists`);
  const lane = (key: string): number => integer(-1, chunks.bytes.length - 1)(root[key], `${where}.${key}`);
  const read = (key: string, low: number, high?: number): number[] =>
    column(integer(low, high), rows)(table[key], `${where}.records.${key}`);
  return {
    root,
    rows,
    strings,
    stepLists,
    lanes: { lane8: lane("lane8"), lane4: lane("lane4") },
    common: {
      group: read("group", 0, strings.length - 1),
      name: read("name", 0, strings.length - 1),
      iteration: read("iteration", -1),
      steps: read("steps", 0, stepLists.length - 1),
      start: read("start", 0),
    },
    read,
    readOneOf: (key, ...allowed) => {
      const numbers = read(key, 0);
      return numbers.every((number) => allowed.includes(number))
        ? numbers
        : fail(`${where}.records.${key}`, `one of ${allowed.join(", ")}`);
    },
  };
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
