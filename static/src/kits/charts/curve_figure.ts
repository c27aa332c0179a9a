/** Curves as a figure, from their numbers: what is visible, as it is zoomed. */

import { type Area, BELOW, frame, INK, SIZE, xOn, yOn } from "../../ui/figure/axes";
import type { Drawing } from "../../ui/figure/figure";
import { markShape } from "../../ui/figure/marks";
import { type Scale, scaleAround, scaleOf } from "../../ui/figure/scale";
import { element, linePath, type SvgElement, textElement } from "../../ui/figure/svg";
import { textWidth } from "../../ui/figure/text";
import { brief, elided } from "../../ui/text/format";
import { nonFiniteRows } from "./chart_data";
import type { CurveStyle, StyledCurve } from "./curve_data";
import { detailOf, placeFrom } from "./curve_data";
import { markerDistance } from "./draw_points";
import { BAD_SEVERITY, type StepMarks } from "./step_marks";
import { timeTicks } from "./time_text";
import { between, type Point, valueAxis } from "./value_range";

export interface CurvesShown {
  curves: readonly StyledCurve[];
  visible: readonly boolean[];
  logarithmic: boolean;
  /** Whether the axis of values reaches to outliers too. */
  full: boolean;
  /** Null: all times. */
  range: readonly [number, number] | null;
  /** Times that the axis covers in any case. */
  extent: readonly number[];
  /** The time that a line marks, or null. */
  marked: number | null;
  marks: StepMarks | undefined;
  labels: { x: string; y: string };
  colorOf: (number: number) => string;
}

const AREA: Area = { left: 88, top: 14, width: 600, height: 300 };
const WIDTH = AREA.left + AREA.width + 24;
const MARK_DISTANCE = 3;
const WORD_DISTANCE = 34;
const NON_FINITE_ROW = 26;
const ROW = 19;
const SAMPLE = 42;
const LONGEST_NAME = 70;
const MARKED = "#d9001b";
const [DIAMOND_MARK, DOWN_MARK] = [3, 4];
const WHITE = "#ffffff";

export function curvesDrawing(shown: CurvesShown): Drawing {
  const curves = shown.curves.filter((_, k) => shown.visible[k] ?? true);
  const x = timeScale(shown);
  const pieces = curves.map((curve) => piecesOf(curve, x, shown.logarithmic));
  const { scale: y } = valueAxis(curves, [x.low, x.high], shown.logarithmic, shown.full);
  const { marked, marks } = shown;
  const distance = markerDistance(curves.length);
  const legend = legendOf(curves, AREA.top + AREA.height + BELOW + 6, shown.colorOf);
  return {
    width: WIDTH,
    height: legend.bottom,
    content: [
      ...frame(AREA, x, y, shown.labels, timeTicks(x.low, x.high, 8)),
      ...(marked !== null && marked >= x.low && marked <= x.high ? [markedLine(xOn(AREA, x, marked))] : []),
      ...(marks === undefined ? [] : stepMarks(marks, x)),
      ...curves.flatMap((curve) => bandElement(curve, x, y, shown)),
      ...curves.map((curve, k) => curveElement(curve, pieces[k]!, x, y, { color: shown.colorOf(curve.style.color), distance })),
      ...curves.map((curve) => nonFinite(curve, x, shown.colorOf(curve.style.color))),
      ...legend.content,
    ],
  };
}

function timeScale({ curves, range, extent }: CurvesShown): Scale {
  if (range !== null) {
    return scaleOf(range[0], range[1], false);
  }
  const ends = [...extent, ...curves.flatMap(({ t }) => (t.length === 0 ? [] : [t[0]!, t[t.length - 1]!]))];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return ends.length > 0 && high > low ? scaleOf(low, high, false) : scaleAround(ends, false);
}

