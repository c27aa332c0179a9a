import { describe, expect, it } from "vitest";
import {
  type CurveOptions,
  curveKey,
  readCurveOptions,
  toggled,
  trialColors,
  writeCurveOptions,
} from "../../../src/state/tab_options/curve_options";

const USUAL: CurveOptions = {
  smoothing: "none",
  logarithmic: [],
  full: [],
  hidden: [],
  opened: [],
  trials: [],
  colors: new Map(),
};

describe("how curves are drawn", () => {
  it("is not in the address at the beginning", () => {
    expect(readCurveOptions(undefined)).toEqual(USUAL);
    expect(writeCurveOptions(USUAL)).toBeNull();
  });

  it("comes back, whatever names hold", () => {
    const options: CurveOptions = {
      smoothing: "medium",
      logarithmic: ["loss, mean", "100%"],
      full: ["loss"],
      hidden: [curveKey("a/b", "c%2F", "x"), curveKey("a", "b", "c", "light")],
      opened: [curveKey("norms", "layer*")],
      trials: ["log.one", "color3.x"],
      colors: new Map([
        ["second", 11],
        ["a.b,c", 0],
      ]),
    };
    expect(readCurveOptions(writeCurveOptions(options)!)).toEqual(options);
  });

  it("is as usual where the address is not understood", () => {
    expect(readCurveOptions("heavy,color12.a,color-1.b,color99.c,colour3.d,color3,,%,__proto__,hide")).toEqual(USUAL);
    expect(readCurveOptions("strong,light,log.a,log.a").logarithmic).toEqual(["a"]);
  });

  it("is of so much of a long address as can be shown", () => {
    expect(readCurveOptions(Array.from({ length: 10_000 }, (_, k) => `hide.${k}`).join(",")).hidden).toHaveLength(500);
  });
});

describe("the colours of trials", () => {
  const trials = ["a", "b", "b", "c"].map((name) => ({ name }));

  it("are by their places, all ranks of a trial alike, or those that were chosen", () => {
    expect([...trialColors(trials, new Map([["b", 7]]))]).toEqual([
      ["a", 0],
      ["b", 7],
      ["c", 2],
    ]);
  });
});

it("keys of curves differ where their names do", () => expect(curveKey("a/b", "c")).not.toBe(curveKey("a", "b/c")));

it("a name is added to a list, and taken out again", () => {
  expect(toggled(["a"], "b")).toEqual(["a", "b"]);
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
});
