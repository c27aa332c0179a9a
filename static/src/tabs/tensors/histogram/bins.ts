/** Counts values in bins of equal width, on a straight or on a symmetric logarithmic scale. */

import { type Extent, placeOnScale, valueOnScale } from "../../../kits/heatmap/value_colors";
import { inParts, type Work } from "../../../ui/scheduling/time_slices";
import { isIntegerDtype } from "../../../ui/text/format";

export interface Histogram {
  /** One more than there are bins. */
  edges: Float64Array;
  counts: Float64Array;
  /** Whether a bin is a single whole number, which is its lower edge. */
  whole: boolean;
}

const MOST_BINS = 64;
const FEWEST_BINS = 8;

/** Counts the finite ones of the values in `ranges`; the last bin includes its upper edge. There are as many bins as fit `total` values. */
export function* histogramOf(
  values: ArrayLike<number>,
  ranges: readonly (readonly [number, number])[],
  extent: Extent,
  logarithmic: boolean,
  dtype: string,
  total = ranges.reduce((sum, [from, to]) => sum + to - from, 0),
): Work<Histogram> {
  const whole = !logarithmic && isIntegerDtype(dtype) && extent.high - extent.low < MOST_BINS;
  const bins = whole ? extent.high - extent.low + 1 : Math.max(FEWEST_BINS, Math.min(MOST_BINS, Math.ceil(Math.sqrt(total))));
  const { place, edge } = whole ? wholeBins(extent) : logarithmic ? logarithmicBins(extent, bins) : straightBins(extent, bins);
  const counts = new Float64Array(bins);
  for (const [first, end] of ranges) {
    yield* inParts(end - first, (from, to) => {
      for (let k = first + from; k < first + to; k++) {
        const value = values[k]!;
        if (value - value === 0) {
          const bin = Math.floor(place(value));
          counts[bin < 0 ? 0 : bin >= bins ? bins - 1 : bin]! += 1;
        }
      }
    });
  }
  return { edges: Float64Array.from({ length: bins + 1 }, (_, k) => edge(k)), counts, whole };
}

/** The place of a value among the bins, and the start of a bin. */
interface Bins {
  place: (value: number) => number;
  edge: (bin: number) => number;
}

function wholeBins({ low }: Extent): Bins {
  return { place: (value) => value - low, edge: (bin) => low + bin };
}

/** If all values are the same, the bins reach half of one to either side. */
function straightBins({ low, high }: Extent, bins: number): Bins {
  const margin = high > low ? 0 : Math.abs(low) / 2 || 0.5;
  const [first, range] = [low - margin, high - low + 2 * margin];
  return {
    place: (value) => ((value - first) / range) * bins,
    edge: (bin) => (bin === bins ? first + range : first + (range * bin) / bins),
  };
}

function logarithmicBins(extent: Extent, bins: number): Bins {
  const onScale = placeOnScale("log", extent);
  const [first, last] = extent.high > extent.low ? [onScale(extent.low), onScale(extent.high)] : [0, 1];
  return {
    place: (value) => ((onScale(value) - first) / (last - first)) * bins,
    edge: (bin) => valueOnScale("log", extent, first + ((last - first) * bin) / bins),
  };
}

/** The place of a value among the edges, from 0 to 1; beyond them it is at the border. */
export function placeAmong(edges: Float64Array, value: number): number {
  const last = edges.length - 1;
  let bin = 0;
  while (bin < last - 1 && value >= edges[bin + 1]!) {
    bin += 1;
  }
  const width = edges[bin + 1]! - edges[bin]!;
  const inside = width > 0 ? (value - edges[bin]!) / width : 0.5;
  return Math.max(0, Math.min(1, (bin + Math.max(0, Math.min(1, inside))) / last));
}
