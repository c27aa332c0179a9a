/** A tensor in its own shape: a cell per value. */

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import {
  type Arrangement,
  arrange,
  axisName,
  type Board,
  boardOf,
  keyOfPicture,
  LARGEST_PICTURE,
  type Page,
  type Part,
  partInWords,
  rangeOf,
  readPage,
} from "../../../kits/heatmap/board";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import { type Coloring, inkOf } from "../../../kits/heatmap/draw_board";
import { pictureDrawing } from "../../../kits/heatmap/heatmap_figure";
import { type Census, censusOf } from "../../../kits/heatmap/value_census";
import { fittingScale, readScale } from "../../../kits/heatmap/value_colors";
import { cellsInView } from "../../../kits/heatmap/viewport";
import type { Edits } from "../../../state/editing/edits";
import { FigureButtons } from "../../../ui/figure/buttons";
import { pageFacts, selectionFacts, selectionName } from "../../../ui/figure/caption";
import type { Figure } from "../../../ui/figure/figure";
import { pngAddress } from "../../../ui/figure/pixels";
import { Failure } from "../../../ui/notices/failure";
import { atOnce } from "../../../ui/scheduling/time_slices";
import { counted, grouped, nodeLabel, shapeText } from "../../../ui/text/format";
import { useSize } from "../../../ui/use_size";
import { type EditTarget, editTarget } from "../edit/edit_target";
import { Editor } from "../edit/editor";
import { type Editing, useEditing } from "../edit/use_editing";
import type { PaneProps } from "../pane";
import { type ShownValues, shownValues } from "../selected_values";
import { type Gathering, useGathered } from "../use_gathered";
import { BoardView, mostHeight } from "./board_view";
import { joined, readExtent, sharedExtent } from "./color_extent";
import { Legend } from "./legend";
import { ColorControls, PageControls, SCALE_LABELS } from "./picture_controls";
import { axesText, labelOf } from "./picture_text";
import { nextLike, Progress, Readout } from "./readout";
import { Samples } from "./samples";
import { BoardOfB, type SecondPicture, useSecondPicture } from "./second_picture";
import { usePictureViewport } from "./use_picture_viewport";
import { useStepsExtent } from "./use_steps_extent";

export function PictureView(pane: PaneProps) {
  const { store, open, record } = pane;
  void store.version.value;
  const shown = shownValues(pane);
  const arrangement = arrange(shown.axes);
  const pageText = store.view.value.get("page");
  const page = readPage(pageText, arrangement);
  const { start, count } = rangeOf(arrangement, page);
  const fits = count <= LARGEST_PICTURE && shown.absent === null;
  const gathering = useGathered(pane, shown.aggregation, start, start + count, fits);
  const brush = store.brush.value;
  const target = editTarget(pane, shown.aggregation);
  const edits = useMemo(() => (target === null ? null : store.editsOf(target.key)), [store, target?.key]);
  // While another tab is open, no key should change what nobody sees.
  const isEdited = brush.isOn && store.tab.value === "tensors" && gathering !== null && target !== null && target.first !== null;
  const editing = useEditing(isEdited ? { ...gathering, first: target.first! + start, dtype: target.dtype } : null, edits, brush);
  const second = useSecondPicture(pane, shown, start, count, fits);
  const values = editing?.values ?? gathering?.values;
  const census = useMemo(() => (values === undefined ? null : atOnce(censusOf(values))), [values, gathering?.state]);
  store.bundle.chunks.request(open.content.numbers.overviewChunks(record, shown.aggregation));

  if (gathering?.error !== undefined) {
    return <Failure store={store} error={gathering.error} what="the values" />;
  }
  if (shown.absent !== null) {
    return (
      <p class="empty" data-testid="picture-empty">
        {shown.absent}: there is no picture of it. {shown.remedy}
      </p>
    );
  }
  if (gathering === null || census === null) {
    return (
      <p class="empty" data-testid="picture-empty">
        {grouped(count)} values are too many for a picture, which has at most {grouped(LARGEST_PICTURE)}; the table has them all.
      </p>
    );
  }
  return (
    <Picture
      pane={pane}
      shown={shown}
      arrangement={arrangement}
      page={page}
      gathering={gathering}
      values={values!}
      census={census}
      target={target}
      edits={edits}
      editing={editing}
      second={second}
    />
  );
}

interface PictureProps {
  pane: PaneProps;
  shown: ShownValues;
  arrangement: Arrangement;
  page: Page;
  gathering: Gathering;
  /** As recorded, or as edited. */
  values: CellValues;
  census: Census;
  /** Null where the tensor cannot be edited; and `editing`, where it is not. */
  target: EditTarget | null;
  edits: Edits | null;
  editing: Editing | null;
  /** B beside it; null if nothing is compared. */
  second: SecondPicture | null;
}

