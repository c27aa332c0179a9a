import { describe, expect, it } from "vitest";
import { colorNodes, readColorChoice, writeColorChoice } from "../src/views/graph/coloring";
import { numberPerNode, strongestMember, withSelected, type TensorNumber } from "../src/views/graph/node_numbers";
import { gridOf } from "./graphs";

const DARKEST = "rgb(68, 1, 84)";
const BRIGHTEST = "rgb(253, 231, 37)";

const numbersOf = (values: readonly (number | null)[]) => values.map((value) => (value === null ? undefined : { value, role: "r", among: 1 }));
const fills = (values: readonly (number | null)[], scale: "log" | "linear" | null = null) => colorNodes(numbersOf(values), scale).nodes.map((node) => node?.fill);

describe("the scale of colours", () => {
  it("is logarithmic where numbers differ a hundredfold and none is negative", () => {
    const scaleOf = (values: number[]) => colorNodes(numbersOf(values), null).scale;
    expect([scaleOf([1, 99]), scaleOf([1, 100]), scaleOf([-1, 1, 1000]), scaleOf([1, 100, 0])]).toEqual(["linear", "log", "linear", "log"]);
    expect(colorNodes(numbersOf([1, 100]), "linear").scale).toBe("linear");
  });

  it("goes from the smallest to the largest", () => {
    // 0.01 is half way between 0.0001 and 1 on a logarithmic scale, as 0.50005 is on a linear one.
    const log = fills([1e-4, 1e-2, 1], "log");
    expect([log[0], log[2]]).toEqual([DARKEST, BRIGHTEST]);
    expect(log[1]).toBe(fills([1e-4, 0.50005, 1], "linear")[1]);
    expect(fills([-3, 5], null)).toEqual([DARKEST, BRIGHTEST]);
    const { low, high } = colorNodes(numbersOf([1e-4, 0, NaN, 1]), "log");
    expect([low, high]).toEqual([1e-4, 1]);
  });

  it("shows magnitudes where a logarithm has no place for signs, and says so", () => {
    const coloring = colorNodes(numbersOf([-100, 1]), "log");
    expect([coloring.ofMagnitudes, coloring.low, coloring.high, coloring.nodes[0]?.fill]).toEqual([true, 1, 100, BRIGHTEST]);
  });

  it("marks what has no place on it by a sign", () => {
    const coloring = colorNodes(numbersOf([NaN, Infinity, -Infinity, 0, 1e-9, 1, null]), null);
    expect(coloring.nodes.map((node) => node?.sign)).toEqual(["NaN", "\u221e", "\u2212\u221e", "0", "", "", undefined]);
    expect([coloring.notFinite, coloring.zeros, coloring.without]).toEqual([3, 1, 1]);
    expect(fills([NaN, 0])[1]).not.toBeNull();
  });

  it("works where all numbers are the same, where there are none, and at the limits of floating point", () => {
    expect(fills([2, 2])[0]).toMatch(/^rgb/);
    expect(colorNodes(numbersOf([null, NaN]), null).low).toBeNaN();
    expect(fills([-Number.MAX_VALUE, Number.MAX_VALUE], "linear")).toEqual([DARKEST, BRIGHTEST]);
  });

  it("has text that can be read", () => {
    const [dark, bright] = colorNodes(numbersOf([0, 1]), "linear").nodes;
    expect([dark?.ink, bright?.ink]).toEqual(["#ffffff", "#000000"]);
  });

  it("is kept in the address", () => {
    for (const text of ["abs_mean", "std,log", "svd,linear"]) {
      expect(writeColorChoice(readColorChoice(text)!)).toBe(text);
    }
    expect(readColorChoice("abs_mean,upside_down")).toEqual({ statistic: "abs_mean", scale: null });
    expect(["", "constructor", undefined, ",log"].map(readColorChoice)).toEqual([null, null, null, null]);
  });
});

describe("the number of a node", () => {
  const graph = gridOf([1, 1]);
  const numbers: TensorNumber[] = [
    { node: "c0r0", role: "a", value: 1 },
    { node: "c0r0", role: "b", value: -3 },
    { node: "c0r0", role: "c", value: 2 },
  ];

  it("is the one of the largest magnitude, or that of the selected role", () => {
    expect(numberPerNode(graph, numbers)).toEqual([{ value: -3, role: "b", among: 3 }, undefined]);
    for (const { role, value } of numbers) {
      expect(withSelected(numberPerNode(graph, numbers), numbers, 0, { node: "c0r0", role })[0]).toEqual({ value, role, among: 3 });
    }
  });

  it("of a group is the one of the largest magnitude; NaN before all, and what has none does not count", () => {
    const of = (values: (number | undefined)[]) =>
      strongestMember([...values.keys()], values.map((value) => (value === undefined ? undefined : { value, role: "x", among: 1 })));
    expect([of([1, -3, 2]), of([undefined, 0]), of([undefined]), of([Infinity, NaN, 1]), of([5, -Infinity])]).toEqual([1, 1, undefined, 1, 1]);
  });

  it("never hides what is not finite", () => {
    const bad = (value: number) => numberPerNode(graph, [{ node: "c0r0", role: "x", value }, ...numbers])[0]?.value;
    expect([bad(NaN), bad(-Infinity)]).toEqual([NaN, -Infinity]);
  });
});
