/** What the address says about the lists of a comparison: that of the tensors that differ, and that of one tensor in all trials. */

import { escaped, unescaped } from "../address/name_list";
import { TRIAL_ORDERS, type TrialOrder } from "../comparison/trial_values";

export const TOLERANCES = [0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
const FIRST_TOLERANCE = 1e-5;

export interface ListOptions {
  /** By which statistic tensors differ; null: by any. */
  statistic: string | null;
  /** What does not count, as a part of the larger magnitude. */
  tolerance: number;
  /** Whether they are in the order of computation; else the largest difference comes first. */
  isByOrder: boolean;
  /** The statistic of the tensor in all trials; null: its first one. */
  trialStatistic: string | null;
  trialOrder: TrialOrder;
  isDescending: boolean;
}

/** Reads `s.mean,t0.001,largest,of.std,by.value,down`, of which any part may be missing. What is not understood is as usual. */
export function readListOptions(text: string | undefined): ListOptions {
  const parts = (text ?? "").split(",");
  const behind = (prefix: string): string | null => {
    const part = parts.find((each) => each.startsWith(prefix) && each.length > prefix.length);
    return part === undefined ? null : unescaped(part.slice(prefix.length));
  };
  return {
    statistic: behind("s."),
    tolerance: TOLERANCES.find((tolerance) => parts.includes(`t${tolerance}`)) ?? FIRST_TOLERANCE,
    isByOrder: !parts.includes("largest"),
    trialStatistic: behind("of."),
    trialOrder: TRIAL_ORDERS.find((order) => parts.includes(`by.${order}`)) ?? "trial",
    isDescending: parts.includes("down"),
  };
}

/** Null where all is as at the beginning. */
export function writeListOptions(options: ListOptions): string | null {
  const { statistic, tolerance, isByOrder, trialStatistic, trialOrder, isDescending } = options;
  const parts = [
    ...(statistic === null ? [] : [`s.${escaped(statistic)}`]),
    ...(tolerance === FIRST_TOLERANCE ? [] : [`t${tolerance}`]),
    ...(isByOrder ? [] : ["largest"]),
    ...(trialStatistic === null ? [] : [`of.${escaped(trialStatistic)}`]),
    ...(trialOrder === "trial" ? [] : [`by.${trialOrder}`]),
    ...(isDescending ? ["down"] : []),
  ];
  return parts.length === 0 ? null : parts.join(",");
}
