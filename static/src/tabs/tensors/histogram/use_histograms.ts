/** The histogram of the values that are shown and, if two views are compared, that of B over the same bins. */

import { LARGEST_PICTURE } from "../../../kits/heatmap/board";
import { type Census, censusOf } from "../../../kits/heatmap/value_census";
import type { Extent } from "../../../kits/heatmap/value_colors";
import { useSliced } from "../../../ui/scheduling/time_slices";
import type { PaneProps } from "../pane";
import { secondValues } from "../second_pane";
import type { ShownValues } from "../selected_values";
import { type Gathering, useGathered } from "../use_gathered";
import { type Histogram, histogramOf } from "./bins";

/** A histogram with what is among its values. */
export interface Counted {
  census: Census;
  histogram: Histogram;
}

interface Histograms {
  gathering: Gathering | null;
  census: Census | null;
  /** Null while values are loaded or counted. */
  a: Counted | null;
  /** Null if B has no values, too. */
  b: Counted | null;
  /** Whether B has some. */
  isCompared: boolean;
}

export function useHistograms(pane: PaneProps, shown: ShownValues, logarithmic: boolean): Histograms {
  const count = shown.numbers.length;
  const second = secondValues(pane.store, shown);
  const isCompared = second !== null && second.absent === null && second.numbers.length <= LARGEST_PICTURE;
  const gathering = useGathered(pane, shown.aggregation, 0, count, shown.absent === null && count <= LARGEST_PICTURE);
  const ofB = useGathered(second?.pane ?? pane, second?.aggregation ?? 0, 0, isCompared ? second.numbers.length : 0, isCompared);
  const [census, censusOfB] = [useCensus(gathering), useCensus(ofB)];
  const isCounted = census !== null && (!isCompared || censusOfB !== null);
  const extent = isCounted ? joined(census, censusOfB) : null;
  const a = useBins(gathering, extent, logarithmic, shown.dtype, count);
  const b = useBins(ofB, extent, logarithmic, shown.dtype, count);
  return {
    gathering,
    census,
    a: census && a && { census, histogram: a },
    b: isCompared && censusOfB !== null && b !== null ? { census: censusOfB, histogram: b } : null,
    isCompared,
  };
}

/** Counting is only worth it when all values are there. */
function useCensus(gathering: Gathering | null): Census | null {
  const values = gathering?.values;
  const complete = values?.complete ?? false;
  return useSliced(values !== undefined && complete ? () => censusOf(values) : null, [values, complete]);
}

function useBins(gathering: Gathering | null, extent: Extent | null, logarithmic: boolean, dtype: string, total: number): Histogram | null {
  const values = gathering?.values;
  return useSliced(
    values === undefined || extent === null ? null : () => histogramOf(values.numbers, values.loaded, extent, logarithmic, dtype, total),
    [values, extent?.low, extent?.high, logarithmic, dtype, total],
  );
}

/** Values that are not finite have no place among the bins. */
function joined(a: Census, b: Census | null): Extent {
  const finite = [a, b].filter((census) => census !== null && census.finite > 0) as Census[];
  return finite.length === 0
    ? { low: a.low, high: a.high }
    : { low: Math.min(...finite.map(({ low }) => low)), high: Math.max(...finite.map(({ high }) => high)) };
}
