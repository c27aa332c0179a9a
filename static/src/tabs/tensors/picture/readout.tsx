/** What a picture says beside its cells: the value under the pointer, and how far reading is. */

import type { Value } from "../../../data/arrays/numbers";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import { counted, exactText, indexText, numberText } from "../../../ui/text/format";
import type { ShownValues } from "../selected_values";
import type { Gathering } from "../use_gathered";
import { ReadoutOfB, type SecondPicture } from "./second_picture";

interface ReadoutProps {
  values: CellValues;
  /** What was recorded of a value that has been changed. */
  before: Value | undefined;
  second: SecondPicture | null;
  shown: ShownValues;
  start: number;
  k: number;
}

export function Readout({ values, before, second, shown, start, k }: ReadoutProps) {
  const value = values.at(k);
  const index = indexText(start + k, shown.shape);
  const isNamed = shown.axes.some(({ name, position }) => name !== `axis ${position}`);
  const place = isNamed
    ? index
        .split(", ")
        .map((at, axis) => `${shown.axes[axis]?.name} ${at}`)
        .join(", ")
    : `[${index}]`;
  return (
    <>
      {place} ={" "}
      <strong title={value === undefined ? "" : exactText(value, shown.dtype)}>
        {value === undefined ? "not loaded yet" : numberText(value, shown.dtype)}
      </strong>
      {before !== undefined && <span data-testid="edit-before"> (recorded: {numberText(before, shown.dtype)})</span>}
      {second?.values && <ReadoutOfB a={value} b={second.values.at(k)} dtype={shown.dtype} />}
    </>
  );
}

export function Progress({ gathering }: { gathering: Gathering }) {
  const { loaded, total } = gathering.values.progress;
  return (
    <span class="soft" role="status" data-testid="picture-loading">
      Loading: {loaded} of {counted(total, "part")}
    </span>
  );
}

/** The next value after `k` that is not finite in the same way, from the beginning again after the last. */
export function nextLike({ numbers }: CellValues, value: number, k: number): number {
  const { length } = numbers;
  for (let step = 1; step <= length; step++) {
    if (Object.is(numbers[(k + step) % length], value)) {
      return (k + step) % length;
    }
  }
  return -1;
}
