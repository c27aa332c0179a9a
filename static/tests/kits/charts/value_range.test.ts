import { describe, expect, it } from "vitest";
import type { StyledCurve } from "../../../src/kits/charts/curve_data";
import { valueAxis } from "../../../src/kits/charts/value_range";

const line = (v: number[], changed: Partial<StyledCurve> = {}): StyledCurve => ({
  name: "a",
  type: "",
  t: v.map((_, k) => k),
  v,
  style: { color: 0, marker: 0, dash: [], width: 1 },
  ...changed,
});
const ALL = [-Infinity, Infinity] as const;
const ends = (...given: Parameters<typeof valueAxis>) => {
  const { scale, outside } = valueAxis(...given);
  return [scale.low, scale.high, outside].map((value) => Number(value.toPrecision(6)));
};

/** 1, 2, ..., 100, and a value far from these. */
const OUTLIER = [...Array.from({ length: 100 }, (_, k) => k + 1), 1e6];

describe("the axis of values", () => {
  it("is not stretched by an outlier, unless it is to be", () => {
    // With a twentieth of the range at each end.
    expect(ends([line(OUTLIER)], ALL, false, false)).toEqual([1 - 4.95, 100 + 4.95, 1]);
    expect(ends([line(OUTLIER)], ALL, false, true)).toEqual([-49999, 1.05e6, 0]);
  });

  it("is that of the times that are shown", () => {
    expect(ends([line(OUTLIER)], [10, 20], false, true)).toEqual([10.5, 21.5, 0]);
    // At 1.5, half-way to the last point, the line is at 5.
    expect(ends([line([0, 0, 10])], [0, 1.5], false, true)).toEqual([-0.25, 5.25, 0]);
  });

  it("judges logarithms on a logarithmic axis, and leaves out what is not positive", () => {
    const powers = Array.from({ length: 30 }, (_, k) => 10 ** (k / 3));
    const [low, high, outside] = ends([line([...powers, 0, -5])], ALL, true, false);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(powers.at(-1)!);
    expect(outside).toBe(0);
    // 1e-30 is fifteen times as far from 1 as 100 is; on the other axis it is as good as 0. Zero is nothing that lies outside.
    expect(ends([line([...OUTLIER.slice(0, 100), 1e-30, 0])], ALL, true, false)[2]).toBe(1);
    expect(ends([line([...OUTLIER.slice(0, 100), 1e-30, 0])], ALL, false, false)[2]).toBe(0);
  });

  it("cuts lines on a logarithmic axis where they are drawn", () => {
    // Half-way from 1 to 100 the line is at 10; the range from 1 to 10 has a twentieth of a decade more at each end.
    const [low, high] = ends([line([1, 100])], [0, 0.5], true, true);
    expect([Math.log10(low!), Math.log10(high!)].map((end) => end.toFixed(2))).toEqual(["-0.05", "1.05"]);
  });

  it("has room for bands, and none for a gradient that was not there", () => {
    const band = { low: [-9, 0], high: [1, 11], curves: 7, notFinite: 0 };
    expect(ends([line([0, 1], { band })], ALL, false, false)).toEqual([-10, 12, 0]);
    expect(ends([line([0, 10, 99], { absent: Uint8Array.of(0, 0, 1) })], ALL, false, true)).toEqual([-0.5, 10.5, 0]);
  });

  it("is not stretched by what single curves of a band do now and then", () => {
    // Medians about 1, a band from 0.5 to 2, and every tenth time one of its curves is at 20.
    const times = Array.from({ length: 200 }, (_, k) => k);
    const band = { low: times.map(() => 0.5), high: times.map((k) => (k % 10 === 0 ? 20 : 2)), curves: 12, notFinite: 0 };
    const banded = line(
      times.map((k) => 1 + (k % 7) / 100),
      { band },
    );
    expect(ends([banded], ALL, false, false)).toEqual([0.425, 2.075, 20]);
    expect(ends([banded], ALL, false, true)).toEqual([-0.475, 20.975, 0]);
    // Curves that are far apart all the time are the band itself.
    const wide = { ...band, low: times.map(() => 0.01), high: times.map(() => 100) };
    expect(
      ends(
        [
          line(
            times.map(() => 1),
            { band: wide },
          ),
        ],
        ALL,
        false,
        false,
      )[2],
    ).toBe(0);
  });

  it("keeps the line of a band in sight, however narrow the band is", () => {
    // It rises from 0 to 100 in ten steps, and stays there.
    const v = Array.from({ length: 200 }, (_, k) => Math.min(100, 10 * k));
    const band = { low: v.map((value) => value - 1), high: v.map((value) => value + 1), curves: 12, notFinite: 0 };
    expect(ends([line(v, { band })], ALL, false, false).slice(0, 2)).toEqual([-5.05, 106.05]);
  });

  it("is there without values", () => {
    expect(ends([line([NaN, Infinity])], ALL, false, false)).toEqual([0, 1, 0]);
  });
});
