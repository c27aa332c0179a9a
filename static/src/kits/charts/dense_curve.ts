/**
 * Curves with more points than there are pixels: of every column of pixels, what lies between its smallest and its largest value is filled.
 * So no extreme is lost, and drawing costs what the columns cost; a line through all points would be many times as slow, and look the same.
 */

import type uPlot from "uplot";
import type { ChartData, Line } from "./chart_data";
import { placeFrom, type StyledCurve } from "./curve_data";
import { curveColor } from "./draw_points";
import { type Columns, emptyPixels, paintBeneath, pictureOf } from "./paint_columns";

/** From so many points per pixel on, a curve is dense. */
const DENSE = 2;

/** How many points of a curve were last counted between two times: of a hundred curves, each search waits for memory. */
const counted = new WeakMap<StyledCurve, { min: number; max: number; points: number }>();

function pointsBetween(curve: StyledCurve, min: number, max: number): number {
  let known = counted.get(curve);
  if (known?.min !== min || known.max !== max) {
    known = { min, max, points: placeFrom(curve.t, max) - placeFrom(curve.t, min) };
    counted.set(curve, known);
  }
  return known.points;
}

/** Whether a curve has so many points among the times shown that its line could not be told from an area. */
export function isDense(self: uPlot, curve: StyledCurve): boolean {
  const { min, max } = self.scales.x ?? {};
  return (
    curve.marksOnly !== true &&
    min != null &&
    max != null &&
    pointsBetween(curve, min, max) > (DENSE * self.bbox.width) / (globalThis.devicePixelRatio || 1)
  );
}

/**
 * The extremes of the values whose times lie between `from` and `to`, in `count` columns of equal width. What is not above `floor` interrupts
 * the line.
 */
export function columnsOf(
  times: readonly number[],
  values: Readonly<Line>,
  from: number,
  to: number,
  count: number,
  floor = -Infinity,
): Columns {
  const [low, high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  const scale = count / (to - from);
  for (let k = placeFrom(times, from); k < times.length && times[k]! <= to; k++) {
    const value = values[k];
    if (value === undefined) {
      continue;
    }
    const column = Math.min(count - 1, Math.floor((times[k]! - from) * scale));
    if (value === null || value <= floor) {
      // A gap shows where nothing else is in its column.
      if (Number.isNaN(low[column])) {
        [low[column], high[column]] = [Infinity, -Infinity];
      }
    } else {
      // An empty column holds NaN, which compares false.
      if (!(low[column]! <= value)) {
        low[column] = value;
      }
      if (!(high[column]! >= value)) {
        high[column] = value;
      }
    }
  }
  return { low, high };
}

/** Columns that reach those before them, as a line from point to point does; where there is none beside one, it stays as it is. */
export function touching({ low, high }: Columns): Columns {
  const [lower, upper] = [low.slice(), high.slice()];
  for (let k = 1; k < low.length; k++) {
    if (Number.isFinite(low[k - 1]!) && Number.isFinite(low[k]!)) {
      lower[k] = Math.min(low[k]!, high[k - 1]!);
      upper[k] = Math.max(high[k]!, low[k - 1]!);
    }
  }
  return { low: lower, high: upper };
}

/** Columns without a point get the line between those beside them, unless it is interrupted there. */
export function bridged({ low, high }: Columns): Columns {
  const [lower, upper] = [low.slice(), high.slice()];
  let last = -1;
  for (let k = 0; k < low.length; k++) {
    if (low[k] === Infinity) {
      last = -1;
    } else if (!Number.isNaN(low[k]!)) {
      const [from, to] = [(low[last]! + high[last]!) / 2, (low[k]! + high[k]!) / 2];
      for (let between = last + 1; last >= 0 && between < k; between++) {
        lower[between] = upper[between] = from + ((to - from) * (between - last)) / (k - last);
      }
      last = k;
    }
  }
  return { low: lower, high: upper };
}

interface Drawn {
  from: number;
  to: number;
  count: number;
  /** What is drawn, once it is asked for: in units of the axis. */
  linear?: Columns;
  logarithmic?: Columns;
}

/** What was drawn last of each line: another one that is hidden, or another range of values, changes nothing of it. */
const drawn = new WeakMap<Readonly<Line>, Drawn>();

/** The columns of a line among the times that are shown, in units of the axis: logarithms if it is logarithmic. */
function columnsShown(self: uPlot, line: Readonly<Line>, count: number): Columns {
  const { min, max } = self.scales.x!;
  let known = drawn.get(line);
  if (known === undefined || known.from !== min || known.to !== max || known.count !== count) {
    known = { from: min!, to: max!, count };
    drawn.set(line, known);
  }
  const times = self.data[0] as number[];
  if (self.scales.y!.distr === 3) {
    if (known.logarithmic === undefined) {
      const { low, high } = columnsOf(times, line, min!, max!, count, 0);
      known.logarithmic = touching(bridged({ low: low.map(Math.log10), high: high.map(Math.log10) }));
    }
    return known.logarithmic;
  }
  known.linear ??= touching(bridged(columnsOf(times, line, min!, max!, count)));
  return known.linear;
}

/** Fills what lies between the extremes of the visible dense curves; what is dashed as a line is in stripes of the same lengths. */
export function drawDense(self: uPlot, curves: readonly StyledCurve[], { values }: ChartData): void {
  const shown = curves.flatMap((curve, k) =>
    self.series[k + 1]?.show === true && isDense(self, curve) ? [{ curve, line: values[k]! }] : [],
  );
  const [width, height] = [Math.max(1, Math.round(self.bbox.width)), Math.max(1, Math.round(self.bbox.height))];
  if (shown.length === 0) {
    return;
  }
  const { min, max, distr } = self.scales.y!;
  const [low, high] = distr === 3 ? [Math.log10(min!), Math.log10(max!)] : [min!, max!];
  const ratio = window.devicePixelRatio || 1;
  const pixels = emptyPixels(width, height);
  const inks = new Map(shown.map(({ curve }) => [curve.style.color, 0]));
  inks.forEach((_, color) => inks.set(color, inkOf(self.ctx, curveColor(color))));
  // The last one lies above all others.
  for (const { curve, line } of shown.reverse()) {
    const { color, width: thickness, dash } = curve.style;
    paintBeneath(pixels, columnsShown(self, line, width), {
      low,
      high,
      half: (thickness * ratio) / 2,
      ink: inks.get(color)!,
      dash: dash.map((length) => length * ratio),
    });
  }
  self.ctx.drawImage(pictureOf(pixels), self.bbox.left, self.bbox.top);
}

/** A colour of the style sheet as bytes: red first, then green, blue, and opaque. */
function inkOf(context: CanvasRenderingContext2D, color: string): number {
  const before = context.fillStyle;
  context.fillStyle = color;
  // A canvas gives every opaque colour back as `#rrggbb`.
  const rgb = Number.parseInt(String(context.fillStyle).slice(1), 16);
  context.fillStyle = before;
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
