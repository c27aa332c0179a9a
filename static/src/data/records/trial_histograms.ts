/** The histograms of a trial, put together from those of the parts of its steps. */

import { groupedBy } from "../collections";
import { DamagedBundleError } from "../format/errors";
import { type HistogramPart, type HistogramRecord, keep, type StepHistogram } from "./histograms";

/** The records of a trial that have histograms, to be found by tensor. */
export class HistogramsOfTrial {
  private readonly joined = new Map<string, HistogramRecord[]>();
  private readonly known = new Map<HistogramRecord, readonly StepHistogram[]>();

  /** Throws `DamagedBundleError` where the steps of a part are not behind those of the part before. */
  constructor(private readonly parts: readonly HistogramPart[]) {
    let last = -1;
    for (const { range } of parts) {
      if (range !== null && range.first <= last) {
        throw new DamagedBundleError("The histograms are not in the order of their steps.");
      }
      last = range?.last ?? last;
    }
  }

  /** Those of a tensor: one per group and type of execution. They are the same objects every time. */
  records(name: string, iteration: number): readonly HistogramRecord[] {
    const key = `${iteration}/${name}`;
    const together = this.joined.get(key) ?? this.join(name, iteration);
    this.joined.set(key, together);
    return together;
  }

  /** Those that have been read last, the newest first. */
  readRecords(): HistogramRecord[] {
    return [...this.known.keys()].reverse();
  }

  private join(name: string, iteration: number): HistogramRecord[] {
    const records = this.parts.flatMap((part) => part.records(name, iteration));
    const same = groupedBy(records, ({ group, type, width }) => JSON.stringify([group, type, width]));
    return [...same.values()].map((pieces) => this.asOne(pieces));
  }

  private asOne(pieces: readonly HistogramRecord[]): HistogramRecord {
    const read = (): readonly StepHistogram[] | undefined => {
      const all = pieces.map((piece) => piece.read());
      return all.every((histograms) => histograms !== undefined) ? all.flat() : undefined;
    };
    const record: HistogramRecord = {
      ...pieces[0]!,
      steps: pieces.flatMap(({ steps }) => steps),
      chunks: pieces.flatMap(({ chunks }) => chunks),
      read: () => this.known.get(record) ?? keep(this.known, record, read()),
    };
    return record;
  }
}
