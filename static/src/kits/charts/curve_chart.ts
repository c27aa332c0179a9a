/** One chart, drawn by uPlot; the markers are ours. */

import uPlot from "uplot";
import { drawMarker } from "../../ui/figure/markers";
import { brief } from "../../ui/text/format";
import { themeColor } from "../../ui/theme";
import { type ChartData, placeFrom, type StyledCurve } from "./curve_data";
import { drawDense, isDense } from "./dense_curve";

/** The times between which a chart is zoomed; null: it shows them all. */
export type TimeRange = readonly [number, number] | null;

interface ChartOptions {
  curves: readonly StyledCurve[];
  data: ChartData;
  visible: readonly boolean[];
  logarithmic: boolean;
  width: number;
  height: number;
  /** The time that a line marks, or null. Asked whenever the chart is drawn. */
  marked: () => number | null;
  /** The time under the pointer, or null. */
  onHover: (time: number | null) => void;
  onZoom: (range: TimeRange) => void;
  /** The place of the plot, after each drawing. */
  onDraw: (plot: Plot) => void;
  /** The time of a point that was clicked. */
  onPick: (time: number) => void;
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

const LONGEST_TICK = 8;
const MARKER_RADIUS = 3.5;
/** Markers of a curve are at least this far apart; the line between them has all points. */
const MARKER_DISTANCE = 18;
/** Marks without a line are only left out where they would cover each other. */
const MARK_DISTANCE = 3;
/** Words at the edges would cover each other. */
const WORD_DISTANCE = 30;
/** A pointer that moves further than this between pressing and releasing drags. */
const CLICK_DISTANCE = 4;

/** Colour of a curve by its number. */
export function curveColor(number: number): string {
  return themeColor(`curve-${number}`);
}

export function createChart(element: HTMLElement, options: ChartOptions): uPlot {
  const { curves, data, visible, logarithmic, onHover, onZoom } = options;
  const straight = uPlot.paths.linear!();
  const axis: uPlot.Axis = {
    stroke: themeColor("text-soft"),
    grid: { stroke: themeColor("grid"), width: 1 },
    ticks: { stroke: themeColor("grid"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  return new uPlot(
    {
      width: options.width,
      height: options.height,
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
      scales: { x: { time: false }, y: logarithmic ? { distr: 3, range: logarithmicRange } : {} },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(brief) },
        { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : tickText(tick))) },
      ],
      series: [
        {},
        ...curves.map((curve, k) => ({
          show: visible[k] ?? true,
          stroke: curveColor(curve.style.color),
          width: curve.style.width,
          dash: [...curve.style.dash],
          points: { show: false },
          paths: (self: uPlot, number: number, first: number, last: number) =>
            curve.marksOnly || isDense(self, curve) ? null : straight(self, number, first, last),
        })),
      ],
      hooks: {
        ready: [(self) => listenForClicks(self, options.onPick)],
        drawAxes: [(self) => drawMarkedTime(self, options.marked())],
        drawSeries: [(self, number) => drawIfDense(self, curves[number - 1], data.values[number - 1])],
        draw: [
          (self) => drawMarkers(self, curves, data),
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

/** Without zeros behind the point, which leave no room for the exponent. */
function tickText(tick: number): string {
  const text = brief(tick);
  return text.length <= LONGEST_TICK ? text : String(Number(tick.toPrecision(4)));
}

function drawIfDense(self: uPlot, curve: StyledCurve | undefined, values: ChartData["values"][number] | undefined): void {
  if (curve === undefined || values === undefined || !isDense(self, curve)) {
    return;
  }
  const { ctx, bbox } = self;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = curveColor(curve.style.color);
  drawDense(self, curve, values);
  ctx.restore();
}

/** A range for a logarithmic axis even where there is nothing positive to show. */
function logarithmicRange(self: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  return low === null || high === null || low <= 0 ? [0.1, 10] : uPlot.rangeLog(low, high, self.scales.y?.log ?? 10, false);
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
function listenForClicks(self: uPlot, onPick: (time: number) => void): void {
  let pressed: number | null = null;
  self.over.addEventListener("mousedown", (event) => (pressed = event.button === 0 ? event.clientX : null));
  self.over.addEventListener("mouseup", (event) => {
    const time = self.cursor.idx == null ? undefined : self.data[0][self.cursor.idx];
    if (pressed !== null && Math.abs(event.clientX - pressed) < CLICK_DISTANCE && time !== undefined) {
      onPick(time);
    }
    pressed = null;
  });
}

function drawMarkedTime(self: uPlot, time: number | null): void {
  const { min, max } = self.scales.x ?? {};
  if (time === null || min == null || max == null || time < min || time > max) {
    return;
  }
  const { ctx, bbox } = self;
  const x = Math.round(self.valToPos(time, "x", true));
  ctx.save();
  ctx.strokeStyle = themeColor("selected");
  ctx.lineWidth = 2 * (window.devicePixelRatio || 1);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

function drawMarkers(self: uPlot, curves: readonly StyledCurve[], data: ChartData): void {
  const context = self.ctx;
  const { left, top, width, height } = self.bbox;
  const ratio = window.devicePixelRatio || 1;
  const background = themeColor("surface");
  context.save();
  context.beginPath();
  context.rect(left - 16 * ratio, top - 6 * ratio, width + 32 * ratio, height + 12 * ratio);
  context.clip();
  context.lineWidth = 1.5 * ratio;
  // Markers are not dashed, whatever line was drawn last.
  context.setLineDash([]);
  curves.forEach((curve, k) => {
    if (self.series[k + 1]?.show !== true) {
      return;
    }
    context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
    forEachApart(self, curve.t, (curve.marksOnly ? MARK_DISTANCE : MARKER_DISTANCE) * ratio, (place, x) => {
      const value = data.values[k]?.[placeFrom(data.times, curve.t[place]!)];
      if (value == null) {
        return false;
      }
      drawMarker(context, curve.style.marker, x, self.valToPos(value, "y", true), MARKER_RADIUS * ratio, background);
      return true;
    });
  });
  drawNonFinite(self, curves, data, ratio);
  context.restore();
}

/** Goes through the times that are shown, and leaves out those that are closer than `distance` to one for which `draw` said yes. */
function forEachApart(self: uPlot, t: ArrayLike<number>, distance: number, draw: (place: number, x: number) => boolean): void {
  const { left, width } = self.bbox;
  const timeAt = (x: number): number => self.posToVal((x - left) / (window.devicePixelRatio || 1), "x");
  const end = timeAt(left + width + distance);
  let place = placeFrom(t, timeAt(left - distance));
  let lastX = -Infinity;
  while (place < t.length && t[place]! <= end) {
    const x = self.valToPos(t[place]!, "x", true);
    if (x - lastX >= distance && draw(place, x)) {
      lastX = x;
      place = Math.max(place + 1, placeFrom(t, timeAt(x + distance)));
    } else {
      place += 1;
    }
  }
}

/** NaN and infinities have no height: they stand at the lower and the upper edge, as words. */
function drawNonFinite(self: uPlot, curves: readonly StyledCurve[], data: ChartData, ratio: number): void {
  const context = self.ctx;
  const { top, height } = self.bbox;
  context.font = `bold ${11 * ratio}px system-ui, sans-serif`;
  context.textAlign = "center";
  curves.forEach(({ t, v, style }, curve) => {
    const places = data.nonFinite[curve] ?? [];
    if (places.length === 0 || self.series[curve + 1]?.show !== true) {
      return;
    }
    context.fillStyle = context.strokeStyle = curveColor(style.color);
    // Above and below, so that neither hides the other.
    for (const above of [true, false]) {
      const own = places.filter((place) => (v[place] === Infinity) === above);
      forEachApart(
        self,
        own.map((place) => t[place]!),
        WORD_DISTANCE * ratio,
        (place, x) => {
          const value = v[own[place]!]!;
          const y = above ? top + 4 * ratio : top + height - 4 * ratio;
          drawMarker(context, Number.isNaN(value) ? 11 : above ? 2 : 4, x, y, 5 * ratio, "");
          context.textBaseline = above ? "top" : "bottom";
          context.fillText(brief(value), x, above ? y + 7 * ratio : y - 7 * ratio);
          return true;
        },
      );
    }
  });
}
