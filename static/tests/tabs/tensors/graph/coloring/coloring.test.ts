import { describe, expect, it } from "vitest";
import { colorDifferences, colorNodes, readColorChoice, writeColorChoice } from "../../../../../src/tabs/tensors/graph/coloring/coloring";
import {
  numberPerNode,
  relativeDifferences,
  strongestMember,
  type TensorNumber,
  withSelected,
} from "../../../../../src/tabs/tensors/graph/coloring/node_numbers";
import { rankNodes, readRanking } from "../../../../../src/tabs/tensors/graph/coloring/ranking";
import { StepParameters } from "../../../../../src/tabs/tensors/graph/coloring/step_parameters";
import { gridOf } from "../../../../support/graphs";

const DARKEST = "rgb(68, 1, 84)";
const BRIGHTEST = "rgb(253, 231, 37)";

const numbersOf = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? undefined : { value, role: "r", among: 1 }));
const fills = (values: readonly (number | null)[], scale: "log" | "linear" | null = null) =>
  colorNodes(numbersOf(values), scale).nodes.map((node) => node?.fill);

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

  it("leaves outliers out, which have the colour of an end and a sign", () => {
    // The quartiles of the exponents are -4 and -2: a gap of more than two powers of ten is wide.
    const values = [1e-5, 1e-4, 1e-4, 1e-3, 1e-3, 1e-2, 1e-2, 1e-1, 5e-11, 1e4, 0];
    const { low, high, below, above, zeros, nodes } = colorNodes(numbersOf(values), "log");
    expect([low, high, below, above, zeros]).toEqual([1e-5, 1e-1, 1, 1, 1]);
    expect(nodes.slice(7).map((node) => [node?.fill, node?.sign])).toEqual([
      [BRIGHTEST, ""],
      [DARKEST, "<"],
      [BRIGHTEST, ">"],
      [null, "0"],
    ]);
    expect(nodes[0]?.fill).toBe(DARKEST);
    expect(colorNodes(numbersOf([1, 2, 3, 4, 5, 6, 7, -1e6]), "linear")).toMatchObject({ low: 1, high: 7, below: 1, above: 0 });
  });

  it("leaves nothing out where there are few numbers, or most are the same", () => {
    expect(colorNodes(numbersOf([1e-30, 1, 1.1, 1.2, 1.3, 1.4, 1.5]), "log")).toMatchObject({ low: 1e-30, high: 1.5, below: 0 });
    expect(colorNodes(numbersOf([2, 2, 2, 2, 2, 2, 2, 2, 2, 3]), "linear")).toMatchObject({ low: 2, high: 3, above: 0 });
    // A steady decline has no outliers, nor has a steady rise on a logarithmic scale, however skewed it is.
    expect(colorNodes(numbersOf(Array.from({ length: 5000 }, (_, k) => k + 1)), "log")).toMatchObject({ low: 1, high: 5000 });
    const decline = Array.from({ length: 30 }, (_, k) => 2 ** -k);
    expect(colorNodes(numbersOf(decline), null)).toMatchObject({ low: 2 ** -29, high: 1, below: 0, above: 0 });
  });

  it("shows magnitudes where a logarithm has no place for signs, and names the scale", () => {
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
    expect(coloring.nodes.map((node) => node?.fill)).toEqual([
      "rgb(238, 238, 238)",
      "rgb(5, 71, 138)",
      "rgb(235, 151, 74)",
      null,
      null,
      undefined,
    ]);
    expect(coloring.nodes.map((node) => node?.sign)).toEqual(["=", "", "", "NaN", "\u2212\u221e", undefined]);
    expect([coloring.equal, coloring.notFinite, coloring.without]).toEqual([1, 2, 1]);
  });

  it("has one colour where nothing differs, and no ends where nothing is known", () => {
    expect(colorDifferences(numbersOf([0, 0])).nodes[0]?.fill).toBe("rgb(238, 238, 238)");
    expect(colorDifferences(numbersOf([null, NaN])).high).toBeNaN();
  });
});

