/** The histograms of one tensor over time: a picture that the pointer and the arrow keys can ask about its steps. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HistogramRecord, StepHistogram } from "../../data/histograms";
import type { Store } from "../../state/store";
import { themeName } from "../theme";
import { draw, spansOf, strips, type Column } from "./drawing";
import { colorsOf } from "./panel_colors";
import { placeInWords, type TimeScale } from "./time_axis";
import { valueRows } from "./value_axis";
import { histogramInWords, limitsInWords, rowInWords } from "./words";

const HISTORY_HEIGHT = 84;
/** What is said of a step is no wider than this. */
const WORDS_WIDTH = 290;

interface Props {
  store: Store;
  record: HistogramRecord;
  histograms: readonly StepHistogram[];
  /** What it is of: `weight, gradients`. */
  label: string;
  scale: TimeScale;
  step: number;
  /** The step that is asked about in any panel. */
  hovered: number | null;
  quantiles: boolean;
  /** How wide the plot is, in pixels. */
  width: number;
  /** Whether it is of all ranks together. */
  isMerged: boolean;
  onHover: (step: number | null) => void;
}

/** Where the pointer is: the place of a column, and pixels from the top; null there where the keyboard asks. */
interface Asked {
  column: number;
  y: number | null;
}

export function History({ store, record, histograms, label, scale, step, hovered, quantiles, width, isMerged, onHover }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const columns = useMemo(() => columnsOf(record, histograms, scale), [record.steps, histograms, scale]);
  const rows = useMemo(() => valueRows(histograms), [histograms]);
  const limits = useMemo(() => limitsInWords(rows, histograms), [rows, histograms]);
  const view = { low: scale.low, high: scale.high, width };
  const placeOf = (number: number | null): number | null => (number === null ? null : scale.places.get(number) ?? null);
  const [marked, pointed] = [placeOf(step), placeOf(hovered)];
  const theme = themeName.value;
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) {
      draw(canvas.current, { columns, rows, ...view, height: HISTORY_HEIGHT, quantiles, marked, hovered: pointed, colors: colorsOf(canvas.current, theme) }, window.devicePixelRatio || 1);
    }
  }, [columns, rows, scale, width, quantiles, marked, pointed, theme]);
  const ask = (next: Asked | null): void => {
    setAsked(next);
    onHover(next === null ? null : columns[next.column]?.step ?? null);
  };
  const askAt = (event: PointerEvent): void => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const column = nearest(columns, view, x);
    column !== null && ask({ column, y: event.clientY - bounds.top });
  };
  const current = asked?.column ?? nearestStep(columns, step);
  const shown = columns[current];
  const onKey = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: columns.length - 1 }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (next !== undefined) {
      const column = Math.max(0, Math.min(columns.length - 1, next));
      ask(columns[column] === undefined ? null : { column, y: null });
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
  if (columns.length === 0) {
    return <div class="history"><p class="soft" data-testid="history-empty">{scale.axis === "epoch" ? "No epochs are known." : "No times are known."}</p></div>;
  }
  const words = shown === undefined ? [] : [`Step ${shown.step}${scale.axis === "step" ? "" : `, ${scale.axis === "epoch" ? "epoch" : "after"} ${placeInWords(shown.place, scale.axis)}`}`, ...histogramInWords(shown.histogram, isMerged)];
  return (
    <div class="history">
      <div
        class="history-plot"
        data-testid="history"
        data-record={`${record.group}/${record.iteration}/${record.name}`}
        data-type={record.type}
        data-columns={columns.length}
        data-rows={rows.count}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={columns.length - 1}
        aria-valuenow={current}
        aria-valuetext={words.join(" ")}
        style={{ height: `${HISTORY_HEIGHT}px` }}
        onPointerMove={askAt}
        onPointerLeave={() => ask(null)}
        onBlur={() => ask(null)}
        onKeyDown={onKey}
        onClick={(event) => {
          const column = nearest(columns, view, event.clientX - event.currentTarget.getBoundingClientRect().left);
          column !== null && store.goToStep(columns[column]!.step);
        }}
      >
        <canvas ref={canvas} />
        <span class="history-limit" aria-hidden="true">{limits.high}</span>
        <span class="history-limit at-bottom" aria-hidden="true">{limits.low}</span>
        {asked !== null && shown !== undefined && (
          <div class="history-words" style={besidePlot(canvas.current)} data-testid="history-words" aria-hidden="true">
            <strong>{words[0]}</strong>
            {asked.y !== null && rowAt(columns, rows.count, asked.y) !== null && <span>{rowInWords(rows, shown.histogram, rowAt(columns, rows.count, asked.y)!)}</span>}
            {words.slice(1).map((sentence) => <span key={sentence}>{sentence}</span>)}
          </div>
        )}
      </div>
    </div>
  );
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

function columnsOf(record: HistogramRecord, histograms: readonly StepHistogram[], { places }: TimeScale): Column[] {
  const columns = record.steps.flatMap((step, k): Column[] => {
    const place = places.get(step);
    return place === undefined ? [] : [{ step, place, histogram: histograms[k]! }];
  });
  return columns.sort((a, b) => a.place - b.place);
}

/** The column that is under the pointer. */
function nearest(columns: readonly Column[], view: { low: number; high: number; width: number }, x: number): number | null {
  let found: number | null = null;
  let least = Infinity;
  spansOf(columns, view).forEach((span, k) => {
    const distance = x >= span.start && x < span.end ? Math.abs(x - (span.start + span.end) / 2) / 1e6 : Math.min(Math.abs(x - span.start), Math.abs(x - span.end));
    if (distance < least) {
      [found, least] = [k, distance];
    }
  });
  return found;
}

/** The column of a step, or of the one that is nearest to it. */
function nearestStep(columns: readonly Column[], step: number): number {
  return columns.reduce((best, column, k) => (Math.abs(column.step - step) < Math.abs(columns[best]!.step - step) ? k : best), 0);
}

/** The row at a height; null beside the rows. */
function rowAt(columns: readonly Column[], rows: number, y: number): number | null {
  const { top, bottom } = strips(columns, HISTORY_HEIGHT);
  return y < top || y >= bottom ? null : Math.min(rows - 1, Math.floor(((y - top) / (bottom - top)) * rows));
}
