/** What is taken out of the page: the input with its changes as an array of NumPy, and which tensor it replaces. */

import { writerOf } from "../../../data/arrays/number_encoding";
import { elementType, type Value } from "../../../data/arrays/numbers";
import type { Cells } from "../../../state/editing/edits";
import { type ArrayPlan, arrayShape, placeInArray } from "./edited_values";

/** What an edit is of. */
interface EditedTensor {
  group: string;
  trial: string;
  rank: number;
  step: number;
  iteration: number;
  tensor: string;
  samples: readonly number[];
  missing: readonly string[];
}

export interface EditedArray {
  bytes: Uint8Array<ArrayBuffer>;
  shape: readonly number[];
  dtype: string;
  /** Places in the array, what was recorded there, and what is there now; ascending. */
  changed: [place: number, before: Value, after: Value][];
}

/**
 * The array with all samples that are there. `stored` are their values, sample after sample, as the bundle holds them in the dtype
 * `storedDtype`; places of `cells` count through all recorded samples. A change of a sample that is not there, or that is none any
 * more, is left out.
 */
export function editedArray(
  plan: ArrayPlan,
  stored: Uint8Array<ArrayBuffer>,
  storedDtype: string,
  dtype: string,
  cells: Cells,
): EditedArray {
  const { places, perSample } = plan;
  const { width, read } = elementType(storedDtype);
  const { width: wide, write } = writerOf(dtype);
  const from = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const bytes = new Uint8Array(places.length * perSample * wide);
  const into = new DataView(bytes.buffer);
  const placeOf = placeInArray(plan);
  const changed: EditedArray["changed"] = [];
  places.forEach((place, sample) => {
    for (let k = 0; k < perSample; k++) {
      const before = read(from, (sample * perSample + k) * width);
      const after = cells.get(place * perSample + k)?.after ?? before;
      const at = placeOf(sample, k);
      write(into, at * wide, after);
      if (!Object.is(before, after)) {
        changed.push([at, before, after]);
      }
    }
  });
  changed.sort(([a], [b]) => a - b);
  return { bytes, shape: arrayShape(plan), dtype, changed };
}

/** The JSON file. Numbers that JSON does not have are texts, and so are whole numbers that not every reader of JSON keeps. */
export function editJson(tensor: EditedTensor, array: EditedArray): string {
  const changed = array.changed.map(([place, before, after]) => [place, jsonNumber(before), jsonNumber(after)]);
  const root = {
    format: "comgra-edit",
    version: 1,
    group: tensor.group,
    trial: tensor.trial,
    rank: tensor.rank,
    step: tensor.step,
    iteration: tensor.iteration,
    tensor: tensor.tensor,
    shape: array.shape,
    dtype: array.dtype,
    samples: tensor.samples,
    missing: tensor.missing,
    changed,
  };
  return `${JSON.stringify(root)}\n`;
}

function jsonNumber(value: Value): number | string {
  return typeof value === "number" && Number.isFinite(value) ? value : String(value);
}
