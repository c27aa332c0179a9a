import { describe, expect, it } from "vitest";
import { chartData, notPositiveOf } from "../../../src/kits/charts/chart_data";
import { curveGroups, nearestPoint, valueInWords } from "../../../src/kits/charts/curve_data";
import type { StepType } from "../../../src/state/selection/type_order";
import { MARKERS } from "../../../src/ui/figure/markers";

function curve(group: string, name: string, type: string, t: number[] = [1], v: number[] = t) {
  return { group, name, type, t, v };
}

describe("curveGroups", () => {
  it("keeps the order of the groups, and orders a group by name and type", () => {
    const groups = curveGroups({
      curves: [curve("loss", "b", "10_steps"), curve("accuracy", "a", "x"), curve("loss", "a", "9_steps"), curve("loss", "b", "9_steps")],
    });
    expect(groups.map((group) => group.group)).toEqual(["loss", "accuracy"]);
    expect(groups[0]?.curves.map((each) => `${each.name} ${each.type}`)).toEqual(["b 9_steps", "b 10_steps", "a 9_steps"]);
  });

  it("does not say a type that is the name too", () => {
    const curves = [curve("loss", "train", "train"), curve("loss", "train", "eval")];
    expect(curveGroups({ curves })[0]?.curves.map(({ name, type }) => [name, type])).toEqual([
      ["train", ""],
      ["train", "eval"],
    ]);
    const [group] = curveGroups({ curves, of: { side: "A", trial: "one", color: 0 } });
    expect(group?.curves.map(({ type }) => type)).toEqual(["one", "eval, one"]);
  });

  it("has the colours of types, training first, also where a type has no curve in the group", () => {
    const curves = [
      curve("loss", "mse", "eval"),
      curve("loss", "mse", "train"),
      curve("seconds", "eval", "eval"),
      curve("accuracy", "all", "eval"),
      curve("norms", "b", "train"),
      curve("norms", "a", "train"),
    ];
    const colors = (types: StepType[]) =>
      curveGroups({ curves, types }).map(({ group, curves: own }) => [
        group,
        own.map(({ name, type, style }) => `${name} ${type} ${style.color}`),
      ]);
    const norms = ["norms", ["b train 0", "a train 1"]];
    const evaluated = { name: "eval", isEvaluation: true };
    const train = { name: "train", isEvaluation: false };
    expect(colors([train, evaluated])).toEqual([
      ["loss", ["mse train 0", "mse eval 1"]],
      ["seconds", ["eval  1"]],
      ["accuracy", ["all eval 1"]],
      norms,
    ]);
    expect(colors([{ name: "a_first", isEvaluation: false }, train, evaluated])).toEqual([
      ["loss", ["mse train 1", "mse eval 2"]],
      ["seconds", ["eval  2"]],
      ["accuracy", ["all eval 2"]],
      norms,
    ]);
    // A type that does not train comes last, whatever its name is.
    expect(colors([{ name: "a_first", isEvaluation: true }, train, evaluated])[0]).toEqual(["loss", ["mse train 0", "mse eval 2"]]);
  });

  it("tells twelve types of execution and forty-eight curves apart", () => {
    const types = Array.from({ length: 12 }, (_, k) => `type ${k}`);
    const [group] = curveGroups({ curves: ["a", "b", "c", "d"].flatMap((name) => types.map((type) => curve("g", name, type))) });
    const styles = group!.curves.map(({ style }) => JSON.stringify(style));
    expect(new Set(styles).size).toBe(48);
    expect(new Set(group!.curves.slice(0, 12).map(({ style }) => style.marker)).size).toBe(12);
    expect(new Set(group!.curves.slice(0, 12).map(({ style }) => style.color)).size).toBe(12);
  });

  it("puts points in the order of time and leaves out those that have none", () => {
    const [group] = curveGroups({ curves: [curve("g", "a", "x", [3, NaN, 1, Infinity], [30, 0, 10, 0])] });
    expect(group!.curves[0]).toMatchObject({ t: [1, 3], v: [10, 30] });
  });
});