function Picture(props: PictureProps) {
  const { pane, shown, arrangement, page, gathering, values, census, target, edits, editing, second } = props;
  const { store, open, record } = pane;
  const [frame, size] = useSize();
  const aspect = size.height > 0 ? Math.round((size.width / size.height) * 4) / 4 : 2;
  const board = useMemo(() => boardOf(arrangement, page, aspect), [keyOfPicture(arrangement, page), aspect]);
  const { viewport, setViewport } = usePictureViewport(pane.store, board);
  const [cursor, setCursor] = useState(-1);
  const [hover, setHover] = useState(-1);
  useLayoutEffect(() => {
    setCursor(-1);
    setHover(-1);
  }, [board]);
  const facts = open.content.numbers.facts(record);
  const shared = facts === undefined ? null : sharedExtent(facts, record.hasBatch, shown.aggregation);
  const extentKind = readExtent(store.view.value.get("extent"));
  const ofSteps = useStepsExtent(pane, shown.aggregation, extentKind === "steps" && shared !== null);
  const ofView = { low: census.low, high: census.high };
  const ofA =
    (shared === null || extentKind === "view" ? null : extentKind === "steps" ? joined(shared, ofSteps.extent) : shared) ?? ofView;
  const asRecorded = joined(ofA, second && (extentKind === "view" ? second.extent : second.sharedExtent))!;
  // What has been changed may be beyond what was recorded.
  const extent = editing === null ? asRecorded : joined(asRecorded, ofView)!;
  const asked = readScale(store.view.value.get("scale"));
  const fitting = fittingScale(extent);
  const coloring: Coloring = { scale: asked ?? fitting, extent };
  const pointed = hover >= 0 ? hover : cursor;
  const both = { board, coloring, cursor, viewport, setViewport, onCursor: setCursor, onHover: setHover };
  return (
    <div class="picture-pane">
      <div class="picture-bar">
        <ColorControls
          store={store}
          asked={asked}
          fitting={fitting}
          extent={extentKind}
          hasShared={shared !== null}
          hasBatch={record.hasBatch}
        />
        <PageControls store={store} arrangement={arrangement} page={page} />
        <FigureButtons name="picture" place="values" make={() => figureOf(props, board, cellsInView(viewport, board, size), coloring)} />
      </div>
      {target !== null && edits !== null && <Editor pane={pane} target={target} edits={edits} editing={editing} />}
      <div class="boards" style={{ maxHeight: mostHeight(board) }}>
        <BoardView
          {...both}
          values={values}
          state={gathering.state}
          editing={editing}
          size={size}
          frame={frame}
          label={labelOf(arrangement, census, shown)}
          side={second === null ? null : "A"}
        />
        {second !== null && <BoardOfB {...both} second={second} label={labelOf(arrangement, second.census, shown)} />}
      </div>
      <div class="picture-foot">
        <output class="readout" aria-live="polite" data-testid="picture-readout">
          {pointed < 0 ? (
            <span class="soft">{axesText(arrangement, page)}</span>
          ) : (
            <Readout
              values={values}
              before={editing?.changed.get(pointed)?.before}
              second={second}
              shown={shown}
              start={board.start}
              k={pointed}
            />
          )}
        </output>
        {!gathering.values.complete && <Progress gathering={gathering} />}
      </div>
      {extentKind === "steps" && shared !== null && ofSteps.known < ofSteps.total && (
        <span class="soft" role="status" data-testid="extent-loading">
          Extent of {ofSteps.known} of {counted(ofSteps.total, "step")} so far
        </span>
      )}
      <Legend coloring={coloring} census={census} onFind={(value) => setCursor(nextLike(values, value, cursor))} />
      <Samples pane={pane} arrangement={arrangement} page={page} coloring={coloring} />
    </div>
  );
}

function figureOf(
  { pane, shown, arrangement, page, gathering, values, census, editing }: PictureProps,
  board: Board,
  part: Part,
  coloring: Coloring,
): Figure {
  const { store, open } = pane;
  const { page: from, source } = pageFacts(store);
  const { rows, columns } = arrangement;
  const places = arrangement.pages.flatMap((axis, k) => (page[k] === null ? [] : [[`index on ${axis.name}`, String(page[k])] as const]));
  const waiting = gathering.values.complete ? [] : ["Some values are not loaded; dots mark them."];
  const changed = editing === null || editing.changed.size === 0 ? [] : [`${counted(editing.changed.size, "cell")} changed by hand.`];
  const zoomed = partInWords(arrangement, board, part);
  const labels = { x: columns === null ? "" : axisName(columns), y: rows === null ? "" : axisName(rows) };
  const drawing = pictureDrawing(
    { board, part, values, coloring, ink: inkOf(coloring, false), census, labels, isWrapped: rows === null },
    pngAddress,
  );
  return {
    title: `Values of ${nodeLabel(pane.shown.selection.node)}`,
    drawing,
    facts: [
      ...selectionFacts(store, pane.shown, open),
      ["shape", shapeText(shown.shape)],
      ["colors", SCALE_LABELS[coloring.scale]],
      ...places,
      ...from,
    ],
    remarks: [
      `${axesText(arrangement, page)}.`,
      ...(zoomed === "" ? [] : [`${zoomed}. Colors and counts are those of the whole.`]),
      ...changed,
      ...waiting,
    ],
    source,
    nameParts: ["picture", ...selectionName(pane.shown)],
  };
}
