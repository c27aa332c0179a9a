import { describe, expect, it } from "vitest";
import type { Bundle, Loaded } from "../../../../src/data/bundle";
import type { Trial } from "../../../../src/data/format/types";
import { StepsUnion } from "../../../../src/tabs/modules/levels/union_steps";
import { type Described, materialOf } from "../../../support/call_graphs";

/** A module that goes through one of many branches. */
function through(branch: number): Described {
  const names = Array.from({ length: 3 }, (_, k) => `m.branch${k}`);
  // All branches are in the network, so that positions mean the same on every step.
  return {
    calls: [
      ["m", -1, "x", "y"],
      [names[branch]!, 0, "x", "y"],
    ],
    edges: ["x>y"],
  };
}

const NETWORK = {
  modules: ["m", "m.branch0", "m.branch1", "m.branch2"].map((name) => ({ name, type: "T", parent: -1, description: "" })),
  parameters: [],
  optimizers: null,
};
const MATERIAL = [0, 1, 2].map((branch) => {
  const material = materialOf(through(branch));
  material.calls.calls.module = [0, 1 + branch];
  return material;
});

/** A bundle whose step k has the calls `sets[k]`, by iteration; `missing` are not loaded yet. */
function bundleWith(sets: readonly (readonly number[])[], missing: Set<number>, error?: Error): { bundle: Bundle; trial: Trial } {
  const read = <T>(number: number, value: T): Loaded<T> =>
    missing.has(number) ? (error === undefined ? { state: "loading" } : { state: "failed", error }) : { state: "ready", value };
  const bundle = {
    index: { structure_sets: sets },
    callSet: (_: Trial, step: number) => sets[step],
    calls: (number: number) => read(number, MATERIAL[number]!.calls),
    graph: (number: number) => read(number, MATERIAL[number]!.graph),
    layout: () => ({ state: "ready", value: MATERIAL[0]!.layout }),
  } as unknown as Bundle;
  return { bundle, trial: { steps: { structure_set: sets.map((_, k) => k), layout: sets.map(() => 0) } } as unknown as Trial };
}

describe("the union over steps", () => {
  it("counts steps, and works out equal ones once", () => {
    const sets = [[0], [0], [1], [0, 1], [-1]];
    const { bundle, trial } = bundleWith(sets, new Set());
    const union = new StepsUnion(bundle, trial, [0, 1, 2, 3, 4], "0.m");
    const { level, loaded, total } = union.read(NETWORK);
    // The first and the second branch in iteration 0, and the second one in iteration 1.
    expect([loaded, total]).toEqual([3, 3]);
    expect(level?.steps).toBe(5);
    expect(level?.nodes.map(({ key, steps }) => `${key} ${steps}`)).toEqual([
      "input in0 4",
      "0.m.branch1 2",
      "0.m.branch0 3",
      "output output 4",
    ]);
  });

  it("says how far it is, and what could not be loaded", () => {
    const missing = new Set([1]);
    const { bundle, trial } = bundleWith([[0], [1], [2]], missing);
    const union = new StepsUnion(bundle, trial, [0, 1, 2], "0.m");
    expect(union.read(NETWORK)).toEqual({ level: null, loaded: 2, total: 3, error: null, hasMore: false });
    missing.clear();
    expect(union.read(NETWORK).level?.nodes).toHaveLength(5);
    const damaged = bundleWith([[0], [1]], new Set([1]), new Error("damaged"));
    expect(new StepsUnion(damaged.bundle, damaged.trial, [0, 1], "0.m").read(NETWORK)).toMatchObject({
      level: null,
      loaded: 1,
      error: new Error("damaged"),
    });
  });

  it("is empty of a call that was not made on any of the steps", () => {
    const { bundle, trial } = bundleWith([[0], [0]], new Set());
    expect(new StepsUnion(bundle, trial, [0, 1], "0.m.branch2").read(NETWORK).level).toEqual({ nodes: [], edges: [], steps: 2 });
    expect(new StepsUnion(bundle, trial, [0, 1], "").read(NETWORK).level?.nodes.map(({ title }) => title)).toEqual(["x", "m"]);
  });

  it("lets the page answer while there is much", () => {
    const { bundle, trial } = bundleWith(
      Array.from({ length: 3000 }, () => [0]),
      new Set(),
    );
    // Iterations at other places are others.
    Object.assign(bundle, { callSet: () => Array.from({ length: 3000 }, () => 0) });
    const union = new StepsUnion(bundle, trial, [0], "0.m");
    const first = union.read(NETWORK);
    expect(first).toMatchObject({ level: null, hasMore: true, total: 3000 });
    expect(first.loaded).toBeLessThan(2100);
    for (let turn = 0; turn < 2; turn++) {
      union.read(NETWORK);
    }
    expect(union.read(NETWORK)).toMatchObject({ hasMore: false, loaded: 3000 });
  });
});