describe("the ranking", () => {
  it("is by magnitude, with what is not finite first, and the order of the graph where nodes are equal", () => {
    const numbers = numbersOf([3, -1, null, 0, NaN, -Infinity, 1, -3]);
    expect(rankNodes(numbers, "smallest")).toEqual([4, 5, 3, 1, 6, 0, 7]);
    expect(rankNodes(numbers, "largest")).toEqual([4, 5, 0, 7, 1, 6, 3]);
    expect([readRanking("largest"), readRanking("smallest,std"), readRanking("other,std"), readRanking(undefined)]).toEqual([
      { order: "largest", statistic: undefined },
      { order: "smallest", statistic: "std" },
      null,
      null,
    ]);
  });
});

describe("what a step says about parameters", () => {
  const entry = (name: string, alias: string | null = null) => ({
    name,
    module: 0,
    shape: [1],
    dtype: "F32",
    requires_grad: true,
    alias_of: alias,
  });
  const network = { modules: [], parameters: [entry("a"), entry("b"), entry("c"), entry("tied", "b")], optimizers: null };
  // Of c and b: norms, norms of updates, and what earlier steps left.
  const rows = [4, 0, 0.5, 2, NaN, NaN];
  const numbers = { length: 6, at: (k: number) => rows[k], chunks: (k: number) => [k], dtype: "F64", parts: () => [] };

  it("is found by name, through a shared tensor too, and has no ratio to a norm of 0", () => {
    const parameters = new StepParameters(numbers, network, { parameter: [1, 2] });
    expect(["a", "b", "c", "tied", "x"].map((name) => parameters.has(name))).toEqual([false, true, true, true, false]);
    expect(parameters.read("c", "norm")).toBe(0);
    expect(parameters.read("c", "update_ratio")).toBeNull();
    expect(["norm", "update_norm", "update_ratio"].map((name) => parameters.read("tied", name as "norm"))).toEqual([4, 0.5, 0.125]);
    expect(parameters.chunks("c")).toEqual([1, 3]);
  });

  it("is not loaded yet, or nothing where its numbers do not fit its list", () => {
    const missing = new StepParameters({ ...numbers, at: () => undefined }, network, { parameter: [1, 2] });
    expect(missing.read("b", "norm")).toBeUndefined();
    expect(new StepParameters(numbers, network, { parameter: [1, 2, 3] }).has("b")).toBe(false);
  });
});

describe("relative differences", () => {
  const of = (...values: number[]) => ({
    numbers: values.map((value, k) => ({ node: `n${k}`, role: "r", value })),
    chunks: [1],
    isComplete: true,
  });
  const between = (a: number, b: number) => relativeDifferences(of(a), of(b)).numbers[0]?.value;

  it("are parts of the larger magnitude", () => {
    expect([between(4, 5), between(5, 4), between(-2, 2), between(0, 3), between(0, 0), between(NaN, NaN)]).toEqual([
      -0.2, 0.2, -2, -1, 0, 0,
    ]);
    expect([between(1, NaN), between(1, Infinity), between(Infinity, Infinity)]).toEqual([NaN, -Infinity, 0]);
    expect(between(-Number.MAX_VALUE, Number.MAX_VALUE)).toBe(-2);
  });

  it("exist where both have a number, of the same role whatever iteration that comes from", () => {
    const [a, b] = [of(1, 2), { ...of(1), chunks: [2], isComplete: false }];
    expect(relativeDifferences(a, b)).toEqual({ numbers: [{ node: "n0", role: "r", value: 0 }], chunks: [1, 2], isComplete: false });
    const earlier = (iteration: number, value: number) => ({
      ...of(),
      numbers: [{ node: "m", role: `m__from_iteration_${iteration}`, value }],
    });
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
      strongestMember(
        [...values.keys()],
        values.map((value) => (value === undefined ? undefined : { value, role: "x", among: 1 })),
      );
    expect([of([1, -3, 2]), of([undefined, 0]), of([undefined]), of([Infinity, NaN, 1]), of([5, -Infinity])]).toEqual([
      1,
      1,
      undefined,
      1,
      1,
    ]);
  });

  it("never hides what is not finite", () => {
    const bad = (value: number) => numberPerNode(graph, [{ node: "c0r0", role: "x", value }, ...numbers])[0]?.value;
    expect([bad(NaN), bad(-Infinity)]).toEqual([NaN, -Infinity]);
  });
});
