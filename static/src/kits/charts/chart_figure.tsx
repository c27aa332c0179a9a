/** A chart with its legend, given its curves; what is zoomed, pointed at and hidden belongs to whoever shows it. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { COLOR_COUNT } from "../../state/tab_options/curve_options";
import { FigureButtons } from "../../ui/figure/buttons";
import type { Figure } from "../../ui/figure/figure";
import type { Place } from "../../ui/figure/figure_registry";
import { counted } from "../../ui/text/format";
import { themeName, withPaperColors } from "../../ui/theme";
import { type ChartData, chartData, notPositiveOf } from "./chart_data";
import { type AxisLabels, createChart, type Plot, showRange, type TimeRange } from "./curve_chart";
import { detailOf, nearestPoint, type StyledCurve, valueInWords } from "./curve_data";
import { curvesDrawing } from "./curve_figure";
import { CurveLegend, sidesRemark } from "./curve_legend";
import type { StepMarks } from "./step_marks";
import { timeText } from "./time_text";
import { useKeys } from "./use_keys";

interface Props {
  /** What the figure is called in the page. */
  name: string;
  label: string;
  /** What a screen reader says in place of the picture. */
  description: string;
  curves: readonly StyledCurve[];
  visible: readonly boolean[];
  logarithmic: boolean;
  /** Whether the axis of values reaches to outliers too. */
  full?: boolean;
  /** What the values are. */
  quantity?: string;
  height: number;
  /** Times that the axis covers in any case. */
  extent?: readonly number[];
  /** The time that a line marks. */
  marked?: number | null;
  marks?: StepMarks;
  /** Without a pointer, the legend has the values at this time, and not the last ones. */
  valuesAt?: number;
  range: TimeRange;
  hovered: number | null;
  onToggle: (curve: number) => void;
  onRange: (range: TimeRange) => void;
  onHover: (time: number | null) => void;
  /** Told the time of a point that is chosen, and the curve where the pointer is near one. */
  onPick: (time: number, curve: number | null) => void;
  /** What choosing a time would do. */
  wordsAt?: (time: number) => string;
  onDraw?: (plot: Plot) => void;
  /** What a figure of the chart says of it; the chart adds what it shows. */
  caption: () => Caption;
  /** The figure's place on paper, if it is printed from here. */
  place?: Place;
  /** Above the chart. */
  children: ComponentChildren;
  /** Below it. */
  below?: ComponentChildren;
}

export type Caption = Omit<Figure, "drawing" | "remarks">;

const NO_TIMES: readonly number[] = [];

/** So many curves have their values in the words about a time. */
const SAID = 6;

export function ChartFigure(props: Props) {
  const { name, label, description, curves, visible, logarithmic, range, hovered, extent = NO_TIMES, wordsAt } = props;
  const data = useMemo(() => chartData(curves, extent), [curves, extent]);
  const notPositive = useMemo(() => (logarithmic ? notPositiveOf(curves) : 0), [curves, logarithmic]);
  const [outside, setOutside] = useState(0);
  const { frame, chart } = useChart(props, data, setOutside);
  const { place, onKeyDown } = useKeys(props, data.times, chart);
  const remarks = remarksOf(props, data, { notPositive, outside });
  const makeFigure = (): Figure => {
    const { facts, ...caption } = props.caption();
    const zoom = props.range === null ? [] : [["steps", `${timeText(props.range[0])} to ${timeText(props.range[1])}`] as const];
    return {
      ...caption,
      facts: [...facts, ...zoom],
      remarks: [...sidesRemark(curves), ...remarks].map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
      drawing: drawingOf(props, extent),
    };
  };
  const hint = range === null ? "Drag to zoom" : "Drag to zoom further, Shift-drag to move";
  return (
    <figure class="chart" data-testid="chart" data-group={name} aria-label={label}>
      <figcaption class="page-bar">
        {props.children}
        <span class="soft chart-notes">
          {[
            ...(hovered === null ? [hint] : [`at ${timeText(hovered)}`, ...(wordsAt === undefined ? [] : [wordsAt(hovered)])]),
            ...remarks,
          ].join("; ")}
        </span>
        <FigureButtons name={label} {...(props.place !== undefined && { place: props.place })} make={makeFigure} />
      </figcaption>
      <div
        ref={frame}
        class="chart-frame"
        role="slider"
        tabIndex={0}
        data-arrow-keys
        aria-label={description}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, data.times.length - 1)}
        aria-valuenow={place}
        aria-valuetext={hovered === null ? description : spoken(props, hovered)}
        onKeyDown={onKeyDown}
      />
      <CurveLegend curves={curves} visible={visible} time={hovered ?? props.valuesAt ?? null} onToggle={props.onToggle} />
      {props.below}
    </figure>
  );
}

