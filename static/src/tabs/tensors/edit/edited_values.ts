/** The values of a picture with those in it that have been changed. */

import type { CellValues } from "../../../kits/heatmap/draw_board";
import type { Change, Edits } from "../../../state/editing/edits";

/** Changes, by the place in the picture. */
type ChangedCells = ReadonlyMap<number, Change>;

/** Values of a picture, and those of its cells that have been changed. */
export interface EditedValues {
  /** Another object whenever something has changed. */
  values: CellValues;
  changed: ChangedCells;
}

/** Keeps the values of a picture with the changes in it, of which each costs as much as the cells that it touches. */
export class EditedPicture {
  private readonly numbers: Float32Array | Float64Array;
  private readonly changed = new Map<number, Change>();
  private version = -1;
  private current: EditedValues | null = null;

  /** `first` is the place of the picture's first value in the edited array. What has not arrived of the values is missing for good. */
  constructor(
    private readonly recorded: CellValues,
    private readonly first: number,
    private readonly edits: Edits,
  ) {
    this.numbers = recorded.numbers.slice();
  }

  /** With all that has been changed by now. */
  get now(): EditedValues {
    const version = this.edits.version.value;
    if (this.current === null || version !== this.version) {
      const places =
        version === this.version + 1
          ? this.edits.touched
          : new Set([...Array.from(this.changed.keys(), (k) => k + this.first), ...this.edits.cells.keys()]);
      places.forEach((place) => this.take(place - this.first));
      this.version = version;
      this.current = { values: this.values(), changed: this.changed };
    }
    return this.current;
  }

  private take(k: number): void {
    if (k < 0 || k >= this.numbers.length) {
      return;
    }
    const change = this.edits.cells.get(k + this.first);
    if (change === undefined) {
      this.changed.delete(k);
      this.numbers[k] = this.recorded.numbers[k]!;
    } else {
      this.changed.set(k, change);
      this.numbers[k] = Number(change.after);
    }
  }

  private values(): CellValues {
    const { recorded, numbers, changed } = this;
    return { numbers, gaps: recorded.gaps, loaded: recorded.loaded, at: (k) => changed.get(k)?.after ?? recorded.at(k) };
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