/** The uninterrupted parts of a curve within the times shown, cut where the axis ends. The last of several points at one time counts. */
function piecesOf({ t, v, absent }: StyledCurve, { low, high }: Scale, logarithmic: boolean): Point[][] {
  const pieces: Point[][] = [[]];
  const first = Math.max(0, placeFrom(t, low) - 1);
  let before: Point | null = null;
  for (let k = first; k < t.length; k++) {
    if (t[k + 1] === t[k]) {
      continue;
    }
    const value = v[k]!;
    if (absent?.[k] === 1 || !Number.isFinite(value) || (logarithmic && value <= 0)) {
      before = null;
      pieces.push([]);
      continue;
    }
    const point: Point = [t[k]!, value];
    const piece = pieces[pieces.length - 1]!;
    if (before !== null && before[0] < low && point[0] > low) {
      piece.push([low, between(before, point, low, logarithmic)]);
    }
    if (point[0] > high) {
      if (before !== null && before[0] < high) {
        piece.push([high, between(before, point, high, logarithmic)]);
      }
      break;
    }
    if (point[0] >= low) {
      piece.push(point);
    }
    before = point;
  }
  return pieces.filter((piece) => piece.length > 0);
}

function curveElement(
  { t, v, style, marksOnly, absent }: StyledCurve,
  pieces: readonly Point[][],
  x: Scale,
  y: Scale,
  { color, distance }: { color: string; distance: number },
): SvgElement {
  const own = new Map<number, number>(pieces.flat().map(([time, value]) => [time, value]));
  const marks: SvgElement[] = [];
  let last = -Infinity;
  for (let k = placeFrom(t, x.low); k < t.length && t[k]! <= x.high; k++) {
    const at = xOn(AREA, x, t[k]!);
    if (absent?.[k] !== 1 && own.get(t[k]!) === v[k] && at - last >= (marksOnly ? MARK_DISTANCE : distance)) {
      marks.push(markShape(style.marker, at, within(y, v[k]!), 3.5, color, WHITE));
      last = at;
    }
  }
  const d = marksOnly
    ? ""
    : pieces.map((piece) => linePath(thinned(piece.map(([time, value]): Point => [xOn(AREA, x, time), within(y, value)])))).join("");
  return element("g", { class: "curve" }, ...(d === "" ? [] : [element("path", { d, ...lineInk(style, color) })]), ...marks);
}

/** The height of a value; at the edge where it lies outside. */
function within(y: Scale, value: number): number {
  return yOn(AREA, y, Math.max(y.low, Math.min(y.high, value)));
}

/** The range of a band. */
function bandElement({ t, band, style }: StyledCurve, x: Scale, y: Scale, { logarithmic, colorOf }: CurvesShown): SvgElement[] {
  if (band === undefined) {
    return [];
  }
  const ends = [...band.low.keys()].filter(
    (k) => t[k]! >= x.low && t[k]! <= x.high && Number.isFinite(band.low[k]) && (!logarithmic || band.low[k]! > 0),
  );
  const edge = (values: readonly number[], places: readonly number[]): Point[] =>
    thinned(places.map((k): Point => [xOn(AREA, x, t[k]!), within(y, values[k]!)]));
  const outline = [...edge(band.high, ends), ...edge(band.low, ends).reverse()];
  return ends.length === 0
    ? []
    : [element("path", { class: "band", d: `${linePath(outline)}Z`, fill: colorOf(style.color), "fill-opacity": 0.2 })];
}

/** Marks of the steps at which findings begin, at the top, and of triggered steps, at the bottom. */
function stepMarks({ findings, triggered }: StepMarks, x: Scale): SvgElement[] {
  const isShown = (step: number): boolean => step >= x.low && step <= x.high;
  const bottom = AREA.top + AREA.height;
  return [
    ...triggered.filter(isShown).map((step) => markShape(DIAMOND_MARK, xOn(AREA, x, step), bottom, 4.5, INK, WHITE)),
    ...findings
      .filter(({ step }) => isShown(step))
      .map(({ step, severity }) =>
        markShape(DOWN_MARK, xOn(AREA, x, step), AREA.top - 4, 5, severity >= BAD_SEVERITY ? MARKED : INK, WHITE),
      ),
  ];
}

