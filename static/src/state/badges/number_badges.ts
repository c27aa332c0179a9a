/** Which tensors of a step have values that are NaN, infinite, or all zero: from their counts, whatever is selected. */

import { allOf } from "../../data/arrays/lanes";
import type { StepContent } from "../../data/bundle";
import { FLAG_GRADIENT_ABSENT, NUMBERS_PER_COUNT } from "../../data/records/record_offsets";
import type { NumberKind } from "./badges";

/** What is wrong with a tensor, and in what that was recorded of it: `forward`, or a group of gradients. */
export interface NumberBadge {
  kind: NumberKind;
  recording: string;
  /** How many of its values are so. */
  count: number;
}

/** By the positions of tensors in the layout of their step; those without any badge are not in it. */
export type TensorBadges = ReadonlyMap<number, readonly NumberBadge[]>;

/**
 * The badges of every tensor; null while the counts are not loaded. A gradient that was absent has none, although it is counted as zeros.
 * Nothing of all ranks together is known to be all zero, since their counts are sums.
 */
export function numberBadges({ layout, table, numbers }: StepContent, isMerged: boolean): TensorBadges | null {
  const counts = allOf(numbers.counts);
  if (counts === undefined) {
    return null;
  }
  const byTensor = new Map<number, NumberBadge[]>();
  for (const [recording, records] of table.byGroup) {
    for (const [tensor, { number }] of records) {
      const [nan, positive, negative, zeros, flags] = counts.subarray(number * NUMBERS_PER_COUNT, (number + 1) * NUMBERS_PER_COUNT);
      const size = layout.tensors.shape[tensor]!.reduce((product, length) => product * length, 1);
      const isZero = zeros === size && (flags! & FLAG_GRADIENT_ABSENT) === 0 && !isMerged;
      const own = (
        [
          ["nan", nan!],
          ["infinite", positive! + negative!],
          ["zero", isZero ? size : 0],
        ] as const
      ).filter(([, count]) => count > 0);
      if (own.length > 0) {
        byTensor.set(tensor, [...(byTensor.get(tensor) ?? []), ...own.map(([kind, count]) => ({ kind, recording, count }))]);
      }
    }
  }
  return byTensor;
}
