/** A small chart of several lines. Outliers are marked at its edges. A line of many points is smoothed, in a band of its single points. */

import { useMemo } from "preact/hooks";
import { brief, counted } from "../../ui/text/format";
import { extentsOfParts, type RobustRange, rangeBetween, robustRange, smoothed, type Tolerance } from "./robust_range";
import { apart, crossAt, piecesOf } from "./sparkline";
import { timeInWords } from "./time_text";

export interface SmallLine {
  t: readonly number[];
  v: readonly number[];
  /** The number of its colour. */
  color: number;
  dash: readonly number[];
}

interface Props {
  lines: readonly SmallLine[];
  /** What a screen reader says in place of the picture. */
  label: string;
  /** The step that the page shows. */
  step: number;
}

const WIDTH = 400;
const HEIGHT = 104;
const PAD = 6;

/** A line of more points is drawn as this many means. */
const MEANS = 100;

/** Single points of a smoothed line flatten it less than other outliers may. */
const OF_POINTS: Tolerance = { tail: 0.02, beyond: 1 };

/** Half the width and the height of the mark of what lies outside. */
const MARK = 4;

export function SmallChart({ lines, label, step }: Props) {
  // Drawn again only for other lines: it reads every point.
  const drawing = useMemo(() => <Drawing lines={lines} label={label} />, [lines, label]);
  return (
    <span class="small-chart">
      {drawing}
      <StepLine lines={lines} step={step} />
    </span>
  );
}

/** Where the step is that the page shows; nothing where the chart has no such step. */
function StepLine({ lines, step }: Pick<Props, "lines" | "step">) {
  const [first, last] = extentOf(lines);
  return step < first || step > last ? null : (
    <span class="small-chart-step" data-testid="small-chart-step">
      <span style={{ left: `${((100 * placeBetween(first, last, step)) / WIDTH).toFixed(2)}%` }} />
    </span>
  );
}

function placeBetween(first: number, last: number, t: number): number {
  return last > first ? PAD + ((WIDTH - 2 * PAD) * (t - first)) / (last - first) : WIDTH / 2;
}

function Drawing({ lines, label }: Pick<Props, "lines" | "label">) {
  const drawn = lines.map((line) => ({ ...line, ...(line.t.length > MEANS && smoothed(line.t, line.v, MEANS)) }));
  const range = rangeOf(lines, drawn);
  const [first, last] = extentOf(lines);
  const x = (t: number): number => placeBetween(first, last, t);
  const notes = [...smoothedText(lines), ...notesOf(lines, range)];
  return (
    <>
      <span class="small-chart-values">
        <span>{range === null ? "" : shortest(range.high)}</span>
        <span>{range === null ? "" : shortest(range.low)}</span>
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {range !== null && lines.map((line, k) => line.t.length > MEANS && <Band key={k} line={line} range={range} x={x} />)}
        {range !== null && drawn.map((line, k) => <Line key={k} line={line} range={range} x={x} />)}
        {range !== null && <Marks lines={lines} range={range} x={x} />}
      </svg>
      <span class="small-chart-steps">
        <span>{timeInWords(first)}</span>
        {last > first && <span>{timeInWords(last)}</span>}
      </span>
      {notes.length > 0 && <span class="small-chart-notes">{notes.join(" ")}</span>}
    </>
  );
}

/** The range of the lines as they are drawn, with most of the single points of smoothed ones and the last point of each. */
function rangeOf(lines: readonly SmallLine[], drawn: readonly SmallLine[]): RobustRange | null {
  const all = lines.map(({ v }) => v);
  const ofDrawn = robustRange(drawn.map(({ v }) => v));
  const ofPoints = robustRange(all, false, OF_POINTS);
  if (ofDrawn === null || ofPoints === null || lines.every(({ t }) => t.length <= MEANS)) {
    return ofDrawn;
  }
  const ends = [ofDrawn.low, ofDrawn.high, ofPoints.low, ofPoints.high, ...all.map((v) => v[v.length - 1]!).filter(Number.isFinite)];
  return rangeBetween(all, Math.min(...ends), Math.max(...ends), false);
}

interface Scale {
  range: RobustRange;
  x: (t: number) => number;
}

/** The height of a value; at the edge where it lies outside. */
function heightOf(value: number, { low, high }: RobustRange): number {
  const part = (Math.min(high, Math.max(low, value)) - low) / (high - low);
  return high > low ? HEIGHT - PAD - (HEIGHT - 2 * PAD) * part : HEIGHT / 2;
}

