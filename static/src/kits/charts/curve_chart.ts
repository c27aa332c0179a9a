/** One chart, drawn by uPlot; the markers are ours. */

import uPlot from "uplot";
import { stepLabel } from "../../data/format/steps";
import { logarithmicLines, scaleOf, ticksOf, tickTexts } from "../../ui/figure/scale";
import { elided } from "../../ui/text/format";
import { themeColor } from "../../ui/theme";
import type { ChartData } from "./chart_data";
import { nearestPoint, type StyledCurve } from "./curve_data";
import { drawDense, isDense } from "./dense_curve";
import { curveColor, drawBand, drawMarkedTime, drawMarkers, drawOutside, drawStepMarks } from "./draw_points";
import type { StepMarks } from "./step_marks";
import { straightPath } from "./straight_path";
import { areOnlyEvaluations, timeTicks } from "./time_text";
import { type ValueAxis, valueAxis } from "./value_range";

/** The times between which a chart is zoomed; null: it shows them all. */
export type TimeRange = readonly [number, number] | null;

/** What the axes measure. */
export interface AxisLabels {
  x: string;
  y: string;
}

interface ChartOptions {
  curves: readonly StyledCurve[];
  data: ChartData;
  visible: readonly boolean[];
  logarithmic: boolean;
  /** Whether the axis of values reaches to outliers too. */
  full: boolean;
  labels: AxisLabels;
  width: number;
  height: number;
  /** The time that a line marks, or null, and marks of steps. Asked whenever the chart is drawn. */
  marked: () => number | null;
  marks: () => StepMarks | null;
  /** The time under the pointer, or null. */
  onHover: (time: number | null) => void;
  onZoom: (range: TimeRange) => void;
  /** The place of the plot, after each drawing. */
  onDraw: (plot: Plot) => void;
  /** How many points lie outside the axis of values. */
  onOutside: (count: number) => void;
  /** The time of a point that was clicked, and the curve that is near, if there is one. */
  onPick: (time: number, curve: number | null) => void;
}

/** The area of a chart within its axes, and from which time to which it reaches. */
export interface Plot {
  element: HTMLElement;
  width: number;
  low: number;
  high: number;
}

export function isSamePlot(before: Plot | null, after: Plot): boolean {
  return before?.element === after.element && before.width === after.width && before.low === after.low && before.high === after.high;
}

/** How wide a letter of the name of an axis is at most, in pixels. */
const LETTER = 7;
const LABEL_SIZE = 22;
const FONT = "12px system-ui, sans-serif";
const X_AXIS_SIZE = 34;
/** A tick of a logarithmic axis has about this room, in pixels. */
const TICK_ROOM = 36;
/** The name of an evaluation has this room, in pixels. */
const EVALUATION_ROOM = 110;
/** A curve is near that is no further from the pointer than this. */
const NEAR = 40;
/** A pointer that moves further than this between pressing and releasing drags. */
const CLICK_DISTANCE = 4;

export function createChart(element: HTMLElement, options: ChartOptions): uPlot {
  const { curves, data, visible, logarithmic, labels, onHover, onZoom } = options;
  let outside = 0;
  const range = (self: uPlot): uPlot.Range.MinMax => {
    const axis = axisOfValues(self, options);
    outside = axis.outside;
    options.onOutside(outside);
    return [axis.scale.low, axis.scale.high];
  };
  const axis: uPlot.Axis = {
    stroke: themeColor("text-soft"),
    grid: { stroke: themeColor("grid"), width: 1 },
    ticks: { stroke: themeColor("grid"), width: 1 },
    font: FONT,
    labelFont: FONT,
    labelSize: LABEL_SIZE,
    values: (_, ticks) => tickTexts(ticks),
  };
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      // The last tick is at the edge.
      ...(areOnlyEvaluations(...endsOf(data)) && { padding: [null, EVALUATION_ROOM / 2, null, null] }),
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false },
        bind: {
          mousedown: (self, _, zoom) => (event) => {
            if (event.shiftKey) {
              startMoving(self, event, data);
            } else {
              zoom(event);
            }
            return null;
          },
        },
      },
      scales: { x: TIME_SCALE, y: { distr: logarithmic ? 3 : 1, range } },
      axes: [
        { ...axis, label: labels.x, size: X_AXIS_SIZE, ...axisOfTimes(data) },
        { ...axis, label: elided(labels.y, longestLabel(options.height)), size: 72, ...(logarithmic && LOGARITHMIC_AXIS) },
      ],
      series: [
        {},
        ...curves.map((curve, k) => ({
          show: visible[k] ?? true,
          stroke: curveColor(curve.style.color),
          width: curve.style.width,
          dash: [...curve.style.dash],
          points: { show: false },
          // The axis of values knows its range by itself.
          auto: false,
          paths: (self: uPlot, number: number, first: number, last: number) =>
            curve.marksOnly || isDense(self, curve) ? null : straightPath(self, data.values[number - 1]!, first, last),
        })),
      ],
      hooks: {
        ready: [(self) => listenForClicks(self, curves, options.onPick)],
        // Areas lie beneath lines.
        drawAxes: [(self) => drawDense(self, curves, data), (self) => drawMarkedTime(self, options.marked())],
        drawSeries: [(self, number) => number > 0 && drawBand(self, curves[number - 1]!)],
        draw: [
          (self) => drawMarkers(self, curves, data),
          (self) => outside > 0 && drawOutside(self, curves),
          (self) => drawStepMarks(self, options.marks() ?? NO_MARKS),
          (self) =>
            options.onDraw({ element: self.over, width: self.over.clientWidth, low: self.scales.x!.min!, high: self.scales.x!.max! }),
        ],
        setCursor: [(self) => onHover(self.cursor.idx == null ? null : (self.data[0][self.cursor.idx] ?? null))],
        setScale: [(self, key) => key === "x" && onZoom(shownRange(self, data))],
      },
    },
    [data.times, ...data.values] as uPlot.AlignedData,
    element,
  );
}

