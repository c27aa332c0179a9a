/** A step with every kind of record, for tests that read statistics. */

import type { FixtureStep } from "./bundle_fixture";

/**
 * The statistics of h, which has a batch of four and one recorded sample: the mean over the batch, the largest, the spread, and the sample,
 * for each of mean, abs_mean, std and abs_max.
 */
const OF_H = [
  [-1, -2, 0.5, 7],
  [1, 2, 0.25, 8],
  [3, 4, 0.125, 9],
  [5, 6, 0.75, 10],
].flat();

/** `mean` is that of w, whose other statistics are by 1 larger, 3 and 4. The gradient of w was absent, that of h has the mean -1. */
export function describedStep(step: number, mean = 1): FixtureStep {
  return {
    step,
    tensors: [
      { name: "h", iteration: 0, kind: "kpis", shape: [4, 3], samples: 1 },
      { name: "w", iteration: -1, type: "parameter", kind: "kpis", shape: [3], batch_dimension: null },
      { name: "loss", iteration: 0, type: "loss", kind: "single_value", shape: [], batch_dimension: null },
    ],
    groups: [
      { name: "forward", tensors: [0, 1, 2] },
      { name: "gradients", tensors: [0, 1] },
    ],
    graphs: [null],
    arrays: [
      // NaN, infinities, zeros and flags of each record; the flag 1 says that a gradient was absent.
      { name: "counts", dtype: "I32", values: [...new Array<number>(5 * 4).fill(0), 0, 0, 0, 3, 1] },
      { name: "extrema.F32", dtype: "F32", values: new Array<number>(2 * 5).fill(0) },
      { name: "statistics.F32", dtype: "F32", values: [...OF_H, mean, mean + 1, 3, 4, -0.5, ...OF_H, 0, 0, 0, 0] },
    ],
  };
}
