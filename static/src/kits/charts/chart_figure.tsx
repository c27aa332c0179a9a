/** A chart with its legend, given its curves; what is zoomed, pointed at and hidden belongs to whoever shows it. */

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { COLOR_COUNT } from "../../state/tab_options/curve_options";
import { FigureButtons } from "../../ui/figure/buttons";
import type { Figure } from "../../ui/figure/figure";
import type { Place } from "../../ui/figure/figure_registry";
import { counted } from "../../ui/text/format";
import { withPaperColors } from "../../ui/theme";
import { type ChartData, chartData, notPositiveOf } from "./chart_data";
import { labelsOf } from "./curve_chart";
import { detailOf, nearestPoint, valueInWords } from "./curve_data";
import { curvesDrawing } from "./curve_figure";
import { CurveLegend, sidesRemark } from "./curve_legend";
import { timeText } from "./time_text";
import { type ChartActions, NO_TIMES, type ShownCurves, useChart } from "./use_chart";
import { useKeys } from "./use_keys";

/** What a chart says of itself. */
export interface ChartWords {
  /** What the figure is called in the page. */
  name: string;
  label: string;
  /** What a screen reader says in place of the picture. */
  description: string;
  /** What choosing a time would do. */
  wordsAt?: (time: number) => string;
  /** What a figure of the chart says of it; the chart adds what it shows. */
  caption: () => Caption;
}

interface Props {
  shown: ShownCurves;
  words: ChartWords;
  actions: ChartActions;
  /** The figure's place on paper, if it is printed from here. */
  place?: Place;
  /** Whether the legend is above the chart, where it is in sight, instead of below. */
  isLegendFirst?: boolean;
  /** Above the chart. */
  children: ComponentChildren;
  /** Below it. */
  below?: ComponentChildren;
}

export type Caption = Omit<Figure, "drawing" | "remarks">;

/** So many curves have their values in the words about a time. */
const SAID = 6;

export function ChartFigure({ shown, words, actions, place: onPaper, isLegendFirst = false, children, below }: Props) {
  const { curves, visible, logarithmic, range, hovered, extent = NO_TIMES } = shown;
  const { name, label, description, wordsAt } = words;
  const data = useMemo(() => chartData(curves, extent), [curves, extent]);
  const notPositive = useMemo(() => (logarithmic ? notPositiveOf(curves) : 0), [curves, logarithmic]);
  const [outside, setOutside] = useState(0);
  const { frame, chart } = useChart(shown, actions, data, setOutside);
  const { place, onKeyDown } = useKeys({ ...shown, ...actions }, data.times, chart);
  const remarks = remarksOf(shown, data, { notPositive, outside });
  const makeFigure = (): Figure => {
    const { facts, ...caption } = words.caption();
    const zoom = range === null ? [] : [["steps", `${timeText(range[0])} to ${timeText(range[1])}`] as const];
    return {
      ...caption,
      facts: [...facts, ...zoom],
      remarks: [...sidesRemark(curves), ...remarks].map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
      drawing: drawingOf(shown, extent),
    };
  };
  const hint = range === null ? "Drag to zoom" : "Drag to zoom further, Shift-drag to move";
  const legend = <CurveLegend curves={curves} visible={visible} time={hovered ?? shown.valuesAt ?? null} onToggle={actions.onToggle} />;
  return (
    <figure class="chart" data-testid="chart" data-group={name} aria-label={label}>
      <figcaption class="page-bar">
        {children}
        <span class="soft chart-notes">
          {[
            ...(hovered === null ? [hint] : [`at ${timeText(hovered)}`, ...(wordsAt === undefined ? [] : [wordsAt(hovered)])]),
            ...remarks,
          ].join("; ")}
        </span>
        <FigureButtons name={label} {...(onPaper !== undefined && { place: onPaper })} make={makeFigure} />
      </figcaption>
      {isLegendFirst && legend}
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
        aria-valuetext={hovered === null ? description : spoken(shown, wordsAt, hovered)}
        onKeyDown={onKeyDown}
      />
      {!isLegendFirst && legend}
      {below}
    </figure>
  );
}

/** What the chart does not show as it is. */
function remarksOf(
  { curves, visible, full }: ShownCurves,
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
function spoken({ curves, visible }: ShownCurves, wordsAt: ChartWords["wordsAt"], time: number): string {
  const shown = curves.filter((_, k) => visible[k]);
  const values = shown
    .slice(0, SAID)
    .map((curve) => `${curve.name} ${detailOf(curve)} ${valueInWords(curve, nearestPoint(curve.t, time))}`);
  const more = shown.length > SAID ? [`and ${counted(shown.length - SAID, "more curve")}`] : [];
  return [`At ${timeText(time)}: ${[...values, ...more].join(", ")}`, ...(wordsAt === undefined ? [] : [wordsAt(time)])].join(". ");
}

/** The chart in the colours of paper. */
function drawingOf(
  { curves, visible, logarithmic, full = false, range, marked = null, marks, quantity }: ShownCurves,
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

/** Colours of curves by their numbers. */
export function paperCurveColors(): (number: number) => string {
  const colors = withPaperColors((color) => Array.from({ length: COLOR_COUNT }, (_, k) => color(`curve-${k}`)));
  return (number) => colors[number % COLOR_COUNT]!;
}