function endsOf({ times }: ChartData): [first: number, last: number] {
  return [times[0] ?? 0, times.at(-1) ?? 0];
}

/** Rounding puts a tick a little before the evaluations before training: it has no text. */
function axisOfTimes(data: ChartData): uPlot.Axis {
  const [first, last] = endsOf(data);
  return areOnlyEvaluations(first, last)
    ? {
        splits: (self, _, low, high) =>
          timeTicks(Math.max(first, low), Math.min(last, high), Math.max(2, self.width / EVALUATION_ROOM)).map(({ value }) => value),
        values: (_, ticks) => ticks.map(stepLabel),
      }
    : {
        // A single step is in the middle, and has the only tick.
        ...(first === last && { splits: () => [first] }),
        values: (_, ticks) => tickTexts(ticks).map((text, k) => (ticks[k]! < first ? "" : text)),
      };
}

/** The name of the axis of values is as long as the axis, at most. */
function longestLabel(height: number): number {
  return Math.floor((height - X_AXIS_SIZE - LABEL_SIZE) / LETTER);
}

/** A single step has room on both sides. */
const TIME_SCALE: uPlot.Scale = {
  time: false,
  range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]),
};

const NO_MARKS: StepMarks = { findings: [], triggered: [] };

const LOGARITHMIC_AXIS: uPlot.Axis = {
  splits: (self, _, low, high) => logarithmicLines(scaleOf(low, high, true), mostTicks(self)),
  filter: (_, splits) => splits,
  values: (self, splits) => {
    const { min, max } = self.scales.y!;
    const ticks = ticksOf(scaleOf(min!, max!, true), mostTicks(self));
    const texts = tickTexts(ticks);
    return splits.map((value) => texts[ticks.indexOf(value)] ?? "");
  },
};

function mostTicks(self: uPlot): number {
  return Math.max(2, Math.floor((self.height - X_AXIS_SIZE - LABEL_SIZE) / TICK_ROOM));
}

/** The axis of the visible curves between the times that are shown. */
function axisOfValues(self: uPlot, { curves, logarithmic, full }: ChartOptions): ValueAxis {
  const { min: from = -Infinity, max: to = Infinity } = self.series[0]!;
  const shown = curves.filter((_, k) => self.series[k + 1]?.show === true);
  return valueAxis(shown, [from, to], logarithmic, full);
}

function shownRange(self: uPlot, { times }: ChartData): TimeRange {
  const { min, max } = self.scales.x ?? {};
  const [first, last] = [times[0], times[times.length - 1]];
  return min != null && max != null && first !== undefined && last !== undefined && (min > first || max < last) ? [min, max] : null;
}

/** Zooms a chart to a range that it does not show already. */
export function showRange(chart: uPlot, data: ChartData, range: TimeRange): void {
  const shown = shownRange(chart, data);
  if (range === null && shown !== null) {
    chart.setData([data.times, ...data.values] as uPlot.AlignedData, true);
  } else if (range !== null && (shown?.[0] !== range[0] || shown[1] !== range[1])) {
    chart.setScale("x", { min: range[0], max: range[1] });
  }
}

/** Moves the times that are shown with the pointer, as far as there are points, until it is released. */
function startMoving(self: uPlot, { button, clientX }: MouseEvent, { times }: ChartData): void {
  const { min, max } = self.scales.x ?? {};
  const [first, last] = [times[0], times[times.length - 1]];
  if (button !== 0 || min == null || max == null || first === undefined || last === undefined) {
    return;
  }
  const perPixel = (max - min) / self.over.clientWidth;
  const move = (event: MouseEvent): void => {
    const by = Math.max(first - min, Math.min(last - max, (clientX - event.clientX) * perPixel));
    self.setScale("x", { min: min + by, max: max + by });
  };
  document.addEventListener("mousemove", move);
  document.addEventListener("mouseup", () => document.removeEventListener("mousemove", move), { once: true });
}

/** Tells a click from a drag that zooms. */
function listenForClicks(self: uPlot, curves: readonly StyledCurve[], onPick: ChartOptions["onPick"]): void {
  let pressed: number | null = null;
  self.over.addEventListener("mousedown", (event) => (pressed = event.button === 0 ? event.clientX : null));
  self.over.addEventListener("mouseup", (event) => {
    const time = self.cursor.idx == null ? undefined : self.data[0][self.cursor.idx];
    if (pressed !== null && Math.abs(event.clientX - pressed) < CLICK_DISTANCE && time !== undefined) {
      onPick(time, nearestCurve(self, curves, time));
    }
    pressed = null;
  });
}

/** The visible curve whose point nearest to a time is nearest to the pointer; null where none is near. */
function nearestCurve(self: uPlot, curves: readonly StyledCurve[], time: number): number | null {
  let nearest: number | null = null;
  let least = NEAR;
  curves.forEach(({ t, v }, k) => {
    const value = v[nearestPoint(t, time)];
    if (self.series[k + 1]?.show === true && value !== undefined) {
      const distance = Math.abs(self.valToPos(value, "y") - (self.cursor.top ?? -Infinity));
      if (distance < least) {
        [nearest, least] = [k, distance];
      }
    }
  });
  return nearest;
}

/** What the axes of a chart measure. */
export function labelsOf(quantity = "value", logarithmic = false): AxisLabels {
  return { x: "step", y: logarithmic ? `${quantity} (logarithmic)` : quantity };
}
