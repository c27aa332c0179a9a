import { describe, expect, it } from "vitest";
import { curveGroups } from "../../../src/kits/charts/curve_data";
import { bestOf, betterOf, chartsOf, constantOf, hasTypesTogether } from "../../../src/tabs/overview/curves/curve_summary";

describe("which value of a curve is the best", () => {
  it.each([
    ["loss", "train", "lowest"],
    ["metrics", "val_loss", "lowest"],
    ["metrics", "valLoss", "lowest"],
    ["metrics", "Perplexity", "lowest"],
    ["metrics", "error", "lowest"],
    ["metrics", "accuracy", "highest"],
    ["metrics", "F1", "highest"],
    ["metrics", "test AUC", "highest"],
    ["reward", "episode", "highest"],
    ["metrics", "return", "highest"],
    // The name counts before the group.
    ["loss", "accuracy", "highest"],
    // Neither is known, or both are.
    ["metrics", "learning_rate", null],
    ["metrics", "because", null],
    ["metrics", "glossary", null],
    ["metrics", "reward error", null],
  ])("is known by its name: %s, %s", (group, name, expected) => {
    expect(betterOf({ group, name })).toBe(expected);
  });

  it("is the first of the finite ones", () => {
    const curve = { t: [0, 5, 10, 15, 20], v: [NaN, 3, -Infinity, 3, 4] };
    expect(bestOf(curve, "lowest")).toEqual({ t: 5, v: 3 });
    expect(bestOf(curve, "highest")).toEqual({ t: 20, v: 4 });
    expect(bestOf({ t: [1], v: [NaN] }, "lowest")).toBeNull();
  });
});

const curve = (group: string, name: string, type: string, v: number[], t = v.map((_, k) => 10 * k)) => ({ group, name, type, t, v });

describe("charts", () => {
  it("have the curves of a name of all trials, each with its last and its best value", () => {
    const charts = chartsOf([
      { trial: "a", types: [], color: 0, curves: [curve("loss", "mse", "train", [3, 1, 2]), curve("rate", "lr", "train", [0.1])] },
      { trial: "b", types: [], color: 5, curves: [curve("loss", "mse", "train", [5, 4, NaN])] },
    ]);
    expect(charts.map(({ group, name, better }) => [group, name, better])).toEqual([
      ["loss", "mse", "lowest"],
      ["rate", "lr", null],
    ]);
    expect(charts[0]!.lines).toMatchObject([
      { name: "a", color: 0, last: { t: 20, v: 2 }, best: { t: 10, v: 1 } },
      { name: "b", color: 5, last: { t: 20, v: NaN }, best: { t: 10, v: 4 } },
    ]);
    expect(charts[1]!.lines).toMatchObject([{ name: "a", last: { t: 0, v: 0.1 }, best: null }]);
  });

  it("have the colours of the Graphs tab, whatever was recorded first", () => {
    const curves = [
      curve("loss", "mse", "train", [1]),
      curve("loss", "mse", "eval", [2]),
      curve("loss", "l1", "train", [1]),
      curve("loss", "l1", "eval", [2]),
    ];
    const inGraphs = curveGroups({ curves }).flatMap((group) =>
      group.curves.map(({ name, type, style }) => [`${name} ${type}`, style.color]),
    );
    const shown = chartsOf([{ trial: "a", types: [], color: 0, curves }]).flatMap(({ name, lines }) =>
      lines.map((line) => [`${name} ${line.name}`, line.color]),
    );
    expect(new Map(shown as [string, number][])).toEqual(new Map(inGraphs as [string, number][]));
    expect(shown).toContainEqual(["mse train", 0]);
    expect(shown).toContainEqual(["mse eval", 1]);
  });

  it("tell types apart by colour in one trial, by dashes in several", () => {
    const curves = [curve("loss", "mse", "train", [1]), curve("loss", "mse", "validation", [2])];
    const [alone] = chartsOf([{ trial: "a", types: [], color: 0, curves }]);
    expect(alone!.lines.map(({ name, color, dash }) => [name, color, dash.length])).toEqual([
      ["train", 0, 0],
      ["validation", 1, 0],
    ]);
    const [both] = chartsOf([
      { trial: "a", types: [], color: 0, curves },
      { trial: "b", types: [], color: 5, curves },
    ]);
    expect(both!.lines.map(({ name, color, dash }) => [name, color, dash.length > 0])).toEqual([
      ["a, train", 0, false],
      ["a, validation", 0, true],
      ["b, train", 5, false],
      ["b, validation", 5, true],
    ]);
  });

  it("have one line of a trial for many types, in the order of time", () => {
    const curves = ["1", "2", "3", "4"].map((type, k) => curve("loss", "mse", type, [k], [10 - k]));
    const [chart] = chartsOf([{ trial: "a", types: [], color: 0, curves }]);
    expect(chart!.lines).toMatchObject([{ name: "", t: [7, 8, 9, 10], v: [3, 2, 1, 0], last: { t: 10, v: 0 }, best: { t: 10, v: 0 } }]);
    expect(hasTypesTogether(chart!)).toBe(true);
  });

  it("have solid lines where types are together, of whichever type a trial recorded first", () => {
    const curves = ["4", "1", "2", "3"].map((type, k) => curve("loss", "mse", type, [k], [k]));
    const [chart] = chartsOf([
      { trial: "a", types: [], color: 0, curves },
      { trial: "b", types: [], color: 5, curves },
    ]);
    expect(chart!.lines.map(({ name, color, dash }) => [name, color, dash])).toEqual([
      ["a", 0, []],
      ["b", 5, []],
    ]);
  });

  it("have no numbers of a curve without points", () => {
    expect(chartsOf([{ trial: "a", types: [], color: 0, curves: [curve("loss", "mse", "train", [])] }])[0]!.lines).toMatchObject([
      { last: null, best: null },
    ]);
    expect(chartsOf([])).toEqual([]);
  });
});

describe("a curve that never changes", () => {
  const constant = (...values: (readonly number[])[]) =>
    constantOf(
      chartsOf(values.map((v, k) => ({ trial: `t${k}`, types: [], color: k, curves: [curve("rates", "lr", "train", [...v])] })))[0]!,
    );

  it.each<[string, number[][], unknown]>([
    ["of one trial", [[0.1, 0.1]], [{ value: 0.1, lines: [] }]],
    [
      "of trials that agree",
      [
        [0.1, 0.1],
        [0.1, 0.1, 0.1],
      ],
      [{ value: 0.1, lines: [] }],
    ],
    [
      "of trials that differ",
      [
        [0.1, 0.1],
        [2, 2],
        [0.1, 0.1],
      ],
      [
        { value: 0.1, lines: ["t0", "t2"] },
        { value: 2, lines: ["t1"] },
      ],
    ],
  ])("is a line of text: %s", (_, values, expected) =>
    expect(constant(...values)).toEqual({ group: "rates", name: "lr", values: expected }),
  );

  it.each<[string, number[][]]>([
    ["a value differs", [[0.1, 0.2]]],
    [
      "another trial's does",
      [
        [0.1, 0.1],
        [1, 2],
      ],
    ],
    ["there is a single point", [[0.1]]],
    ["no value is finite", [[NaN, NaN]]],
    ["it is infinite", [[Infinity, Infinity]]],
    ["a value is NaN", [[1, NaN]]],
  ])("is a chart where %s", (_, values) => expect(constant(...values)).toBeNull());
});
