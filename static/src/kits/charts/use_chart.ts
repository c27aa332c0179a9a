/** The plot of a chart, which is drawn anew when its data change. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { themeName } from "../../ui/theme";
import type { ChartData } from "./chart_data";
import { createChart, labelsOf, type Plot, showRange, type TimeRange } from "./curve_chart";
import type { StyledCurve } from "./curve_data";
import type { StepMarks } from "./step_marks";

/** What a chart shows. */
export interface ShownCurves {
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
}

/** What a chart calls. */
export interface ChartActions {
  onToggle: (curve: number) => void;
  onRange: (range: TimeRange) => void;
  onHover: (time: number | null) => void;
  /** Gets the time of a point that is chosen, and the curve if the pointer is near it. */
  onPick: (time: number, curve: number | null) => void;
  onDraw?: (plot: Plot) => void;
}

export const NO_TIMES: readonly number[] = [];

/** Draws the chart anew when its data or the theme changes, and as wide as there is room; everything else changes what is drawn. */
export function useChart(shown: ShownCurves, actions: ChartActions, data: ChartData, onOutside: (count: number) => void) {
  const { visible, logarithmic, marked = null, marks = null, range, height, full = false } = shown;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef({ ...shown, ...actions });
  latest.current = { ...shown, ...actions };
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
      onZoom: (zoomed) => chart.current === created && latest.current.onRange(zoomed),
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
