/** How the values are distributed: how many are in each bin, and what is special among them. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Facts } from "../../../data/records/step_numbers";
import { type Census, rangeInWords } from "../../../kits/heatmap/value_census";
import { Button } from "../../../ui/controls/button";
import { NumberRow, TableFrame, TableHead } from "../../../ui/controls/table_frame";
import { FigureButtons } from "../../../ui/figure/buttons";
import { pageFacts, selectionFacts, selectionName } from "../../../ui/figure/caption";
import type { Figure } from "../../../ui/figure/figure";
import { Failure } from "../../../ui/notices/failure";
import { brief, counted, grouped, nodeLabel, share, sizeOf } from "../../../ui/text/format";
import { themeColor, themeName, withPaperColors } from "../../../ui/theme";
import { type Room, useSize } from "../../../ui/use_size";
import type { PaneProps } from "../pane";
import { shownValues } from "../selected_values";
import { type Histogram, placeAmong } from "./bins";
import { histogramDrawing } from "./histogram_figure";
import { type Counted, useHistograms } from "./use_histograms";

const MARGIN = { left: 64, right: 12, top: 18, bottom: 24 };

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

/** The last bin includes its upper edge. */
function binText({ edges, counts, whole }: Histogram, bin: number): string {
  return whole ? brief(edges[bin]!) : `${brief(edges[bin]!)} to ${brief(edges[bin + 1]!)}${bin === counts.length - 1 ? ", included" : ""}`;
}

function drawHistogram(
  canvas: HTMLCanvasElement,
  size: Room,
  { edges, counts, whole }: Histogram,
  census: Census,
  chosen: number,
  b: Histogram | null,
): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  context.scale(ratio, ratio);
  const [width, height] = [size.width - MARGIN.left - MARGIN.right, size.height - MARGIN.top - MARGIN.bottom];
  const bottom = MARGIN.top + height;
  const most = Math.max(1, ...counts, ...(b?.counts ?? []));
  const step = width / counts.length;
  counts.forEach((count, bin) => {
    // A bin with few values must not look like one with none.
    const bar = count === 0 ? 0 : Math.max(1.5, (count / most) * height);
    context.fillStyle = themeColor(bin === chosen ? "curve-1" : "curve-0");
    context.fillRect(MARGIN.left + bin * step + 0.5, bottom - bar, Math.max(1, step - 1), bar);
  });
  if (b !== null) {
    drawOutline(
      context,
      b.counts,
      (bin) => MARGIN.left + bin * step,
      (count) => bottom - (count / most) * height,
    );
  }
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = themeColor("text-soft");
  context.strokeStyle = themeColor("control-line");
  context.beginPath();
  context.moveTo(MARGIN.left, bottom + 0.5);
  context.lineTo(MARGIN.left + width, bottom + 0.5);
  context.stroke();
  context.textAlign = "right";
  context.fillText(grouped(most), MARGIN.left - 6, MARGIN.top + 9);
  context.fillText("0", MARGIN.left - 6, bottom);
  context.textAlign = "center";
  const labels = Math.max(2, Math.min(6, Math.floor(width / 90)));
  for (let label = 0; label < labels; label++) {
    const edge = Math.round((label / (labels - 1)) * (whole ? counts.length - 1 : counts.length));
    const x = MARGIN.left + (edge + (whole ? 0.5 : 0)) * step;
    context.textAlign = label === 0 && !whole ? "left" : label === labels - 1 && !whole ? "right" : "center";
    context.fillText(brief(edges[edge]!), x, bottom + 16);
  }
  if (census.finite > 0) {
    const at = (value: number): number => MARGIN.left + placeAmong(edges, value + (whole ? 0.5 : 0)) * width;
    drawSpread(context, at, census);
  }
}

/** The bars of B as a line over those of A. */
function drawOutline(
  context: CanvasRenderingContext2D,
  counts: Float64Array,
  x: (bin: number) => number,
  y: (count: number) => number,
): void {
  context.strokeStyle = themeColor("text");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(0), y(0));
  counts.forEach((count, bin) => {
    context.lineTo(x(bin), y(count));
    context.lineTo(x(bin + 1), y(count));
  });
  context.lineTo(x(counts.length), y(0));
  context.stroke();
}

/** The mean as a line, and one deviation to either side of it. */
function drawSpread(context: CanvasRenderingContext2D, at: (value: number) => number, { mean, std }: Census): void {
  const y = MARGIN.top / 2;
  context.strokeStyle = context.fillStyle = themeColor("text");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(at(mean - std), y);
  context.lineTo(at(mean + std), y);
  for (const end of [mean - std, mean + std]) {
    context.moveTo(at(end), y - 4);
    context.lineTo(at(end), y + 4);
  }
  context.stroke();
  context.beginPath();
  context.arc(at(mean), y, 3.5, 0, 2 * Math.PI);
  context.fill();
}

/** How many values were counted. */
function sizeOfCensus({ finite, nan, positiveInfinity, negativeInfinity }: Census): number {
  return finite + nan + positiveInfinity + negativeInfinity;
}

/** What no bar shows, exactly. Beside it what is known of the whole batch, where there is one. */
interface CountsProps {
  census: Census;
  /** That of B, if two views are compared. */
  other: Census | undefined;
  facts: Facts | null | undefined;
  /** How many values the whole batch has; null where that is not known. */
  whole: number | null;
}

function Counts({ census, other, facts, whole: ofBatch }: CountsProps) {
  const kinds = [
    ["NaN", census.nan, facts?.nan, other?.nan],
    ["+inf", census.positiveInfinity, facts?.positiveInfinity, other?.positiveInfinity],
    ["\u2212inf", census.negativeInfinity, facts?.negativeInfinity, other?.negativeInfinity],
    ["zeros", census.zeros, facts?.zeros, other?.zeros],
  ] as const;
  const names = kinds.map(([name]) => name);
  return (
    <TableFrame name="NaN, infinities and zeros">
      <table class="counts" data-testid="histogram-counts">
        <TableHead columns={["Exactly", ...names]} numbers={names} />
        <tbody>
          <NumberRow name="here" numbers={kinds.map(([, here]) => share(here, sizeOfCensus(census)))} />
          {other !== undefined && <NumberRow name="in B" numbers={kinds.map(([, , , inB]) => share(inB ?? 0, sizeOfCensus(other)))} />}
          {facts !== null && (
            <NumberRow
              name="in the whole batch"
              numbers={kinds.map(([, , whole]) => (whole === undefined ? "\u2026" : share(whole, ofBatch)))}
            />
          )}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** The same for those who do not see the bars. */
function BinTable({ histogram, other }: { histogram: Histogram; other: Histogram | undefined }) {
  const columns = other === undefined ? ["Count"] : ["A", "B"];
  return (
    <details class="bin-table">
      <summary>The bins as a table</summary>
      <TableFrame name="Bins of the histogram">
        <table data-testid="histogram-bins">
          <TableHead columns={["Values", ...columns]} numbers={columns} />
          <tbody>
            {Array.from(histogram.counts, (count, bin) => (
              <tr key={bin}>
                <td>{binText(histogram, bin)}</td>
                <td class="number">{grouped(count)}</td>
                {other !== undefined && <td class="number">{grouped(other.counts[bin]!)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </details>
  );
}
