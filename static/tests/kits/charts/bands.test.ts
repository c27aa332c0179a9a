import { describe, expect, it } from "vitest";
import { bandOf, joinedGroups, kindsOf, onOneAxis, patternOf, withBands } from "../../../src/kits/charts/bands";

function curve(group: string, name: string, t: number[] = [0, 1], v: number[] = t, type = "x") {
  return { group, name, type, t, v };
}

const layers = (count: number, group = "norms") =>
  Array.from({ length: count }, (_, k) => curve(group, `layer${k + 1}`, [0, 1], [k, 10 * k]));
const closed = () => false;

describe("the pattern of a name", () => {
  it("has a star in place of each number", () => {
    expect(["layer12.weight", "h.3.mlp.0", "loss"].map(patternOf)).toEqual(["layer*.weight", "h.*.mlp.*", "loss"]);
  });
});

describe("a band", () => {
  it("has the median and the range at each time at which a curve has a value", () => {
    const curves = [
      { t: [0, 1, 2], v: [1, 5, 7] },
      { t: [2, 0, 1], v: [9, 3, 4] },
      { t: [0, 2], v: [8, 8] },
    ];
    expect(bandOf(curves)).toEqual({
      t: [0, 1, 2],
      v: [3, 4.5, 8],
      band: { low: [1, 4, 7], high: [8, 5, 9], curves: 3, notFinite: 0 },
    });
  });

  it("counts what is not finite, and has no value where nothing is", () => {
    const curves = [
      { t: [0, 1, 1], v: [NaN, 5, 6] },
      { t: [0, 1], v: [Infinity, 2] },
    ];
    expect(bandOf(curves)).toEqual({
      t: [0, 1],
      v: [NaN, 4],
      band: { low: [NaN, 2], high: [NaN, 6], curves: 2, notFinite: 2 },
    });
  });
});

describe("many curves of one kind", () => {
  it("are one band for each type, at the place of the first; others stay", () => {
    const eleven = layers(11);
    const others = eleven.map((each) => ({ ...each, type: "eval" }));
    const shown = withBands([curve("norms", "total"), ...eleven, ...others, curve("loss", "a1"), curve("loss", "a2")], closed);
    expect(shown.map(({ group, name, type, band }) => [group, name, type, band?.curves])).toEqual([
      ["norms", "total", "x", undefined],
      ["norms", "layer*", "x", 11],
      ["norms", "layer*", "eval", 11],
      ["loss", "a1", "x", undefined],
      ["loss", "a2", "x", undefined],
    ]);
    // The values of the eleven are 0 to 10, and ten times that.
    expect(shown[1]).toMatchObject({ t: [0, 1], v: [5, 50], band: { low: [0, 0], high: [10, 100] } });
  });

  it("may differ in their types, as those of steps with many lengths do", () => {
    const types = Array.from({ length: 7 }, (_, k) => curve("loss", "loss", [0], [k], `0${k}_iterations`));
    const others = ["eval", "train", "a", "b", "c", "d", "e"].map((type) => curve("loss", "loss", [0], [1], type));
    const shown = withBands([...types, ...others], closed);
    expect(shown).toHaveLength(8);
    expect(shown[0]).toMatchObject({ name: "loss", type: "*_iterations", v: [3], band: { low: [0], high: [6], curves: 7 } });
    expect(kindsOf([...types, ...types, ...others])).toEqual(new Map([["loss", new Map([["loss *_iterations", 7]])]]));
    expect(withBands(types, (group, label) => group === "loss" && label === "loss *_iterations")).toEqual(types);
  });

  it("are compared between their points where no two have a step in common", () => {
    expect(
      onOneAxis([
        { t: [4, 0], v: [8, 0] },
        { t: [1, 3, 5], v: [1, NaN, 3] },
      ]),
    ).toEqual([
      // At 5 it goes on, since it is without a point from 0 to 4.
      { t: [0, 1, 3, 4, 5], v: [0, 2, 6, 8, 8] },
      { t: [0, 1, 3, 5], v: [1, 1, NaN, 3] },
    ]);
    expect(
      onOneAxis([
        { t: [0, 100], v: [0, 0] },
        { t: [50, 51], v: [7, 8] },
      ])[1],
    ).toEqual({ t: [50, 51], v: [7, 8] });
    // Curve k is k everywhere, with points at k, k + 7, and k + 14.
    const types = Array.from({ length: 7 }, (_, k) => curve("loss", "loss", [k, k + 7, k + 14], [k, k, k], `0${k}_iterations`));
    const [shown] = withBands(types, closed);
    expect(shown!.t).toHaveLength(21);
    expect([shown!.v[7], shown!.band!.low[7], shown!.band!.high[7]]).toEqual([3, 0, 6]);
  });

  it("are those with more than six names", () => {
    expect(withBands(layers(6), closed)).toHaveLength(6);
    expect(withBands(layers(7), closed)).toHaveLength(1);
    expect(kindsOf([...layers(7), ...layers(6, "few")])).toEqual(
      new Map([
        ["norms", new Map([["layer*", 7]])],
        ["few", new Map()],
      ]),
    );
  });

  it("are drawn one by one where their kind is opened", () => {
    const both = [...layers(7), ...layers(8, "others")];
    const shown = withBands(both, (group, pattern) => group === "norms" && pattern === "layer*");
    expect(shown.map(({ name }) => name)).toEqual([...layers(7).map(({ name }) => name), "layer*"]);
  });

  it("come together from groups of their own, if these are many", () => {
    const own = Array.from({ length: 7 }, (_, k) => curve(`norm/layer${k}`, "weight"));
    expect(joinedGroups([...own, curve("loss", "a")]).map(({ group, name }) => [group, name])).toEqual([
      ...own.map(({ group }) => ["norm/layer*", `${group} weight`]),
      ["loss", "a"],
    ]);
    expect(joinedGroups(own.slice(1))).toEqual(own.slice(1));
  });
});
