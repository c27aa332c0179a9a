/** Finding the records of a tensor among those of a trial over time. */

/** The columns of a table of records that say of which tensor they are. */
interface Records {
  /** Positions in the strings of the table. */
  name: readonly number[];
  iteration: readonly number[];
}

export class ByTensor {
  private readonly positions = new Map<string, number[]>();

  constructor(records: Records, strings: readonly string[]) {
    records.name.forEach((name, k) => {
      const key = tensorKey(strings[name]!, records.iteration[k]!);
      const known = this.positions.get(key);
      if (known === undefined) {
        this.positions.set(key, [k]);
      } else {
        known.push(k);
      }
    });
  }

  /** The rows of a tensor, in their order. */
  rows(name: string, iteration: number): readonly number[] {
    return this.positions.get(tensorKey(name, iteration)) ?? [];
  }
}

function tensorKey(name: string, iteration: number): string {
  return `${iteration}/${name}`;
}
