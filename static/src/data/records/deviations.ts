/** Deviations of values that are no numbers: a recording has 0 for a single NaN, which has no deviation. */

import type { Numbers } from "../arrays/lanes";
import type { Value } from "../arrays/numbers";

/** The statistics of a record, one per item, with NaN for the deviation where the mean is NaN. */
export function withDeviation(items: readonly string[], statistics: Numbers): Numbers {
  const [mean, std] = [items.indexOf("mean"), items.indexOf("std")];
  return mean < 0 || std < 0
    ? statistics
    : {
        ...statistics,
        at: (k) => (k === std ? deviation(statistics.at(mean), statistics.at(std)) : statistics.at(k)),
        chunks: (start, end) =>
          start <= std && std < end
            ? together(statistics.chunks(start, end), statistics.chunks(mean, mean + 1))
            : statistics.chunks(start, end),
      };
}

/** The deviations at every step, with NaN where the mean is NaN. */
export function deviationsBeside(means: Numbers, deviations: Numbers): Numbers {
  return {
    ...deviations,
    at: (k) => deviation(means.at(k), deviations.at(k)),
    chunks: (start, end) => together(deviations.chunks(start, end), means.chunks(start, end)),
  };
}

/** Undefined until both are loaded. */
function deviation(mean: Value | undefined, std: Value | undefined): Value | undefined {
  return mean === undefined || std === undefined ? undefined : Number.isNaN(mean) ? NaN : std;
}

function together(...chunks: readonly number[][]): number[] {
  return [...new Set(chunks.flat())];
}
