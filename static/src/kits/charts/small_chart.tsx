/** A small chart of several lines. Outliers are marked at its edges, and lines of many points are smoothed; below it stands that they are. */

import { brief, counted } from "../../ui/text/format";
import { type RobustRange, robustRange, smoothed } from "./robust_range";
import { piecesOf } from "./sparkline";

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
}

const WIDTH = 400;
const HEIGHT = 104;
const PAD = 6;

/** A line of more points is drawn as this many means. */
const MEANS = 100;

/** Half the width and the height of the mark of what lies outside. */
const MARK = 4;

export function SmallChart({ lines, label }: Props) {
  const range = robustRange(lines.map(({ v }) => v));
  const [first, last] = extentOf(lines);
  const x = (t: number): number => PAD + ((WIDTH - 2 * PAD) * (t - first)) / (last - first || 1);
  const notes = notesOf(lines, range);
  return (
    <span class="small-chart">
      <span class="small-chart-values">
        <span>{range === null ? "" : brief(rounded(range.high, range))}</span>
        <span>{range === null ? "" : brief(rounded(range.low, range))}</span>
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {range !== null && lines.map((line, k) => <Line key={k} line={line} range={range} x={x} />)}
        {range !== null && <Outside lines={lines} range={range} x={x} />}
      </svg>
      <span class="small-chart-steps">
        <span>step {brief(first)}</span>
        {last > first && <span>step {brief(last)}</span>}
      </span>
      {notes.length > 0 && <span class="small-chart-notes">{notes.join(" ")}</span>}
    </span>
  );
}

interface Drawn {
  range: RobustRange;
  x: (t: number) => number;
}

function Line({ line, range, x }: Drawn & { line: SmallLine }) {
  const { t, v } = line.t.length > MEANS ? smoothed(line.t, line.v, MEANS) : line;
  const y = (value: number): number => {
    const inside = Math.min(range.high, Math.max(range.low, value));
    return HEIGHT - PAD - ((HEIGHT - 2 * PAD) * (inside - range.low)) / (range.high - range.low);
  };
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

/** Where values lie outside of the range: a mark at each edge, one for all of them that are close together. */
function Outside({ lines, range, x }: Drawn & { lines: readonly SmallLine[] }) {
  const placesWhere = (isOutside: (value: number) => boolean): number[] => {
    const places = lines.flatMap(({ t, v }) => t.filter((_, k) => isOutside(v[k]!)).map((time) => Math.round(x(time) / (2 * MARK))));
    return [...new Set(places)].map((place) => place * 2 * MARK);
  };
  return (
    <>
      {placesWhere((value) => value > range.high && value < Infinity).map((at) => (
        <path key={`above ${at}`} class="small-chart-outside" d={`M${at - MARK} ${MARK + 1}L${at} 1L${at + MARK} ${MARK + 1}Z`} />
      ))}
      {placesWhere((value) => value < range.low && value > -Infinity).map((at) => (
        <path
          key={`below ${at}`}
          class="small-chart-outside"
          d={`M${at - MARK} ${HEIGHT - MARK - 1}L${at} ${HEIGHT - 1}L${at + MARK} ${HEIGHT - MARK - 1}Z`}
        />
      ))}
    </>
  );
}

function extentOf(lines: readonly SmallLine[]): [first: number, last: number] {
  const ends = lines.flatMap(({ t }) => (t.length === 0 ? [] : [t[0]!, t[t.length - 1]!]));
  return ends.length === 0 ? [0, 0] : [Math.min(...ends), Math.max(...ends)];
}

/** No more digits than the range can be read with. */
function rounded(value: number, { low, high }: RobustRange): number {
  const unit = 10 ** (Math.floor(Math.log10(high - low)) - 1);
  return unit > 0 && Number.isFinite(unit) ? Number((Math.round(value / unit) * unit).toPrecision(12)) : value;
}

/** What the chart does not show as it is. */
export function notesOf(lines: readonly SmallLine[], range: RobustRange | null): string[] {
  const outside = range === null ? 0 : range.below + range.above;
  const notFinite = lines.reduce((sum, { v }) => sum + v.filter((value) => !Number.isFinite(value)).length, 0);
  const smooth = lines.some(({ t }) => t.length > MEANS);
  return [
    ...(range === null ? ["No finite value."] : []),
    ...(outside > 0 ? [`${counted(outside, "value")} outside of this range: see the triangles at the edge.`] : []),
    ...(notFinite > 0 && range !== null ? [`${counted(notFinite, "value is", "values are")} NaN or infinite.`] : []),
    ...(smooth ? ["Smoothed."] : []),
  ];
}
