/** A chart with its legend, given its curves; what is zoomed, pointed at and hidden belongs to whoever shows it. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { FigureButtons } from "../../ui/figure/buttons";
import type { Figure } from "../../ui/figure/figure";
import type { Place } from "../../ui/figure/figure_registry";
import { brief, counted } from "../../ui/text/format";
import { themeName, withPaperColors } from "../../ui/theme";
import { createChart, type Plot, showRange, type TimeRange } from "./curve_chart";
import { type ChartData, COLOR_COUNT, chartData, type StyledCurve } from "./curve_data";
import { curvesDrawing } from "./curve_figure";
import { CurveLegend, sidesRemark } from "./curve_legend";

interface Props {
  /** What the figure is called in the page. */
  name: string;
  label: string;
  /** What a screen reader says in place of the picture. */
  description: string;
  curves: readonly StyledCurve[];
  visible: readonly boolean[];
  logarithmic: boolean;
  height: number;
  /** Times that the axis covers in any case. */
  extent?: readonly number[];
  /** The time that a line marks. */
  marked?: number | null;
  range: TimeRange;
  hovered: number | null;
  onToggle: (curve: number) => void;
  onRange: (range: TimeRange) => void;
  onHover: (time: number | null) => void;
  onPick?: (time: number) => void;
  onDraw?: (plot: Plot) => void;
  /** What a figure of the chart says of it; the chart adds what it shows. */
  caption: () => Caption;
  /** The figure's place on paper, if it is printed from here. */
  place?: Place;
  /** Above the chart. */
  children: ComponentChildren;
}

export type Caption = Omit<Figure, "drawing" | "remarks">;

const NO_TIMES: readonly number[] = [];

export function ChartFigure(props: Props) {
  const { name, label, description, curves, visible, logarithmic, range, hovered, marked = null, extent = NO_TIMES } = props;
  const data = useMemo(() => chartData(curves, logarithmic, extent), [curves, logarithmic, extent]);
  const frame = useChart(props, data);
  const notes = [
    ...(data.notPositive > 0 ? [`${counted(data.notPositive, "value")} of zero or less not shown`] : []),
    ...(data.nonFinite.some((places) => places.length > 0) ? ["NaN and infinities are marked at the edges"] : []),
    ...(data.absent > 0 ? ["gaps: no gradient"] : []),
  ];
  const makeFigure = (): Figure => {
    const { facts, ...caption } = props.caption();
    const zoom = props.range === null ? [] : [["steps", `${brief(props.range[0])} to ${brief(props.range[1])}`] as const];
    return {
      ...caption,
      facts: [...facts, ...zoom],
      remarks: [...sidesRemark(curves), ...notes].map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
      drawing: drawingOf(props, extent),
    };
  };
  return (
    <figure class="chart" data-testid="chart" data-group={name} aria-label={label}>
      <figcaption class="page-bar">
        {props.children}
        <span class="soft chart-notes">
          {[
            hovered === null ? (range === null ? "Drag to zoom" : "Drag to zoom further, Shift-drag to move") : `at ${brief(hovered)}`,
            ...notes,
          ].join("; ")}
        </span>
        <FigureButtons name={label} {...(props.place !== undefined && { place: props.place })} make={makeFigure} />
      </figcaption>
      <div ref={frame} class="chart-frame" role="img" aria-label={description} />
      <CurveLegend curves={curves} visible={visible} time={hovered ?? marked} onToggle={props.onToggle} />
    </figure>
  );
}

/** The chart in the colours of paper. */
function drawingOf(
  { curves, visible, logarithmic, range, marked = null }: Pick<Props, "curves" | "visible" | "logarithmic" | "range" | "marked">,
  extent: readonly number[],
): Figure["drawing"] {
  return curvesDrawing({
    curves,
    visible,
    logarithmic,
    range,
    extent,
    marked,
    labels: { x: "training step", y: logarithmic ? "value (logarithmic)" : "value" },
    colorOf: paperCurveColors(),
  });
}

/** Colours of curves by their numbers. */
export function paperCurveColors(): (number: number) => string {
  const colors = withPaperColors((color) => Array.from({ length: COLOR_COUNT }, (_, k) => color(`curve-${k}`)));
  return (number) => colors[number % COLOR_COUNT]!;
}

/** Draws the chart anew when its data or the theme changes, and as wide as there is room; everything else changes what is drawn. */
function useChart(props: Props, data: ChartData) {
  const { visible, marked = null, range, height } = props;
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
    const { curves, logarithmic } = latest.current;
    const created = createChart(element, {
      curves,
      data,
      visible: latest.current.visible,
      logarithmic,
      width: element.clientWidth,
      height,
      marked: () => latest.current.marked ?? null,
      onHover: (time) => time !== latest.current.hovered && latest.current.onHover(time),
      // What is drawn anew is zoomed as before.
      onZoom: (shown) => chart.current === created && latest.current.onRange(shown),
      onDraw: (plot) => latest.current.onDraw?.(plot),
      onPick: (time) => latest.current.onPick?.(time),
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
  }, [data, theme, height]);
  useLayoutEffect(() => {
    visible.forEach((show, k) => {
      if (chart.current !== null && chart.current.series[k + 1]?.show !== show) {
        chart.current.setSeries(k + 1, { show });
      }
    });
  }, [visible]);
  useLayoutEffect(() => chart.current?.redraw(false), [marked]);
  useLayoutEffect(() => {
    if (chart.current !== null) {
      showRange(chart.current, data, range);
    }
  }, [range]);
  return frame;
}
