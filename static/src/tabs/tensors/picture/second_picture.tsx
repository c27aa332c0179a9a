/** The picture of B beside that of A: the same place, the same zoom and the same colors. */

import { useMemo } from "preact/hooks";
import type { Value } from "../../../data/arrays/numbers";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import { type Census, censusOf } from "../../../kits/heatmap/value_census";
import type { Extent } from "../../../kits/heatmap/value_colors";
import { Failure } from "../../../ui/notices/failure";
import { atOnce } from "../../../ui/scheduling/time_slices";
import { numberText, shapeText } from "../../../ui/text/format";
import { useSize } from "../../../ui/use_size";
import { differenceText } from "../compare/compared_cells";
import type { PaneProps } from "../pane";
import { type SecondValues, secondValues } from "../second_pane";
import type { ShownValues } from "../selected_values";
import { useGathered } from "../use_gathered";
import { type BoardProps, BoardView } from "./board_view";
import { sharedExtent } from "./color_extent";

export interface SecondPicture {
  second: SecondValues;
  /** Null if there is no picture beside that of A. */
  values: CellValues | null;
  state: string;
  error: Error | undefined;
  census: Census;
  /** How far the finite values in the picture reach, and those of the whole tensor; null if there are none. */
  extent: Extent | null;
  sharedExtent: Extent | null;
}

const NO_VALUES = { numbers: new Float32Array(0), loaded: [] };

export function useSecondPicture(pane: PaneProps, shown: ShownValues, start: number, count: number, fits: boolean): SecondPicture | null {
  const { store } = pane;
  const second = secondValues(store, shown);
  const isShown = fits && second?.isAlike === true && second.absent === null;
  const gathering = useGathered(second?.pane ?? pane, second?.aggregation ?? 0, start, start + count, isShown);
  const values = gathering?.values ?? null;
  const census = useMemo(() => atOnce(censusOf(values ?? NO_VALUES)), [values, gathering?.state]);
  if (second === null) {
    return null;
  }
  const { open, record } = second.pane;
  store.bundle.chunks.request(open.content.numbers.overviewChunks(record, second.aggregation));
  const facts = isShown ? open.content.numbers.facts(record) : undefined;
  const extent = census.finite === 0 ? null : { low: census.low, high: census.high };
  return {
    second,
    values,
    state: gathering?.state ?? "",
    error: gathering?.error,
    census,
    extent,
    sharedExtent: (facts && sharedExtent(facts, record.hasBatch, second.aggregation)) ?? extent,
  };
}

type Shared = Omit<BoardProps, "values" | "state" | "editing" | "size" | "frame" | "side">;

export function BoardOfB({ second: { second, values, state, error }, ...props }: Shared & { second: SecondPicture }) {
  const [frame, size] = useSize();
  if (error !== undefined) {
    return <Failure store={second.pane.store} error={error} what="the values of B" />;
  }
  if (values === null) {
    return (
      <p class="empty" data-testid="picture-b-empty">
        {second.absent === null ? `B has the shape ${shapeText(second.shape)}: its picture has other places` : `B: ${second.absent}`}.
      </p>
    );
  }
  return <BoardView {...props} values={values} state={state} editing={null} size={size} frame={frame} side="B" />;
}

/** The value of B behind that of A. */
export function ReadoutOfB({ a, b, dtype }: { a: Value | undefined; b: Value | undefined; dtype: string }) {
  return (
    <span data-testid="picture-readout-b">
      , B <strong>{b === undefined ? "not loaded yet" : numberText(b, dtype)}</strong>, A {"\u2212"} B {differenceText(a, b, dtype)}
    </span>
  );
}
