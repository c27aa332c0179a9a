/** The histograms of one tensor over time: a picture that the pointer and the arrow keys can ask about its steps. */

import type { Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { stepInWords } from "../../data/format/steps";
import type { HistogramRecord, StepHistogram } from "../../data/records/histograms";
import type { Store } from "../../state/store";
import { capital } from "../../ui/text/format";
import { themeName } from "../../ui/theme";
import { histogramInWords, limitsInWords, rowInWords } from "./histogram_text";
import { colorsOf } from "./history_colors";
import { type Column, pixelOf, spansOf, strips } from "./history_layout";
import { draw } from "./paint_history";
import { placeInWords, type TimeScale } from "./time_axis";
import { valueRows } from "./value_axis";

export const HISTORY_HEIGHT = 84;
/** The text about a step is no wider than this. */
const WORDS_WIDTH = 290;

export interface HistoryProps {
  store: Store;
  record: HistogramRecord;
  /** Undefined as long as nothing is drawn: while they are loaded, and while the picture is out of sight. */
  histograms: readonly StepHistogram[] | undefined;
  isLoading: boolean;
  /** What it is of: `weight, gradients`. */
  label: string;
  scale: TimeScale;
  step: number;
  /** The step that is asked about in any panel. */
  hovered: Signal<number | null>;
  quantiles: boolean;
  /** How wide the plot is, in pixels. */
  width: number;
  /** Whether it is of all ranks together. */
  isMerged: boolean;
}

/** Where the pointer is: the place of a column, and pixels from the top; null there where the keyboard asks. */
interface Asked {
  column: number;
  y: number | null;
}

/** A step on the axis. */
interface Place {
  step: number;
  place: number;
  /** Its position in the record. */
  position: number;
}

export function History(props: HistoryProps) {
  const { record, histograms, isLoading, label, scale, step, hovered, quantiles, width, isMerged } = props;
  const plot = useRef<HTMLDivElement>(null);
  const places = useMemo(() => placesOf(record, scale), [record.steps, scale]);
  const rows = useMemo(() => (histograms === undefined ? null : valueRows(histograms)), [histograms]);
  const columns = useMemo(
    () => (histograms === undefined ? [] : places.map((at): Column => ({ ...at, histogram: histograms[at.position]! }))),
    [places, histograms],
  );
  const view = { low: scale.low, high: scale.high, width };
  const { asked, current, shown, handlers } = useAsked(props, places, view);
  if (places.length === 0) {
    return (
      <p class="soft" data-testid="history-empty">
        {scale.axis === "epoch" ? "No epochs were recorded: call recorder.set_epoch(epoch)." : "No times were recorded."}
      </p>
    );
  }
  const histogram = columns[current]?.histogram;
  const words =
    shown === undefined ? [] : [placeWords(shown, scale), ...(histogram === undefined ? [] : histogramInWords(histogram, isMerged))];
  return (
    <div
      ref={plot}
      class="history-plot"
      data-testid="history"
      data-record={`${record.group}/${record.iteration}/${record.name}`}
      data-type={record.type}
      data-columns={places.length}
      data-rows={rows?.count}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={places.length - 1}
      aria-valuenow={current}
      aria-valuetext={words.join(" ")}
      style={{ height: `${HISTORY_HEIGHT}px` }}
      {...handlers}
    >
      {rows !== null && histograms !== undefined && (
        <Drawn columns={columns} rows={rows} histograms={histograms} view={view} scale={scale} quantiles={quantiles} />
      )}
      {isLoading && <span class="history-loading soft">{"Loading\u2026"}</span>}
      <Rule kind="marked" scale={scale} view={view} step={step} />
      <HoveredRule scale={scale} view={view} hovered={hovered} />
      {asked !== null && rows !== null && histogram !== undefined && (
        <div class="history-words" style={besidePlot(plot.current)} data-testid="history-words" aria-hidden="true">
          <strong>{words[0]}</strong>
          {asked.y !== null && rowAt(columns, rows.count, asked.y) !== null && (
            <span>{rowInWords(rows, histogram, rowAt(columns, rows.count, asked.y)!)}</span>
          )}
          {words.slice(1).map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
        </div>
      )}
    </div>
  );
}

interface View {
  low: number;
  high: number;
  width: number;
}

/** Which step is asked about, by the pointer or by keys. */
function useAsked({ store, hovered, step }: HistoryProps, places: readonly Place[], view: View) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = (next: Asked | null): void => {
    setAsked(next);
    hovered.value = next === null ? null : (places[next.column]?.step ?? null);
  };
  const under = (event: MouseEvent): number | null =>
    nearest(places, view, event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left);
  const askAt = (event: PointerEvent): void => {
    const column = under(event);
    if (column !== null) {
      ask({ column, y: event.clientY - (event.currentTarget as HTMLElement).getBoundingClientRect().top });
    }
  };
  const current = asked?.column ?? nearestStep(places, step);
  const shown = places[current];
  const goTo = (event: MouseEvent): void => {
    const column = under(event);
    if (column !== null) {
      store.goToStep(places[column]!.step);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: places.length - 1 }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (next !== undefined) {
      const column = Math.max(0, Math.min(places.length - 1, next));
      ask(places[column] === undefined ? null : { column, y: null });
    } else if (event.key === "Enter" && shown !== undefined) {
      store.goToStep(shown.step);
    } else if (event.key === "Escape" && asked !== null) {
      ask(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers = { onPointerMove: askAt, onPointerLeave: () => ask(null), onBlur: () => ask(null), onKeyDown, onClick: goTo };
  return { asked, current, shown, handlers };
}

function placeWords({ step, place }: Place, { axis }: TimeScale): string {
  const words = placeInWords(place, axis);
  const which = capital(stepInWords(step));
  return axis === "step" ? which : `${which}, ${axis === "epoch" ? "epoch" : "after"} ${words}`;
}

interface DrawnProps {
  columns: readonly Column[];
  rows: ReturnType<typeof valueRows>;
  histograms: readonly StepHistogram[];
  view: View;
  scale: TimeScale;
  quantiles: boolean;
}

/** The picture, and the values at its rims. */
function Drawn({ columns, rows, histograms, view, scale, quantiles }: DrawnProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const limits = useMemo(() => limitsInWords(rows, histograms), [rows, histograms]);
  const theme = themeName.value;
  useLayoutEffect(() => {
    if (canvas.current !== null && view.width > 0) {
      draw(canvas.current, { columns, rows, ...view, height: HISTORY_HEIGHT }, colorsOf(theme), quantiles, window.devicePixelRatio || 1);
    }
  }, [columns, rows, scale, view.width, quantiles, theme]);
  return (
    <>
      <canvas ref={canvas} />
      <span class="history-limit" aria-hidden="true">
        {limits.high}
      </span>
      <span class="history-limit at-bottom" aria-hidden="true">
        {limits.low}
      </span>
    </>
  );
}

interface RuleProps {
  scale: TimeScale;
  view: View;
}

/** A line across the picture where a step is. */
function Rule({ kind, scale, view, step }: RuleProps & { kind: "marked" | "hovered"; step: number | null }) {
  const place = step === null ? undefined : scale.places.get(step);
  return place === undefined ? null : (
    <span
      class={`history-rule ${kind}`}
      data-testid={`history-${kind}`}
      style={{ left: `${Math.min(view.width - 1, Math.round(pixelOf(place, view) - 0.5))}px` }}
    />
  );
}

/** A component of its own, so that nothing else renders again when the pointer moves. */
function HoveredRule({ hovered, ...props }: RuleProps & { hovered: Signal<number | null> }) {
  return <Rule {...props} kind="hovered" step={hovered.value} />;
}

/** Below the plot or above it, where there is more room; nothing around it cuts it off. */
function besidePlot(plot: Element | null): Record<string, string> {
  const bounds = plot?.getBoundingClientRect();
  if (bounds === undefined) {
    return {};
  }
  const left = `${Math.max(4, Math.min(bounds.left, window.innerWidth - WORDS_WIDTH - 12))}px`;
  const isBelow = window.innerHeight - bounds.bottom > bounds.top;
  return isBelow ? { left, top: `${bounds.bottom + 4}px` } : { left, bottom: `${window.innerHeight - bounds.top + 4}px` };
}

function placesOf(record: HistogramRecord, { places }: TimeScale): Place[] {
  const known = record.steps.flatMap((step, position): Place[] => {
    const place = places.get(step);
    return place === undefined ? [] : [{ step, place, position }];
  });
  return known.sort((a, b) => a.place - b.place);
}

/** The column that is under the pointer. */
function nearest(places: readonly Place[], view: View, x: number): number | null {
  let closest: number | null = null;
  let least = Infinity;
  spansOf(places, view).forEach((span, k) => {
    const distance =
      x >= span.start && x < span.end
        ? Math.abs(x - (span.start + span.end) / 2) / 1e6
        : Math.min(Math.abs(x - span.start), Math.abs(x - span.end));
    if (distance < least) {
      [closest, least] = [k, distance];
    }
  });
  return closest;
}

/** The column of a step, or of the one that is nearest to it. */
function nearestStep(places: readonly Place[], step: number): number {
  return places.reduce((best, own, k) => (Math.abs(own.step - step) < Math.abs(places[best]!.step - step) ? k : best), 0);
}

/** The row at a height; null beside the rows. */
function rowAt(columns: readonly Column[], rows: number, y: number): number | null {
  const { top, bottom } = strips(columns, HISTORY_HEIGHT);
  return y < top || y >= bottom ? null : Math.min(rows - 1, Math.floor(((y - top) / (bottom - top)) * rows));
}
