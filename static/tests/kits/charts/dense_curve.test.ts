import type uPlot from "uplot";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { StyledCurve } from "../../../src/kits/charts/curve_data";
import { columnsOf, drawDense, isDense, touching } from "../../../src/kits/charts/dense_curve";

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

const curveOf = (t: number[], dash: number[] = [], marksOnly = false): StyledCurve => ({
  name: "loss",
  type: "train",
  t,
  v: t,
  style: { color: 0, marker: 0, dash, width: 2 },
  marksOnly,
});

describe("a curve is dense", () => {
  const chart = (min: number | null, max: number | null) =>
    ({ scales: { x: { min, max } }, over: { clientWidth: 10 } }) as unknown as uPlot;
  const times = Array.from({ length: 100 }, (_, k) => k);

  it("where more than two of its points among the times shown share a pixel", () => {
    expect([isDense(chart(0, 99), curveOf(times)), isDense(chart(0, 20), curveOf(times)), isDense(chart(0, 21), curveOf(times))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("only if it has a line, and once the times are known", () => {
    expect([isDense(chart(0, 99), curveOf(times, [], true)), isDense(chart(null, null), curveOf(times))]).toEqual([false, false]);
  });
});

describe("what is filled for a dense curve", () => {
  afterEach(() => void vi.unstubAllGlobals());

  /** The pieces that are filled, of a chart of six pixels, 100 high, for values from 0 to 10. */
  function piecesOf(values: (number | null)[], dash: number[] = []): string[] {
    const pieces: string[] = [];
    class Path {
      moveTo = (x: number, y: number) => void pieces.push(`${x},${y}`);
      lineTo = (x: number, y: number) => void pieces.push(`${pieces.pop()} ${x},${y}`);
      closePath = () => undefined;
    }
    vi.stubGlobal("Path2D", Path);
    vi.stubGlobal("window", { devicePixelRatio: 1 });
    const times = values.map((_, k) => k);
    const filled: unknown[] = [];
    const chart = {
      bbox: { left: 0, width: 6 },
      scales: { x: { min: 0, max: values.length } },
      data: [times],
      valToPos: (value: number) => 100 - 10 * value,
      ctx: { fill: (path: unknown) => filled.push(path) },
    };
    drawDense(chart as unknown as uPlot, curveOf(times, dash), values);
    expect(filled).toHaveLength(1);
    return pieces;
  }

  it("reaches from the largest value of each column to the smallest, half a line further on both sides", () => {
    // Two values to each pixel; the line is 2 wide.
    expect(piecesOf([1, 3, 2, 4, null, null, null, null, null, null, 5, 6])).toEqual([
      "0,69 1,69 1,59 2,59 2,81 1,81 1,91 0,91",
      "5,39 6,39 6,51 5,51",
    ]);
  });

  it("has the gaps of a dashed line", () => {
    expect(piecesOf(new Array<number>(6).fill(5), [2, 1])).toEqual([
      "0,49 1,49 1,49 2,49 2,51 1,51 1,51 0,51",
      "3,49 4,49 4,49 5,49 5,51 4,51 4,51 3,51",
    ]);
  });
});
