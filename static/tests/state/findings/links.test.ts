import { describe, expect, it, vi } from "vitest";
import type { FoundEvidence, FoundProblem } from "../../../src/data/format/findings";
import { readLink } from "../../../src/state/address/url";
import { linkToEvidence, linkToStepOf } from "../../../src/state/findings/links";
import { linksOf, piecesWithMentions } from "../../../src/state/findings/mentions";
import type { Store } from "../../../src/state/store";
import { buildBundle, type FixtureGraph, type FixtureStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const GRAPH: FixtureGraph = {
  nodes: ["x", "y"].map((name, row) => ({ name, type: "calculated", column: 0, row })),
  tensors: ["x", "y"].map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 })),
  edges: [],
};

/** `x` with two values, and `y` of which there are statistics alone. */
function step(number: number): FixtureStep {
  const shared = { iteration: 0, shape: [2], batch_dimension: null };
  return {
    step: number,
    tensors: [
      { name: "x", type: "input", kind: "neuron", ...shared },
      { name: "y", type: "calculated", kind: "kpis", ...shared },
    ],
    groups: [{ name: "forward", tensors: [0, 1] }],
    graphs: [GRAPH],
    arrays: [
      { name: "counts", dtype: "I32", values: Array(10).fill(0) },
      { name: "extrema.F32", dtype: "F32", values: [1, 2, 1, number] },
      { name: "statistics.F32", dtype: "F32", values: [1, 1, 1, 1, 2, 2, 2, 2] },
      { name: "values.F32", dtype: "F32", values: [1, 2] },
    ],
  };
}

async function opened(): Promise<Store> {
  const store = storeOf(dataOfBundle(buildBundle([step(5), step(7)])));
  await shownBy(store);
  await vi.waitUntil(() => [0, 1].every((k) => ready(store, k)));
  return store;
}

function ready({ bundle, trial }: Store, k: number): boolean {
  return bundle.graphs(trial.value!, k).state === "ready" && bundle.step(trial.value!, k).state === "ready";
}

function evidence(name: string, more: Partial<FoundEvidence> = {}): FoundEvidence {
  return { group: "forward", name, iteration: 0, step: 5, item: null, caption: "", sample: null, ...more };
}

describe("evidence leads to the view that shows what is drawn", () => {
  it.each([
    ["values", evidence("x"), "histogram"],
    ["values of a sample, which the table lists", evidence("x", { sample: 3 }), "table"],
    ["statistics alone", evidence("y"), "table"],
    ["a curve", evidence("x", { item: "mean" }), "time"],
  ])("%s", async (_, shown, pane) => {
    const store = await opened();
    const { selection, view } = readLink(linkToEvidence(store.bundle, store.trial.value!, shown)!)!;
    expect(selection).toMatchObject({ step: 5, node: shown.name });
    expect(view?.get("pane")).toBe(pane);
  });

  it("two values that are compared", async () => {
    const store = await opened();
    const link = linkToEvidence(store.bundle, store.trial.value!, evidence("x"), evidence("y", { step: 7 }))!;
    store.open(readLink(link)!);
    await vi.waitUntil(() => store.second.value?.state === "ready" && store.pending.value === null);
    expect(store.view.value.get("pane")).toBe("compare");
    expect(store.selection.value).toMatchObject({ node: "x", step: 5 });
    const second = store.second.value;
    expect(second?.state === "ready" && second.value).toMatchObject({ selection: { node: "y", step: 7 }, missing: null });
  });
});

describe("the step of a finding", () => {
  const finding = (name: string): FoundProblem => ({
    rule: "rule",
    title: "",
    severity: 2,
    message: "",
    places: [{ kind: "tensor", name, iteration: null, source: null }],
    look_next: [],
    step: 5,
    value: null,
    limit: null,
    comparison: "",
    advice: [],
    wrong_if: "",
    evidence: [],
  });

  it("leads to the first place of the finding, at the recorded step that is nearest", async () => {
    const store = await opened();
    const trial = store.trial.value!;
    expect(readLink(linkToStepOf(store.bundle, trial, 6.9, finding("y"))!)).toMatchObject({ selection: { node: "y", step: 7 } });
    const pieces = piecesWithMentions("NaN since step 7");
    const links = linksOf(store.bundle, trial, { step: 5, shown: 5, finding: finding("y") }, pieces);
    expect(readLink(links.find((link) => link !== null)!)).toMatchObject({ selection: { node: "y", step: 7 } });
  });

  it("leads to the step alone where the place is not in its graph", async () => {
    const store = await opened();
    const { selection } = readLink(linkToStepOf(store.bundle, store.trial.value!, 7, finding("nobody"))!)!;
    expect(selection.step).toBe(7);
    expect(selection.node).toBeUndefined();
  });
});
