import { describe, expect, it, vi } from "vitest";
import type { FindingsDocument, FoundProblem } from "../../../src/data/format/findings";
import { countBadges, sortedBadges } from "../../../src/state/badges/badges";
import { badgesByModule, badgesByNode, tensorBadges } from "../../../src/state/badges/step_badges";
import type { OpenStep } from "../../../src/state/selection/open_step";
import { itemBadges, nextWithBadge } from "../../../src/tabs/tensors/graph/item_badges";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const GROUPS = [
  { name: "forward", tensors: [0, 1, 2, 3] },
  { name: "gradients", tensors: [0, 1, 2] },
];
/** NaN, +inf, -inf, zeros and flags of each record, in the order of the groups. The flag 1: there was no gradient. */
const COUNTS = [
  [2, 0, 0, 0, 0],
  [0, 0, 0, 5, 0],
  [0, 0, 0, 3, 0],
  [0, 0, 0, 0, 0],
  [1, 0, 4, 0, 0],
  [0, 0, 0, 6, 1],
  [0, 0, 0, 3, 0],
];

const STEP: FixtureStep = {
  step: 0,
  tensors: [
    { name: "m.a: output", iteration: 0, node: "a", kind: "kpis", shape: [4, 3] },
    { name: "m.a.weight", iteration: -1, type: "parameter", kind: "kpis", shape: [6], batch_dimension: null },
    { name: "m.ab (call 2): output", iteration: 0, node: "b", kind: "kpis", shape: [3], batch_dimension: null },
    { name: "empty", iteration: 0, kind: "kpis", shape: [0], batch_dimension: null },
  ],
  groups: GROUPS,
  graphs: [null],
  arrays: [
    { name: "counts", dtype: "I32", values: COUNTS.flat() },
    { name: "extrema.F32", dtype: "F32", values: new Array<number>(2 * COUNTS.length).fill(0) },
    { name: "statistics.F32", dtype: "F32", values: new Array<number>(44).fill(1) },
  ],
};

async function openedStep(rank: number | null = 0): Promise<{ open: OpenStep; badges: ReturnType<typeof tensorBadges> }> {
  const store = storeOf(dataOfBundle(buildBundle([STEP], [{ name: "trial", rank, steps: [0] }])));
  const { open } = await shownBy(store);
  await vi.waitUntil(() => tensorBadges(store, open!).size > 0);
  return { open: open!, badges: tensorBadges(store, open!) };
}

const at = (name: string, rule = "r", severity = 2): FoundProblem =>
  ({ rule, title: `Title of ${rule}`, severity, places: [{ kind: "parameter", name, iteration: null, source: null }] }) as FoundProblem;
const documentOf = (...findings: FoundProblem[]): FindingsDocument =>
  ({ incidents: findings.map((cause) => ({ cause, consequences: [] })) }) as unknown as FindingsDocument;

describe("tensors", () => {
  it("have badges of all that was recorded of them", async () => {
    const { badges } = await openedStep();
    expect([...badges]).toEqual([
      [
        0,
        [
          { kind: "nan", recording: "forward", count: 2 },
          { kind: "nan", recording: "gradients", count: 1 },
          { kind: "infinite", recording: "gradients", count: 4 },
        ],
      ],
      // Five of six values are zero, and the gradient was absent: neither is all zero.
      [
        2,
        [
          { kind: "zero", recording: "forward", count: 3 },
          { kind: "zero", recording: "gradients", count: 3 },
        ],
      ],
    ]);
  });

  it("are not called all zero where their counts are those of several ranks", async () => {
    expect([...(await openedStep(null)).badges.keys()]).toEqual([0]);
  });
});

