import { describe, expect, it, vi } from "vitest";
import { readLink } from "../../../src/state/address/url";
import { linksOf, piecesWithMentions } from "../../../src/state/findings/mentions";
import { buildBundle, type FixtureGraph, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const GRAPH: FixtureGraph = {
  nodes: ["x", "net.w"].map((name, row) => ({ name, type: "calculated", column: 0, row })),
  tensors: ["x", "net.w"].map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 })),
  edges: [],
};

describe("mentions", () => {
  it("are code, quoted names, steps, numbers of others, and words", () => {
    expect(
      piecesWithMentions("'net.w' holds a NaN since step 41; 72 other tensors too").map(({ content, kind }) => [content, kind]),
    ).toEqual([
      ["'", "text"],
      ["net.w", "quoted"],
      ["' ", "text"],
      ["holds", "word"],
      [" a ", "text"],
      ["NaN", "word"],
      [" ", "text"],
      ["since", "word"],
      [" ", "text"],
      ["step 41", "step"],
      ["; ", "text"],
      ["72 other tensors", "others"],
      [" ", "text"],
      ["too", "word"],
    ]);
    expect(piecesWithMentions("Step 5 of it")[0]).toEqual({ content: "Step 5", kind: "step" });
    expect(piecesWithMentions("`a b` and 5 more.").filter(({ kind }) => kind !== "text" && kind !== "word")).toEqual([
      { content: "a b", kind: "code" },
      { content: "5 more", kind: "others" },
    ]);
  });

  it("begin with no part of a number", () => {
    const words = (text: string) => piecesWithMentions(text).flatMap(({ content, kind }) => (kind === "word" ? [content] : []));
    expect(words("0.95 (limit: 1e-6), 2.5e-08 of net.0.weight, 3x")).toEqual(["limit", "of", "net.0.weight"]);
  });

  it("keep a text as it is, whatever it holds", () => {
    for (const text of ["", "<b>it's</b> `", "don't 'x", "a\nb  c", "1 more 2", "\u00e9t\u00e9.x-"]) {
      expect(
        piecesWithMentions(text)
          .map(({ content }) => content)
          .join(""),
      ).toBe(text);
    }
  });

  it("lead to what there is, and nowhere else", async () => {
    const step = { ...ownStep(5), graphs: [GRAPH] };
    step.tensors = [step.tensors[0]!];
    const store = storeOf(dataOfBundle(buildBundle([step])));
    await shownBy(store);
    const trial = store.trial.value!;
    const links = (text: string): Record<string, unknown> => {
      const pieces = piecesWithMentions(text);
      const addresses = linksOf(store.bundle, trial, { step: 5, shown: 5 }, pieces);
      return Object.fromEntries(pieces.flatMap(({ content }, k) => (addresses[k] ? [[content, readLink(addresses[k]!)]] : [])));
    };
    await vi.waitUntil(() => store.bundle.graphs(trial, 0).state === "ready");
    expect(links("x and y of net.w at step 5, not step 6")).toEqual({
      "net.w": { tab: "tensors", selection: expect.objectContaining({ step: 5, node: "net.w" }) },
      "step 5": { tab: "tensors", selection: expect.objectContaining({ step: 5 }) },
      // It was not recorded: the nearest one is shown.
      "step 6": { tab: "tensors", selection: expect.objectContaining({ step: 5 }) },
    });
    // A single letter is a name only in backticks or quotes.
    expect(Object.keys(links("`x` or 'nobody'"))).toEqual(["x"]);
    expect(links("'net.w' is large; 72 other tensors too")["72 other tensors"]).toMatchObject({
      selection: { node: "net.w" },
      view: new Map([["ranking", "largest,abs_max"]]),
    });
    expect(links("72 others")).toEqual({});
  });

  it("are names at the step that is meant, and words at the one that is shown", async () => {
    const only = (k: number): FixtureGraph => ({
      ...GRAPH,
      nodes: [{ ...GRAPH.nodes[k]!, row: 0 }],
      tensors: [{ ...GRAPH.tensors[k]!, node: 0 }],
    });
    const steps = [5, 7].map((number, k) => {
      const step = { ...ownStep(number), graphs: [only(1 - k)] };
      return { ...step, tensors: [step.tensors[0]!] };
    });
    const store = storeOf(dataOfBundle(buildBundle(steps)));
    await shownBy(store);
    const trial = store.trial.value!;
    await vi.waitUntil(() => [0, 1].every((k) => store.bundle.graphs(trial, k).state === "ready"));
    const linked = (text: string): string[] => {
      const pieces = piecesWithMentions(text);
      const links = linksOf(store.bundle, trial, { step: 5, shown: 7 }, pieces);
      return pieces.filter((_, k) => links[k] !== null).map(({ content, kind }) => `${kind} ${content}`);
    };
    expect(linked("`net.w` of 'x' is net.w")).toEqual(["code net.w"]);
  });
});
