import type uPlot from "uplot";
import { describe, expect, it } from "vitest";
import type { StyledCurve } from "../../../src/kits/charts/curve_data";
import { bridged, columnsOf, isDense, touching } from "../../../src/kits/charts/dense_curve";

const values = (low: Float64Array, high: Float64Array) => Array.from(low, (lowest, k) => [lowest, high[k]]);

describe("the extremes of a dense curve", () => {
  it("are those of every column, so that none is lost", () => {
    const times = Array.from({ length: 1000 }, (_, k) => k);
    const line = times.map((time) => (time === 321 ? 50 : time === 777 ? -50 : Math.sin(time)));
    const { low, high } = columnsOf(times, line, 0, 999, 10);
    for (const column of low.keys()) {
      const own = line.filter((_, time) => Math.min(9, Math.floor((time * 10) / 999)) === column);
      expect([low[column], high[column]]).toEqual([own.reduce((a, b) => Math.min(a, b)), own.reduce((a, b) => Math.max(a, b))]);
    }
    expect([Math.max(...high), Math.min(...low)]).toEqual([50, -50]);
  });

  it("leave out times beyond those shown, and points that a curve does not have", () => {
    const { low, high } = columnsOf([0, 1, 2, 3, 4], [9, 1, undefined, 3, 9], 1, 3, 2);
    expect(values(low, high)).toEqual([
      [1, 1],
      [3, 3],
    ]);
    expect(Array.from(columnsOf([0, 5, 10], [1, undefined, 2], 0, 10, 3).low)).toEqual([1, NaN, 2]);
  });

  it("are interrupted where a column has nothing but gaps", () => {
    const { low, high } = columnsOf([0, 1, 2, 3, 4, 5], [null, 4, null, null, 6, null], 0, 6, 3);
    expect(values(low, high)).toEqual([
      [4, 4],
      [Infinity, -Infinity],
      [6, 6],
    ]);
  });

  it("are interrupted on a logarithmic axis where no value is above zero", () => {
    const { low, high } = columnsOf([0, 1, 2, 3, 4, 5], [-1, 4, 0, -2, 6, 8], 0, 6, 3, 0);
    expect(values(low, high)).toEqual([
      [4, 4],
      [Infinity, -Infinity],
      [6, 8],
    ]);
  });

  it("reach those of the column before, so that a jump is a line, but not across what interrupts it", () => {
    const low = Float64Array.of(0, 5, 1, Infinity, 9, NaN, 2, 2);
    const high = Float64Array.of(1, 6, 2, -Infinity, 9, NaN, 2, 4);
    const joined = touching({ low, high });
    expect(values(joined.low, joined.high)).toEqual([
      [0, 1],
      [1, 6],
      [1, 5],
      [Infinity, -Infinity],
      [9, 9],
      [NaN, NaN],
      [2, 2],
      [2, 4],
    ]);
  });
});

describe("columns without a point", () => {
  it("have the line between those beside them, but not across what interrupts it", () => {
    const low = Float64Array.of(NaN, 2, NaN, NaN, 8, NaN, Infinity, NaN, 3, NaN);
    const high = Float64Array.of(NaN, 4, NaN, NaN, 10, NaN, -Infinity, NaN, 3, NaN);
    const joined = bridged({ low, high });
    expect(values(joined.low, joined.high)).toEqual([
      [NaN, NaN],
      [2, 4],
      [5, 5],
      [7, 7],
      [8, 10],
      [NaN, NaN],
      [Infinity, -Infinity],
      [NaN, NaN],
      [3, 3],
      [NaN, NaN],
    ]);
  });
});

const curveOf = (t: number[], marksOnly = false): StyledCurve => ({
  name: "loss",
  type: "train",
  t,
  v: t,
  style: { color: 0, marker: 0, dash: [], width: 2 },
  marksOnly,
});

describe("a curve is dense", () => {
  const chart = (min: number | null, max: number | null) => ({ scales: { x: { min, max } }, bbox: { width: 10 } }) as unknown as uPlot;
  const times = Array.from({ length: 100 }, (_, k) => k);

  it("where more than two of its points among the times shown share a pixel", () => {
    expect([isDense(chart(0, 99), curveOf(times)), isDense(chart(0, 20), curveOf(times)), isDense(chart(0, 21), curveOf(times))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("only if it has a line, and once the times are known", () => {
    expect([isDense(chart(0, 99), curveOf(times, true)), isDense(chart(null, null), curveOf(times))]).toEqual([false, false]);
  });
});
