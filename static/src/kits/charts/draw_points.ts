/** Draws what stands on and around the lines of a chart: markers, bands, what lies outside, and marks of steps. */

import type uPlot from "uplot";
import { drawMarker, drawMarkersAt } from "../../ui/figure/markers";
import { brief } from "../../ui/text/format";
import { themeColor } from "../../ui/theme";
import { type ChartData, nonFiniteRows } from "./chart_data";
import { placeFrom, type StyledCurve } from "./curve_data";
import { drawFinding, drawTriggered, type StepMarks } from "./step_marks";

const MARKER_RADIUS = 3.5;
/** Markers of a curve are at least this far apart; the line between them has all points. */
const MARKER_DISTANCE = 18;
/** So many curves have their markers that close; those of more are further apart, so that they do not cover the lines. */
const CROWD = 12;
/** Marks without a line are only left out where they would cover each other. */
const MARK_DISTANCE = 3;
/** Words at the edges would cover each other. */
const WORD_DISTANCE = 30;
/** Marks of what is not finite stand this far below the upper edge, under those of findings, and their rows are this far apart. */
const NON_FINITE_TOP = 13;
const NON_FINITE_ROW = 26;
/** Markers of what lies outside, and how far they are from the edge. */
const [UP, DOWN] = [2, 4];
const EDGE = 5;
/** How much of its colour a band has. */
const BAND_OPACITY = 0.2;

/** Colour of a curve by its number. */
export function curveColor(number: number): string {
  return themeColor(`curve-${number}`);
}

