/** The values of a picture with those in it that have been changed. */

import type { Value } from "../../data/numbers";
import type { Change } from "../../state/edits";

/** Values as a picture draws them. */
export interface CellValues {
  readonly numbers: Float32Array | Float64Array;
  /** Which values are not here yet, as pairs of the first and the one behind the last. */
  readonly gaps: [number, number][];
  /** Which values are here. */
  readonly loaded: [number, number][];
  /** Value `k`; undefined while it is not here. */
  at(k: number): Value | undefined;
}

/** Changes, by the place in the picture. */
export type ChangedCells = ReadonlyMap<number, Change>;

export class EditedValues implements CellValues {
  readonly numbers: Float32Array | Float64Array;

  constructor(
    private readonly recorded: CellValues,
    private readonly changed: ChangedCells,
  ) {
    // What has not arrived yet is copied once it has: the picture is made anew then.
    this.numbers = recorded.numbers.slice();
    for (const [k, { after }] of changed) {
      this.numbers[k] = Number(after);
    }
  }

  get gaps(): [number, number][] {
    return this.recorded.gaps;
  }

  get loaded(): [number, number][] {
    return this.recorded.loaded;
  }

  at(k: number): Value | undefined {
    return this.changed.get(k)?.after ?? this.recorded.at(k);
  }
}

/** How a tensor lies in the bundle, sample by sample, and in an array of its own shape. */
export interface ArrayPlan {
  /** Sizes as recorded, the batch included. */
  shape: readonly number[];
  batchDimension: number | null;
  /** Which of the recorded samples are there, ascending; `[0]` without a batch dimension. */
  places: readonly number[];
  /** Values per sample. */
  perSample: number;
}

/** The sizes of the array with the samples that are there. */
export function arrayShape({ shape, batchDimension, places }: ArrayPlan): number[] {
  return shape.map((size, axis) => (axis === batchDimension ? places.length : size));
}

/** Gives the place in the array of value `k` of the sample that is number `sample` of those that are there. */
export function placeInArray({ shape, batchDimension, places }: ArrayPlan): (sample: number, k: number) => number {
  if (batchDimension === null) {
    return (_, k) => k;
  }
  const inner = shape.slice(batchDimension + 1).reduce((product, size) => product * size, 1);
  return (sample, k) => (Math.floor(k / inner) * places.length + sample) * inner + (k % inner);
}
