/**
 * Curves with more points than there are pixels: of every column of pixels, what lies between its smallest and its largest value is filled.
 * So no extreme is lost, and drawing costs what the columns cost; a line through all points would be many times as slow, and look the same.
 */

import type uPlot from "uplot";
import { placeFrom, type StyledCurve } from "./curve_data";

/** From so many points per pixel on, a curve is dense. */
const DENSE = 2;

/** The extremes of a curve, column by column: NaN where a column has none of its points, and infinite where it is interrupted there. */
export interface Columns {
  low: Float64Array;
  high: Float64Array;
}

/** Whether a curve has so many points among the times shown that its line could not be told from an area. */
export function isDense(self: uPlot, curve: StyledCurve): boolean {
  const { min, max } = self.scales.x ?? {};
  return (
    curve.marksOnly !== true &&
    min != null &&
    max != null &&
    placeFrom(curve.t, max) - placeFrom(curve.t, min) > DENSE * self.over.clientWidth
  );
}

/** The extremes of the values whose times lie between `from` and `to`, in `count` columns of equal width. */
export function columnsOf(
  times: readonly number[],
  values: readonly (number | null | undefined)[],
  from: number,
  to: number,
  count: number,
): Columns {
  const [low, high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  const scale = count / (to - from);
  for (let k = placeFrom(times, from); k < times.length && times[k]! <= to; k++) {
    const value = values[k];
    if (value === undefined) {
      continue;
    }
    const column = Math.min(count - 1, Math.floor((times[k]! - from) * scale));
    if (value === null) {
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
    if (Number.isFinite(low[k - 1]) && Number.isFinite(low[k])) {
      lower[k] = Math.min(low[k]!, high[k - 1]!);
      upper[k] = Math.max(high[k]!, low[k - 1]!);
    }
  }
  return { low: lower, high: upper };
}

/** Fills what lies between the extremes; what is dashed as a line is in stripes of the same lengths. */
export function drawDense(self: uPlot, curve: StyledCurve, values: readonly (number | null | undefined)[]): void {
  const { left, width } = self.bbox;
  const ratio = window.devicePixelRatio || 1;
  const { min, max } = self.scales.x!;
  const { low, high } = touching(columnsOf(self.data[0] as number[], values, min!, max!, Math.max(1, Math.round(width))));
  const half = (curve.style.width * ratio) / 2;
  const path = new Path2D();
  let piece: { x: number; top: number; bottom: number }[] = [];
  const finish = (): void => {
    piece.forEach(({ x, top }, k) => (k === 0 ? path.moveTo(x, top) : path.lineTo(x, top)));
    piece.reverse().forEach(({ x, bottom }) => path.lineTo(x, bottom));
    if (piece.length > 0) {
      path.closePath();
    }
    piece = [];
  };
  low.forEach((lowest, column) => {
    if (lowest === Infinity || isBetweenDashes(curve.style.dash, column / ratio)) {
      finish();
    } else if (!Number.isNaN(lowest)) {
      const [top, bottom] = [self.valToPos(high[column]!, "y", true) - half, self.valToPos(lowest, "y", true) + half];
      // A column is as wide as a pixel, however alone it is.
      piece.push({ x: left + column, top, bottom }, { x: left + column + 1, top, bottom });
    }
  });
  finish();
  self.ctx.fill(path);
}

function isBetweenDashes(dash: readonly number[], x: number): boolean {
  let rest =
    x %
    Math.max(
      1,
      dash.reduce((sum, length) => sum + length, 0),
    );
  for (const [k, length] of dash.entries()) {
    if (rest < length) {
      return k % 2 === 1;
    }
    rest -= length;
  }
  return false;
}