/** A line across the plot at a time. */
export function drawMarkedTime(self: uPlot, time: number | null): void {
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

/** How far the markers of a line are apart where so many curves are drawn. */
export function markerDistance(curves: number): number {
  return MARKER_DISTANCE * Math.max(1, Math.ceil(curves / CROWD));
}

/** Markers on the points, and words for those that are not finite. */
export function drawMarkers(self: uPlot, curves: readonly StyledCurve[], data: ChartData): void {
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
  const floor = self.scales.y!.distr === 3 ? 0 : -Infinity;
  const distance = markerDistance(curves.filter((_, k) => self.series[k + 1]?.show === true).length);
  curves.forEach((curve, k) => {
    if (self.series[k + 1]?.show !== true) {
      return;
    }
    context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
    const points: [x: number, y: number][] = [];
    forEachApart(self, curve.t, (curve.marksOnly ? MARK_DISTANCE : distance) * ratio, (place, x) => {
      const value = data.values[k]?.[placeFrom(data.times, curve.t[place]!)];
      if (value == null || value <= floor) {
        return false;
      }
      points.push([x, self.valToPos(value, "y", true)]);
      return true;
    });
    for (const apart of curve.marksOnly ? points.map((point) => [point]) : [points]) {
      drawMarkersAt(context, curve.style.marker, apart, MARKER_RADIUS * ratio, background);
    }
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

/** NaN and infinities have no height: they stand at the edges, as red marks, and as words in the colour of their curve. */
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
    for (const { places: own, mark, isAbove, row } of nonFiniteRows(v, places)) {
      const y = isAbove ? top + (NON_FINITE_TOP + NON_FINITE_ROW * row) * ratio : top + height - 4 * ratio;
      context.textBaseline = isAbove ? "top" : "bottom";
      forEachApart(
        self,
        own.map((place) => t[place]!),
        WORD_DISTANCE * ratio,
        (place, x) => {
          context.fillStyle = context.strokeStyle = themeColor("bad");
          drawMarker(context, mark, x, y, 5 * ratio, "");
          context.fillStyle = curveColor(style.color);
          context.fillText(brief(v[own[place]!]!), x, isAbove ? y + 7 * ratio : y - 7 * ratio);
          return true;
        },
      );
    }
  });
}

/** What lies between the smallest and the largest value of the curves of a kind. */
export function drawBand(self: uPlot, { t, band, style }: StyledCurve): void {
  if (band === undefined) {
    return;
  }
  const { ctx } = self;
  const isInside = (value: number | undefined): boolean => Number.isFinite(value) && (self.scales.y!.distr !== 3 || value! > 0);
  const path = new Path2D();
  let piece: number[] = [];
  const finish = (): void => {
    const x = (place: number): number => self.valToPos(t[place]!, "x", true);
    piece.forEach((place, k) => path[k === 0 ? "moveTo" : "lineTo"](x(place), self.valToPos(band.high[place]!, "y", true)));
    piece.reverse().forEach((place) => path.lineTo(x(place), self.valToPos(band.low[place]!, "y", true)));
    piece = [];
  };
  const { min, max } = self.scales.x!;
  for (let place = Math.max(0, placeFrom(t, min!) - 1); place < t.length && (t[place - 1] ?? -Infinity) <= max!; place++) {
    if (isInside(band.low[place]) && isInside(band.high[place])) {
      piece.push(place);
    } else {
      finish();
    }
  }
  finish();
  inPlot(self, () => {
    ctx.globalAlpha = BAND_OPACITY;
    ctx.fillStyle = curveColor(style.color);
    ctx.fill(path);
  });
}

/** Draws within the plot alone. */
function inPlot({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

/** Triangles at the edges where points lie outside the axis of values. */
export function drawOutside(self: uPlot, curves: readonly StyledCurve[]): void {
  const { ctx, bbox } = self;
  const ratio = window.devicePixelRatio || 1;
  const { min: from, max: to } = self.scales.x!;
  const { min: low, max: high, distr } = self.scales.y!;
  // uPlot draws its grid with the style that it last set.
  ctx.save();
  ctx.setLineDash([]);
  curves.forEach(({ t, v, absent, style, band }, k) => {
    if (self.series[k + 1]?.show !== true) {
      return;
    }
    ctx.fillStyle = ctx.strokeStyle = curveColor(style.color);
    const last = { above: -Infinity, below: -Infinity };
    for (let place = placeFrom(t, from!); place < t.length && t[place]! <= to!; place++) {
      const [least, most] = [band?.low[place] ?? v[place]!, band?.high[place] ?? v[place]!];
      const side =
        most > high! && most < Infinity ? "above" : least < low! && least > -Infinity && (distr !== 3 || least > 0) ? "below" : null;
      const x = side === null || absent?.[place] === 1 ? -Infinity : self.valToPos(t[place]!, "x", true);
      if (side !== null && x - last[side] >= MARKER_DISTANCE * ratio) {
        last[side] = x;
        const isAbove = side === "above";
        const y = isAbove ? bbox.top + EDGE * ratio : bbox.top + bbox.height - EDGE * ratio;
        drawMarker(ctx, isAbove ? UP : DOWN, x, y, MARKER_RADIUS * ratio, "");
      }
    }
  });
  ctx.restore();
}

/** The steps at which findings begin, at the top, and those that were triggered, at the bottom. */
export function drawStepMarks(self: uPlot, { findings, triggered }: StepMarks): void {
  const { ctx, bbox } = self;
  const ratio = window.devicePixelRatio || 1;
  const { min, max } = self.scales.x!;
  const isShown = (step: number): boolean => step >= min! && step <= max!;
  ctx.save();
  ctx.setLineDash([]);
  for (const step of triggered.filter(isShown)) {
    drawTriggered(ctx, self.valToPos(step, "x", true), bbox.top + bbox.height, themeColor("text-soft"), { color: themeColor, ratio });
  }
  for (const { step, severity } of findings.filter((finding) => isShown(finding.step))) {
    const x = self.valToPos(step, "x", true);
    ctx.strokeStyle = themeColor("bad");
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    drawFinding(ctx, x, bbox.top - 2 * ratio, severity, { color: themeColor, ratio });
  }
  ctx.restore();
}