function lineInk({ dash, width }: CurveStyle, color: string): SvgElement["attributes"] {
  return {
    fill: "none",
    stroke: color,
    "stroke-width": width,
    "stroke-linejoin": "round",
    ...(dash.length > 0 && { "stroke-dasharray": dash.join(" ") }),
  };
}

/** Keeps the first, the lowest, the highest and the last of the points that share half a pixel: the line looks the same. */
export function thinned(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (let start = 0; start < points.length; ) {
    const column = Math.floor(points[start]![0] * 2);
    let [end, lowest, highest] = [start, start, start];
    while (end < points.length && Math.floor(points[end]![0] * 2) === column) {
      lowest = points[end]![1] < points[lowest]![1] ? end : lowest;
      highest = points[end]![1] > points[highest]![1] ? end : highest;
      end += 1;
    }
    kept.push(...[...new Set([start, lowest, highest, end - 1])].sort((a, b) => a - b).map((k) => points[k]!));
    start = end;
  }
  return kept;
}

/** NaN and infinities have no height: they stand at the edges, as red marks, and as words in the colour of their curve. */
function nonFinite({ t, v, style, absent }: StyledCurve, x: Scale, color: string): SvgElement {
  const places = Array.from(t, (_, k) => k).filter((k) => t[k]! >= x.low && t[k]! <= x.high && absent?.[k] !== 1 && !Number.isFinite(v[k]));
  const words: SvgElement[] = [];
  for (const { places: own, mark, isAbove, row } of nonFiniteRows(v, places)) {
    const y = isAbove ? AREA.top + 8 + NON_FINITE_ROW * row : AREA.top + AREA.height - 5;
    let last = -Infinity;
    for (const k of own) {
      const at = xOn(AREA, x, t[k]!);
      if (at - last >= WORD_DISTANCE) {
        const word = textElement(brief(v[k]!), at, isAbove ? y + 17 : y - 8, 11, {
          "text-anchor": "middle",
          "font-weight": 700,
          fill: color,
        });
        words.push(markShape(mark, at, y, 4.5, MARKED, WHITE), word);
        last = at;
      }
    }
  }
  return element("g", { class: "not-finite", "data-curve": style.color }, ...words);
}

function markedLine(x: number): SvgElement {
  return element("line", { class: "marked", x1: x, x2: x, y1: AREA.top, y2: AREA.top + AREA.height, stroke: MARKED, "stroke-width": 1.5 });
}

/** Names with a piece of their curve, in rows. */
function legendOf(
  curves: readonly StyledCurve[],
  top: number,
  colorOf: (number: number) => string,
): { content: SvgElement[]; bottom: number } {
  let [x, y] = [AREA.left, top + ROW / 2];
  const content = curves.map((curve) => {
    const { name, style, marksOnly, side } = curve;
    const text = elided([side ?? "", name, detailOf(curve)].filter((part) => part !== "").join(" \u00b7 "), LONGEST_NAME);
    const width = SAMPLE + 6 + textWidth(text, SIZE) + 18;
    if (x > AREA.left && x + width > WIDTH) {
      [x, y] = [AREA.left, y + ROW];
    }
    const left = x;
    x += width;
    const color = colorOf(style.color);
    const line = marksOnly
      ? []
      : [
          element("path", {
            d: linePath([
              [left, y],
              [left + SAMPLE, y],
            ]),
            ...lineInk(style, color),
          }),
        ];
    return element(
      "g",
      { class: "legend-entry" },
      ...line,
      markShape(style.marker, left + SAMPLE / 2, y, 3.5, color, WHITE),
      textElement(text, left + SAMPLE + 6, y + SIZE / 3, SIZE, { fill: INK }),
    );
  });
  return { content, bottom: curves.length === 0 ? top : y + ROW / 2 };
}