/** From the lowest to the highest of the points of which each mean of a smoothed line is. */
function Band({ line: { t, v, color }, range, x }: Scale & { line: SmallLine }) {
  const y = (value: number): string => heightOf(value, range).toFixed(1);
  const boxes = extentsOfParts(t, v, MEANS).map(
    ({ from, to, low, high }) =>
      `M${x(from).toFixed(1)} ${y(high)}H${Math.max(x(to), x(from) + 1).toFixed(1)}V${y(low)}H${x(from).toFixed(1)}Z`,
  );
  return <path class="small-chart-band" d={boxes.join("")} style={{ fill: `var(--curve-${color})` }} />;
}

function Line({ line, range, x }: Scale & { line: SmallLine }) {
  const { t, v } = line;
  const y = (value: number): number => heightOf(value, range);
  const style = { stroke: `var(--curve-${line.color})`, strokeDasharray: line.dash.join(" ") };
  return (
    <>
      {piecesOf(t, v).map((piece, k) => {
        const points = piece.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`);
        const [cx, cy] = points[0]!.split(",");
        return points.length === 1 ? (
          <circle key={k} cx={cx} cy={cy} r="2.5" style={{ fill: style.stroke }} />
        ) : (
          <polyline key={k} class="small-chart-line" points={points.join(" ")} style={style} />
        );
      })}
    </>
  );
}

/** Marks at the edge for points outside the range, and for values that are no numbers: one for all that are close together. */
function Marks({ lines, range, x }: Scale & { lines: readonly SmallLine[] }) {
  // Each mark is at its own point, and the first of some that are close together stands for them.
  const placesOf = (isMarked: (value: number) => boolean): number[] => {
    const places = lines.flatMap(({ t, v }) => t.filter((_, k) => isMarked(v[k]!)).map(x));
    return apart(
      places.sort((a, b) => a - b),
      2 * MARK,
    );
  };
  const [above, below] = [`${MARK + 1}l${MARK} ${-MARK}l${MARK} ${MARK}Z`, `${HEIGHT - MARK - 1}l${MARK} ${MARK}l${MARK} ${-MARK}Z`];
  return (
    <>
      {placesOf((value) => value > range.high && value < Infinity).map((place) => (
        <path key={`above ${place}`} class="small-chart-outside" d={`M${(place - MARK).toFixed(1)} ${above}`} />
      ))}
      {placesOf((value) => value < range.low && value > -Infinity).map((place) => (
        <path key={`below ${place}`} class="small-chart-outside" d={`M${(place - MARK).toFixed(1)} ${below}`} />
      ))}
      {placesOf((value) => !Number.isFinite(value)).map((place) => (
        <path key={`not finite ${place}`} class="small-chart-not-finite" d={crossAt(place)} />
      ))}
    </>
  );
}

function extentOf(lines: readonly SmallLine[]): [first: number, last: number] {
  const ends = lines.flatMap(({ t }) => (t.length === 0 ? [] : [t[0]!, t[t.length - 1]!]));
  return ends.length === 0 ? [0, 0] : [Math.min(...ends), Math.max(...ends)];
}

/** With three digits. */
function shortest(value: number): string {
  return brief(Number(value.toPrecision(3)));
}

/** Which lines are drawn as means, in words; empty where none is. */
export function smoothedText(lines: readonly SmallLine[]): string[] {
  const smooth = lines.filter(({ t }) => t.length > MEANS).length;
  if (smooth === 0) {
    return [];
  }
  const what = smooth < lines.length ? "Long lines are" : lines.length === 1 ? "The line is" : "The lines are";
  return [`${what} smoothed; the band shows the single steps.`];
}

/** What else the chart does not show as it is. */
export function notesOf(lines: readonly SmallLine[], range: RobustRange | null): string[] {
  const outside = range === null ? 0 : range.below + range.above;
  const notFinite = lines.reduce((sum, { v }) => sum + v.filter((value) => !Number.isFinite(value)).length, 0);
  return [
    ...(range === null ? ["No finite value."] : []),
    ...(outside > 0 ? [`${counted(outside, "point")} outside this range, at the triangles.`] : []),
    ...(notFinite > 0 && range !== null ? [`${counted(notFinite, "value is", "values are")} NaN or infinite, at the crosses.`] : []),
  ];
}
