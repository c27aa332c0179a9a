/** All recorded samples of the tensor as small pictures, beside one another. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import { type Arrangement, type Board, boardOf, keyOfPicture, type Page } from "../../../kits/heatmap/board";
import { type Coloring, drawBoard, inkOf } from "../../../kits/heatmap/draw_board";
import { placingOf, WHOLE } from "../../../kits/heatmap/viewport";
import { aggregationLabel } from "../../../state/selection/options";
import { sampleAggregation } from "../../../state/selection/selection";
import { Button } from "../../../ui/controls/button";
import { type Choice, Select } from "../../../ui/controls/select";
import { numberText } from "../../../ui/text/format";
import { isDark, themeName } from "../../../ui/theme";
import type { PaneProps } from "../pane";
import { useGathered } from "../use_gathered";
import { orderedSamples, readSampleOrder, SCALARS } from "./sample_order";

/** Larger ones have no small picture. */
const LARGEST_THUMBNAIL = 2 ** 20;

const THUMBNAIL = { width: 92, height: 60 };

const SAMPLE_ORDERS: readonly Choice[] = [
  ["", "As recorded"],
  ...SCALARS.flatMap((scalar): Choice[] => [
    [`-${scalar}`, `${scalar}, largest first`],
    [scalar, `${scalar}, smallest first`],
  ]),
];

interface Props {
  pane: PaneProps;
  arrangement: Arrangement;
  page: Page;
  coloring: Coloring;
}

export function Samples({ pane, arrangement, page, coloring }: Props) {
  const { store, shown, open, record } = pane;
  const order = readSampleOrder(store.view.value.get("samples"));
  const board = useMemo(() => boardOf(arrangement, page, THUMBNAIL.width / THUMBNAIL.height), [keyOfPicture(arrangement, page)]);
  if (record.samples < 2 || record.values < 0) {
    return null;
  }
  const scalarOf = (sample: number, item: string): number | undefined => {
    const value = open.content.numbers.statistics(record, BATCH_AGGREGATIONS.length + sample).at(record.items.indexOf(item));
    return value === undefined ? undefined : Number(value);
  };
  const samples = orderedSamples(record.samples, order, scalarOf);
  const item = order?.item ?? "mean";
  return (
    <section class="samples" aria-label="All recorded samples of this tensor" data-testid="samples">
      <div class="picture-bar">
        <h3>Samples</h3>
        <label class="picture-control">
          <span>Order</span>
          <Select
            testid="sample-order"
            value={order === null ? "" : `${order.descending ? "-" : ""}${order.item}`}
            choices={SAMPLE_ORDERS}
            onChange={(chosen) => store.setView("samples", chosen || null)}
          />
        </label>
      </div>
      <ul class="sample-strip">
        {samples.map((sample) => {
          const aggregation = sampleAggregation(open.samples.index[sample] ?? sample);
          const scalar = scalarOf(sample, item);
          return (
            <li key={sample}>
              <Button
                class="sample"
                testid="sample"
                data-sample={aggregation}
                pressed={shown.selection.aggregation === aggregation}
                onClick={() => store.change("aggregation", aggregation)}
              >
                <Thumbnail pane={pane} sample={sample} board={board} coloring={coloring} />
                <span class="sample-name">
                  <bdi>{aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position))}</bdi>
                </span>
                <span class="soft">
                  {item} {scalar === undefined ? "\u2026" : numberText(scalar, "")}
                </span>
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Loads its values when it comes into view. */
function Thumbnail({ pane, sample, board, coloring }: { pane: PaneProps; sample: number; board: Board; coloring: Coloring }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [seen, setSeen] = useState(false);
  const [dark, theme] = [isDark.value, themeName.value];
  const wanted = seen && board.count <= LARGEST_THUMBNAIL;
  const gathering = useGathered(pane, BATCH_AGGREGATIONS.length + sample, board.start, board.start + board.count, wanted);
  const ink = useMemo(() => inkOf(coloring, dark), [coloring.scale, coloring.extent.low, coloring.extent.high, theme]);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true), {
      rootMargin: "100px",
    });
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (canvas.current !== null && gathering !== null) {
      drawBoard(canvas.current, THUMBNAIL, board, gathering.values, placingOf(WHOLE, board, THUMBNAIL), ink);
    }
  }, [board, gathering?.values, gathering?.state, ink]);
  return <canvas ref={canvas} {...THUMBNAIL} class="thumbnail" aria-hidden="true" />;
}
