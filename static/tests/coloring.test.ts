import { describe, expect, it } from "vitest";
import { colorDifferences, colorNodes, readColorChoice, writeColorChoice } from "../src/views/graph/coloring";
import { numberPerNode, relativeDifferences, strongestMember, withSelected, type TensorNumber } from "../src/views/graph/node_numbers";
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
    for (const text of ["abs_mean", "std,log", "svd,linear", "mean,difference"]) {
      expect(writeColorChoice(readColorChoice(text)!)).toBe(text);
    }
    expect(readColorChoice("abs_mean,upside_down")).toEqual({ statistic: "abs_mean", scale: null, isDifference: false });
    expect(["", "constructor", undefined, ",log"].map(readColorChoice)).toEqual([null, null, null, null]);
  });
});

describe("the scale of differences", () => {
  const coloring = colorDifferences(numbersOf([0, -0.5, 0.25, NaN, -Infinity, null]));

  it("is symmetric, with nothing in its middle", () => {
    expect([coloring.low, coloring.high]).toEqual([-0.5, 0.5]);
    expect(coloring.nodes.map((node) => node?.fill)).toEqual(["rgb(238, 238, 238)", "rgb(5, 71, 138)", "rgb(235, 151, 74)", null, null, undefined]);
    expect(coloring.nodes.map((node) => node?.sign)).toEqual(["=", "", "", "NaN", "\u2212\u221e", undefined]);
    expect([coloring.equal, coloring.notFinite, coloring.without]).toEqual([1, 2, 1]);
  });

  it("has one colour where nothing differs, and no ends where nothing is known", () => {
    expect(colorDifferences(numbersOf([0, 0])).nodes[0]?.fill).toBe("rgb(238, 238, 238)");
    expect(colorDifferences(numbersOf([null, NaN])).high).toBeNaN();
  });
});

describe("relative differences", () => {
  const of = (...values: number[]) => ({ numbers: values.map((value, k) => ({ node: `n${k}`, role: "r", value })), chunks: [1], isComplete: true });
  const between = (a: number, b: number) => relativeDifferences(of(a), of(b)).numbers[0]?.value;

  it("are parts of the larger magnitude", () => {
    expect([between(4, 5), between(5, 4), between(-2, 2), between(0, 3), between(0, 0), between(NaN, NaN)]).toEqual([-0.2, 0.2, -2, -1, 0, 0]);
    expect([between(1, NaN), between(1, Infinity), between(Infinity, Infinity)]).toEqual([NaN, -Infinity, 0]);
    expect(between(-Number.MAX_VALUE, Number.MAX_VALUE)).toBe(-2);
  });

  it("exist where both have a number, of the same role whatever iteration that comes from", () => {
    const [a, b] = [of(1, 2), { ...of(1), chunks: [2], isComplete: false }];
    expect(relativeDifferences(a, b)).toEqual({ numbers: [{ node: "n0", role: "r", value: 0 }], chunks: [1, 2], isComplete: false });
    const earlier = (iteration: number, value: number) => ({ ...of(), numbers: [{ node: "m", role: `m__from_iteration_${iteration}`, value }] });
    expect(relativeDifferences(earlier(1, 2), earlier(3, 4)).numbers).toHaveLength(1);
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