describe("curves of two trials", () => {
  const a = { curves: [curve("loss", "train", "x"), curve("loss", "test", "x")], of: { side: "A" as const, trial: "one", color: 4 } };
  const b = {
    curves: [curve("loss", "test", "x"), curve("loss", "extra", "x"), curve("new", "rate", "x")],
    of: { side: "B" as const, trial: "two", color: 7 },
  };
  const groups = curveGroups(a, b);

  it("have the colours of their trials; those of B are thin and finely dashed, with hollow markers", () => {
    const shown = groups[0]!.curves.map(({ side, name, type, style }) => [
      side,
      name,
      type,
      style.color,
      style.dash.length > 0,
      style.width,
      MARKERS[style.marker]!.hollow,
    ]);
    expect(shown).toEqual([
      ["A", "train", "x, one", 4, false, 1.75, false],
      ["A", "test", "x, one", 4, true, 1.75, false],
      ["B", "test", "x, two", 7, true, 1, true],
      ["B", "extra", "x, two", 7, true, 1, true],
    ]);
  });

  it("differ in dashes and markers, twenty of each trial; those of one name have the same shape", () => {
    const curves = Array.from({ length: 20 }, (_, k) => curve("loss", `class ${k}`, "x"));
    const [group] = curveGroups({ curves, of: a.of }, { curves, of: b.of });
    const styles = group!.curves.map(({ side, style: { dash, width, marker } }) => ({
      side,
      look: JSON.stringify([dash, marker]),
      thinAndHollow: [width === 1, MARKERS[marker]!.hollow],
      shape: MARKERS[marker]!.points,
    }));
    expect(new Set(styles.map(({ look }) => look)).size).toBe(40);
    for (const { side, thinAndHollow } of styles) {
      expect(thinAndHollow).toEqual(side === "A" ? [false, false] : [true, true]);
    }
    const shapes = (side: string) => styles.filter((style) => style.side === side).map(({ shape }) => shape);
    expect(shapes("A")).toEqual(shapes("B"));
  });

  it("are named for the address by their trial too, unless it is the first one", () => {
    expect(groups[0]!.curves.map(({ id }) => id)).toEqual(["loss/train/x", "loss/test/x", "loss/test/x/two", "loss/extra/x/two"]);
  });

  it("are shown where only B has the group", () => {
    expect(groups.map(({ group }) => group)).toEqual(["loss", "new"]);
    expect(groups[1]!.curves.map(({ type, style }) => [type, style.color])).toEqual([["x, two", 7]]);
  });
});

describe("chartData", () => {
  const [group] = curveGroups({
    curves: [curve("g", "a", "x", [1, 2, 4], [1, NaN, -4]), curve("g", "b", "x", [2, 3, 4], [0, Infinity, 5])],
  });

  it("brings curves onto one axis: nothing where a curve has no point, a gap where its value is not finite", () => {
    const data = chartData(group!.curves);
    expect(data.times).toEqual([1, 2, 3, 4]);
    expect(data.values).toEqual([
      [1, null, undefined, -4],
      [undefined, 0, null, 5],
    ]);
    expect(data.nonFinite).toEqual([[1], [1]]);
  });

  it("takes the last of several points at one time, and adds none", () => {
    const twice = { ...group!.curves[0]!, t: [1, 1, 2], v: [5, 6, 7] };
    const other = { ...group!.curves[1]!, t: [1, 2, 3], v: [1, 2, 3] };
    expect(chartData([twice, other]).values).toEqual([
      [6, 7, undefined],
      [1, 2, 3],
    ]);
  });

  it("covers an extent in which no curve has a point", () => {
    const data = chartData([{ ...group!.curves[0]!, t: Float64Array.of(5, 6), v: Float64Array.of(1, 2) }], [0, 6]);
    expect(data).toEqual({ times: [0, 5, 6], values: [[undefined, 1, 2]], nonFinite: [[]], absent: 0 });
  });

  it("interrupts a line where there was nothing, and keeps a zero that was there", () => {
    const given = { ...group!.curves[0]!, t: [1, 2, 3], v: [0, 0, 5], absent: Uint8Array.of(0, 1, 0) };
    const data = chartData([given]);
    expect(data.values).toEqual([[0, null, 5]]);
    expect([data.absent, data.nonFinite]).toEqual([1, [[]]]);
    expect([0, 1, 2, 3].map((place) => valueInWords(given, place))).toEqual(["0", "no gradient", "5", ""]);
  });

  it("counts what a logarithmic scale cannot show", () => {
    expect(notPositiveOf(group!.curves)).toBe(2);
  });
});

describe("nearestPoint", () => {
  it.each([
    [[1, 2, 10], 0, 0],
    [[1, 2, 10], 2, 1],
    [[1, 2, 10], 5, 1],
    [[1, 2, 10], 7, 2],
    [[1, 2, 10], 99, 2],
    [[], 5, -1],
  ])("of %j to %i", (t, time, place) => expect(nearestPoint(t, time)).toBe(place));
});
