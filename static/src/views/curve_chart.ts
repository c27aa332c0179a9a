/** One chart, drawn by uPlot; the markers are ours. */

import uPlot from "uplot";
import { chartData, type ChartData, type StyledCurve } from "./curve_data";
import { brief } from "./format";
import { drawMarker } from "./markers";
import { themeColor } from "./theme";

export interface ChartOptions {
  curves: readonly StyledCurve[];
  visible: readonly boolean[];
  logarithmic: boolean;
  width: number;
  /** The time under the pointer, or null. */
  onHover: (time: number | null) => void;
  onZoom: (zoomed: boolean) => void;
}

const HEIGHT = 280;
const MARKER_RADIUS = 3.5;
/** Markers of a curve are at least this far apart; the line between them has all points. */
const MARKER_DISTANCE = 18;

/** Colour of a curve by its number. */
export function curveColor(number: number): string {
  return themeColor(`curve-${number}`);
}

export function createChart(element: HTMLElement, options: ChartOptions): { chart: uPlot; data: ChartData } {
  const { curves, visible, logarithmic, onHover, onZoom } = options;
  const data = chartData(curves, logarithmic);
  const axis: uPlot.Axis = {
    stroke: themeColor("text-soft"),
    grid: { stroke: themeColor("grid"), width: 1 },
    ticks: { stroke: themeColor("grid"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  const chart = new uPlot(
    {
      width: options.width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: logarithmic ? { distr: 3, range: logarithmicRange } : {} },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(brief) },
        { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : brief(tick))) },
      ],
      series: [
        {},
        ...curves.map((curve, k) => ({
          show: visible[k] ?? true,
          stroke: curveColor(curve.style.color),
          width: 1.75,
          dash: [...curve.style.dash],
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(self) => drawMarkers(self, curves, data)],
        setCursor: [(self) => onHover(self.cursor.idx == null ? null : self.data[0][self.cursor.idx] ?? null)],
        setScale: [(self, key) => key === "x" && onZoom(isZoomed(self, data))],
      },
    },
    [data.times, ...data.values] as uPlot.AlignedData,
    element,
  );
  return { chart, data };
}

/** A range for a logarithmic axis even where there is nothing positive to show. */
function logarithmicRange(self: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  return low === null || high === null || low <= 0 ? [0.1, 10] : uPlot.rangeLog(low, high, self.scales["y"]?.log ?? 10, false);
}

function isZoomed(self: uPlot, data: ChartData): boolean {
  const { min, max } = self.scales["x"] ?? {};
  const [first, last] = [data.times[0], data.times[data.times.length - 1]];
  return min != null && max != null && first !== undefined && last !== undefined && (min > first || max < last);
}

export function resetZoom(chart: uPlot, data: ChartData): void {
  const [first, last] = [data.times[0], data.times[data.times.length - 1]];
  if (first !== undefined && last !== undefined) {
    chart.setData([data.times, ...data.values] as uPlot.AlignedData, true);
  }
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
  curves.forEach((curve, k) => {
    if (self.series[k + 1]?.show !== true) {
      return;
    }
    context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
    let lastX = -Infinity;
    data.times.forEach((time, place) => {
      const value = data.values[k]?.[place];
      if (value != null) {
        const x = self.valToPos(time, "x", true);
        if (x - lastX >= MARKER_DISTANCE * ratio) {
          drawMarker(context, curve.style.marker, x, self.valToPos(value, "y", true), MARKER_RADIUS * ratio, background);
          lastX = x;
        }
      }
    });
  });
  drawNonFinite(self, curves, data, ratio);
  context.restore();
}

/** NaN and infinities have no height: they stand at the lower and the upper edge, as words. */
function drawNonFinite(self: uPlot, curves: readonly StyledCurve[], data: ChartData, ratio: number): void {
  const context = self.ctx;
  const { top, height } = self.bbox;
  context.font = `bold ${11 * ratio}px system-ui, sans-serif`;
  context.textAlign = "center";
  for (const { curve, t, v } of data.nonFinite) {
    const style = curves[curve]?.style;
    if (style === undefined || self.series[curve + 1]?.show !== true) {
      continue;
    }
    const x = self.valToPos(t, "x", true);
    const above = v === Infinity;
    const y = above ? top + 4 * ratio : top + height - 4 * ratio;
    context.fillStyle = context.strokeStyle = curveColor(style.color);
    drawMarker(context, Number.isNaN(v) ? 11 : above ? 2 : 4, x, y, 5 * ratio, "");
    context.textBaseline = above ? "top" : "bottom";
    context.fillText(brief(v), x, above ? y + 7 * ratio : y - 7 * ratio);
  }
}
