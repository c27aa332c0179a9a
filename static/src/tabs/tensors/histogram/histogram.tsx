/** How the values are distributed: how many are in each bin, and what is special among them. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rangeInWords } from "../../../kits/heatmap/value_census";
import { Button } from "../../../ui/controls/button";
import { FigureButtons } from "../../../ui/figure/buttons";
import { pageFacts, selectionFacts, selectionName } from "../../../ui/figure/caption";
import type { Figure } from "../../../ui/figure/figure";
import { Failure } from "../../../ui/notices/failure";
import { brief, counted, grouped, nodeLabel, sizeOf } from "../../../ui/text/format";
import { themeName, withPaperColors } from "../../../ui/theme";
import { useSize } from "../../../ui/use_size";
import type { PaneProps } from "../pane";
import { shownValues } from "../selected_values";
import { BinTable, binText, Counts } from "./histogram_counts";
import { histogramDrawing } from "./histogram_figure";
import { drawHistogram, MARGIN } from "./paint_histogram";
import { type Counted, useHistograms } from "./use_histograms";

export function HistogramView(pane: PaneProps) {
  const { store, open, record } = pane;
  void store.version.value;
  const shown = shownValues(pane);
  const count = shown.numbers.length;
  const logarithmic = store.view.value.get("scale") === "log";
  const { gathering, census, a, b, isCompared } = useHistograms(pane, shown, logarithmic);
  const { values, state } = gathering ?? {};
  const complete = values?.complete ?? false;
  store.bundle.chunks.request(open.content.numbers.overviewChunks(record, shown.aggregation));
  if (gathering?.error !== undefined) {
    return <Failure store={store} error={gathering.error} what="the values" />;
  }
  if (shown.absent !== null || values === undefined) {
    const reason = shown.absent === null ? `${grouped(count)} values are too many for a histogram` : `${shown.absent}: it has no histogram`;
    return (
      <p class="empty" data-testid="histogram-empty">
        {reason}. {shown.remedy}
      </p>
    );
  }
  const counting = (
    <p class="empty" role="status">
      Counting {counted(count, "value")}
      {"\u2026"}
    </p>
  );
  if (complete && census === null) {
    return counting;
  }
  if (census === null) {
    return (
      <p class="empty" role="status" data-state={state}>
        Loading: {values.progress.loaded} of {counted(values.progress.total, "part")}
      </p>
    );
  }
  return (
    <div class="histogram-pane">
      <div class="picture-bar">
        <Button pressed={logarithmic} testid="histogram-log" onClick={() => store.setView("scale", logarithmic ? null : "log")}>
          Symmetric logarithm
        </Button>
        <span class="soft">
          {counted(count, "value")}, {counted(census.finite, "of them finite", "of them finite")}
        </span>
        {isCompared && <SideLegend />}
        {a !== null && <FigureButtons name="histogram" place="values" make={() => figureOf(pane, a, b, logarithmic)} />}
      </div>
      {a === null ? counting : <Chart a={a} b={b} />}
      <Counts
        census={census}
        other={b?.census}
        facts={record.hasBatch ? open.content.numbers.facts(record) : null}
        whole={open.trial.rank === null ? null : sizeOf(open.content.layout.tensors.shape[record.tensor] ?? [])}
      />
      {a !== null && <BinTable histogram={a.histogram} other={b?.histogram} />}
    </div>
  );
}

/** How A and B are drawn. */
function SideLegend() {
  return (
    <ul class="legend" aria-label="Sides" data-testid="histogram-sides">
      <li class="legend-pattern">
        <span class="side-sign side-a" aria-hidden="true" /> A
      </li>
      <li class="legend-pattern">
        <span class="side-sign side-b" aria-hidden="true" /> outline: B
      </li>
    </ul>
  );
}

function figureOf({ store, shown, open }: PaneProps, { histogram, census }: Counted, b: Counted | null, logarithmic: boolean): Figure {
  const { page, source } = pageFacts(store);
  const special = [
    ["NaN", census.nan],
    ["+inf", census.positiveInfinity],
    ["\u2212inf", census.negativeInfinity],
    ["zeros", census.zeros],
  ] as const;
  const numbers = [
    ["finite values", grouped(census.finite)],
    ...special.map(([name, count]) => [name, grouped(count)] as const),
    ["mean", brief(census.mean)],
    ["standard deviation", brief(census.std)],
  ] as const;
  return {
    title: `Histogram of ${nodeLabel(shown.selection.node)}`,
    drawing: histogramDrawing(
      histogram,
      census,
      withPaperColors((color) => color("curve-0")),
      b?.histogram.counts,
    ),
    facts: [...selectionFacts(store, shown, open), ...numbers, ...page],
    remarks: [
      ...(logarithmic ? ["Bins are of equal width on a symmetric logarithm."] : []),
      ...(b === null ? [] : ["Bars: A. Outline: B, the view that A is compared with."]),
      ...(census.finite > 0 ? ["Above the bars: the mean, and one standard deviation to either side."] : []),
    ],
    source,
    nameParts: ["histogram", ...selectionName(shown)],
  };
}

function Chart({ a: { histogram, census }, b }: { a: Counted; b: Counted | null }) {
  const [frame, size] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [bin, setBin] = useState(-1);
  const theme = themeName.value;
  const bins = histogram.counts.length;
  useLayoutEffect(() => setBin(-1), [histogram]);
  useLayoutEffect(() => {
    if (canvas.current !== null && size.width > 0) {
      drawHistogram(canvas.current, size, histogram, census, bin, b?.histogram ?? null);
    }
  }, [histogram, b?.histogram, census, size, bin, theme]);
  const onPointerMove = (event: PointerEvent): void => {
    const { left } = canvas.current!.getBoundingClientRect();
    const place = (event.clientX - left - MARGIN.left) / (size.width - MARGIN.left - MARGIN.right);
    setBin(place < 0 || place >= 1 ? -1 : Math.floor(place * bins));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setBin(bin < 0 ? 0 : Math.max(0, Math.min(bins - 1, bin + step)));
    }
  };
  return (
    <>
      <div
        ref={frame}
        class="histogram-frame"
        tabIndex={0}
        role="group"
        aria-label="Histogram; arrow keys go from bin to bin"
        data-arrow-keys
        data-testid="histogram"
        onPointerMove={onPointerMove}
        onPointerLeave={() => setBin(-1)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} role="img" aria-label={`Histogram of ${rangeInWords(census)}, standard deviation ${brief(census.std)}`} />
      </div>
      <output class="readout" aria-live="polite" data-testid="histogram-readout">
        {bin < 0 || bin >= bins ? (
          <span class="soft">
            Mean {brief(census.mean)}, standard deviation {brief(census.std)} of the finite values; point at a bar for its count
          </span>
        ) : (
          <>
            {binText(histogram, bin)}: <strong>{counted(histogram.counts[bin]!, "value")}</strong>
            {b !== null && <>, in B {grouped(b.histogram.counts[bin]!)}</>}
          </>
        )}
      </output>
    </>
  );
}