describe("nodes and groups", () => {
  it("have badges with their reasons, the worst of a node first", async () => {
    const { open, badges } = await openedStep();
    const graph = open.graphs[0]!;
    const reasons = badgesByNode(open, 0, graph, badges, documentOf(at("m.a.weight", "never-updated"), at("m.a.weight", "other", 0)));
    const byName = Object.fromEntries([...reasons].map(([node, own]) => [graph.nodes.name[node], own.map(({ text }) => text)]));
    expect(byName).toEqual({
      a: ["NaN in the values", "NaN in gradients", "infinite in gradients"],
      b: ["all zero in the values", "all zero in gradients"],
      "m.a.weight": ["Finding: Title of never-updated", "never updated"],
    });
    const notKnown = { ...graph, to: [1], not_known: { tensor: [0, 1, 2], reason: ["outside", "autograd", "of a later version"] } };
    const doubts = badgesByNode(open, 0, notKnown, new Map(), null);
    expect([...doubts.values()].map((own) => own.map(({ badge, text }) => [badge, text.split(":")[0]]))).toEqual([
      [["not-known", "How it was computed is not known"]],
      [["not-known", "It may depend on more than the graph shows"]],
      [["not-known", "How it was computed is not known."]],
    ]);
    const groups = new Map([[9, { prefix: "m", members: [0, 2], type: "calculated" as const }]]);
    const nan = { badge: "nan" as const, text: "" };
    const ofNode = new Map([
      [0, [nan]],
      [2, [{ badge: "zero" as const, text: "" }, nan]],
      [1, [nan]],
      [3, [nan]],
    ]);
    const items = { numbers: [1, 9], ofNode: Int32Array.from([9, 1, 9, -1]), groups };
    expect(Object.fromEntries(itemBadges(ofNode, items))).toEqual({ 9: ["nan", "zero"], 1: ["nan"] });
    expect([0, 1, 2, 3].map((selected) => nextWithBadge(ofNode, selected, "zero"))).toEqual([2, 2, 2, 2]);
    expect([0, 1, 2, 3].map((selected) => nextWithBadge(ofNode, selected, "nan"))).toEqual([1, 2, 3, 0]);
    expect(nextWithBadge(ofNode, 0, "finding")).toBeUndefined();
  });

  it("are counted by badge, the worst first", () => {
    expect([...countBadges([["zero"], ["nan", "zero"], []])]).toEqual([
      ["nan", 1],
      ["zero", 2],
    ]);
    expect(sortedBadges(["zero", "finding", "zero", "infinite"])).toEqual(["finding", "infinite", "zero"]);
  });
});

describe("modules", () => {
  it("have the badges of what is in them, and no others", async () => {
    const { open, badges } = await openedStep();
    const of = (document: FindingsDocument | null) => Object.fromEntries(badgesByModule(open.content.layout, badges, document, null));
    expect(of(null)).toMatchObject({
      m: ["nan", "nan-gradient", "infinite-gradient", "zero", "zero-gradient"],
      "m.a": ["nan", "nan-gradient", "infinite-gradient"],
      "m.ab": ["zero", "zero-gradient"],
    });
    const all = of(documentOf(at("m.ab.1.weight", "never-updated"), at("m.c"), at("m.a", "r", 0)));
    expect(all["m.ab"]).toEqual(["finding", "never-updated", "zero", "zero-gradient"]);
    expect(all["m.ab.1"]).toEqual(["finding", "never-updated"]);
    expect(all["m.c"]).toEqual(["finding"]);
    expect(all["m.a"]).toEqual(["nan", "nan-gradient", "infinite-gradient"]);
  });

  it("are marked around tensors that are not fully known, which are called after them or were registered in them", async () => {
    const { open } = await openedStep();
    const { layout } = open.content;
    const graph = { ...open.graphs[0]!, not_known: { tensor: [0, 2], reason: [null, null] } };
    const name = (row: number) => graph.tensors.record_name[row]!;
    expect([name(0), name(2)]).toEqual(["m.a: output", "m.ab (call 2): output"]);
    const module = layout.tensors.name.map((own) => (own === name(0) ? "other.part" : null));
    const registered = { ...layout, tensors: { ...layout.tensors, module } };
    expect(Object.fromEntries(badgesByModule(registered, new Map(), null, graph))).toMatchObject({
      m: ["not-known"],
      "m.a": ["not-known"],
      "m.ab": ["not-known"],
      other: ["not-known"],
      "other.part": ["not-known"],
    });
    expect(badgesByModule(registered, new Map(), null, null).size).toBe(0);
  });
});