/** What the chart does not show as it is. */
function remarksOf(
  { curves, visible, full }: Props,
  data: ChartData,
  { notPositive, outside }: { notPositive: number; outside: number },
): string[] {
  const inBands = curves.reduce((sum, { band }, k) => sum + (visible[k] ? (band?.notFinite ?? 0) : 0), 0);
  return [
    ...(notPositive > 0 ? [`${counted(notPositive, "value")} of zero or less not shown`] : []),
    ...(data.nonFinite.some((places) => places.length > 0) ? ["NaN and infinities are marked at the edges"] : []),
    ...(inBands > 0 ? [`${counted(inBands, "value")} of curves in bands ${inBands === 1 ? "is" : "are"} NaN or infinite`] : []),
    ...(outside > 0 && full !== true ? [`${counted(outside, "point")} outside this range, at the triangles`] : []),
    ...(data.absent > 0 ? ["gaps: no gradient"] : []),
  ];
}

/** A time in words, with what the visible curves are there. */
function spoken({ curves, visible, wordsAt }: Props, time: number): string {
  const shown = curves.filter((_, k) => visible[k]);
  const values = shown
    .slice(0, SAID)
    .map((curve) => `${curve.name} ${detailOf(curve)} ${valueInWords(curve, nearestPoint(curve.t, time))}`);
  const more = shown.length > SAID ? [`and ${counted(shown.length - SAID, "more curve")}`] : [];
  return [`At ${timeText(time)}: ${[...values, ...more].join(", ")}`, ...(wordsAt === undefined ? [] : [wordsAt(time)])].join(". ");
}

/** The chart in the colours of paper. */
function drawingOf(
  { curves, visible, logarithmic, full = false, range, marked = null, marks, quantity }: Props,
  extent: readonly number[],
): Figure["drawing"] {
  return curvesDrawing({
    curves,
    visible,
    logarithmic,
    full,
    range,
    extent,
    marked,
    marks,
    labels: labelsOf(quantity, logarithmic),
    colorOf: paperCurveColors(),
  });
}

/** What the axes of a chart measure. */
export function labelsOf(quantity = "value", logarithmic = false): AxisLabels {
  return { x: "training step", y: logarithmic ? `${quantity} (logarithmic)` : quantity };
}

/** Colours of curves by their numbers. */
export function paperCurveColors(): (number: number) => string {
  const colors = withPaperColors((color) => Array.from({ length: COLOR_COUNT }, (_, k) => color(`curve-${k}`)));
  return (number) => colors[number % COLOR_COUNT]!;
}

/** Draws the chart anew when its data or the theme changes, and as wide as there is room; everything else changes what is drawn. */
function useChart(props: Props, data: ChartData, onOutside: (count: number) => void) {
  const { visible, logarithmic, marked = null, marks = null, range, height, full = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = themeName.value;
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) {
      return undefined;
    }
    const { curves, quantity } = latest.current;
    const created = createChart(element, {
      curves,
      data,
      visible: latest.current.visible,
      logarithmic,
      full,
      labels: labelsOf(quantity, logarithmic),
      width: element.clientWidth,
      height,
      marked: () => latest.current.marked ?? null,
      marks: () => latest.current.marks ?? null,
      onOutside,
      onHover: (time) => time !== latest.current.hovered && latest.current.onHover(time),
      // What is drawn anew is zoomed as before.
      onZoom: (shown) => chart.current === created && latest.current.onRange(shown),
      onDraw: (plot) => latest.current.onDraw?.(plot),
      onPick: (time, curve) => latest.current.onPick(time, curve),
    });
    chart.current = created;
    showRange(created, data, latest.current.range);
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== created.width) {
        created.setSize({ width: element.clientWidth, height: created.height });
      }
    });
    observer.observe(element);
    return () => {
      chart.current = null;
      observer.disconnect();
      created.destroy();
    };
  }, [data, logarithmic, theme, height, full]);
  useLayoutEffect(() => {
    visible.forEach((show, k) => {
      if (chart.current !== null && chart.current.series[k + 1]?.show !== show) {
        chart.current.setSeries(k + 1, { show });
      }
    });
  }, [visible]);
  useLayoutEffect(() => chart.current?.redraw(false), [marked, marks]);
  useLayoutEffect(() => {
    if (chart.current !== null) {
      showRange(chart.current, data, range);
    }
  }, [range]);
  return { frame, chart };
}
