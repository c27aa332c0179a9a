import { effect } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import { evaluationAt } from "../../../src/data/format/steps";
import type { Tab } from "../../../src/state/address/url";
import { openFirstView } from "../../../src/state/loading/first_view";
import type { Store } from "../../../src/state/store";
import { addChunk, buildBundle, type FixtureStep, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, storeOf } from "../../support/open_store";

describe("a page without an address", () => {
  const STARTED = ["2025-01-02T00:00:00Z", "2025-01-03T00:00:00Z", "not known"];

  /** Three trials of one step each; the calls of their modules are known where they are watched. */
  function openPage(isWatched: boolean, isDamaged = false): Store {
    const trials = ["first", "second", "third"].map((trial, k) => ({ name: trial, rank: 0, steps: [k] }));
    const built = buildBundle(
      trials.map((_, k) => ownStep(k)),
      trials,
    );
    const calls = addChunk(built, [{}]);
    const data = dataOfBundle(built, (index) => {
      index.calls = { chunk: [calls], position: [0] };
      index.call_sets = [[0]];
      index.about.recordings = trials.map((trial, k) => ({ trial: trial.name, started: STARTED[k] }));
      for (const trial of index.trials) {
        trial.steps.call_set = [isWatched ? 0 : -1];
      }
    });
    const store = storeOf(isDamaged ? { ...data, read: () => Promise.reject(new Error("not here")) } : data);
    openFirstView(store);
    return store;
  }

  const viewOf = (store: Store): [string, string | undefined] => [store.tab.value, store.trial.value?.name];

  it("opens at once on the overview of the first trial", () => {
    expect(viewOf(openPage(false))).toEqual(["overview", "first"]);
  });

  it("begins at a step of training, if evaluations came before it", () => {
    const steps = [evaluationAt(0, 1), evaluationAt(0, 2), 0, 3];
    const built = buildBundle(steps.map(ownStep), [{ name: "trial", rank: 0, steps: steps.map((_, k) => k) }]);
    const store = storeOf(dataOfBundle(built));
    openFirstView(store);
    expect(store.selection.value.step).toBe(0);
  });

  it("opens on that of the trial that was begun last, where modules were watched", () => {
    expect(viewOf(openPage(true))).toEqual(["overview", "second"]);
  });

  it("opens on the overview where no step can be read", async () => {
    const store = openPage(false, true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(store.shown.value).toBeNull();
    expect(viewOf(store)).toEqual(["overview", "first"]);
  });
});

describe("the first view of a run with findings", () => {
  const evidence = (step: number, name = "h") => ({ group: "forward", name, iteration: 0, step, item: null, caption: "" });
  const place = (kind: string, name: string, iteration: number | null) => ({ kind, name, iteration });
  const finding = (severity: number, ...shown: ReturnType<typeof evidence>[]) => ({
    rule: `rule-${severity}`,
    title: "",
    severity,
    message: "",
    places: [place("run", "", null)],
    step: null as number | null,
    value: null,
    limit: null,
    comparison: "",
    advice: [],
    wrong_if: "",
    evidence: shown,
  });
  const graph = {
    nodes: ["x", "h"].map((name, row) => ({ name, type: "calculated", column: 0, row })),
    tensors: ["x", "h"].map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 })),
    edges: [],
  };
  const step = (number: number): FixtureStep => {
    const own = ownStep(number);
    const tensors = ["x", "h"].map((name) => ({ ...own.tensors[0]!, name }));
    return {
      ...own,
      tensors,
      groups: [{ name: "forward", tensors: [0, 1] }],
      graphs: [graph as never],
      arrays: own.arrays.map((array) => ({ ...array, values: [...array.values, ...array.values] })),
    };
  };

  function openPage(problems: readonly number[], ...findings: ReturnType<typeof finding>[]): Store {
    return openTab(undefined, problems, ...findings);
  }

  function openTab(tab: Tab | undefined, problems: readonly number[], ...findings: ReturnType<typeof finding>[]): Store {
    const built = buildBundle(
      [0, 10, 20, 0].map(step),
      problems.map((_, k) => ({ name: `trial ${k}`, rank: 0, steps: k === 0 ? [0, 1, 2] : [3] })),
    );
    const incidents = findings.map((cause) => ({ cause, consequences: [] }));
    const chunk = addChunk(built, { steps: 3, incidents, passed: [], not_checked: [], muted: [], associations: null });
    const store = storeOf(
      dataOfBundle(built, (index) => {
        index.trials.forEach((trial: Record<string, unknown>, k: number) =>
          Object.assign(trial, { problems: problems[k], findings: chunk }),
        );
      }),
    );
    openFirstView(store, tab);
    return store;
  }

  const where = (store: Store): unknown[] => [store.tab.value, store.selection.value.step, store.selection.value.node];

  it("selects the evidence of the worst one, and stays on the overview", async () => {
    const store = openPage([1], finding(1, evidence(0)), finding(3), finding(2, evidence(10)), finding(2, evidence(20, "x")));
    await vi.waitUntil(() => store.selection.value.step === 10 && store.pending.value === null);
    expect(where(store)).toEqual(["overview", 10, "h"]);
    expect(store.messages.value).toEqual([]);
  });

  it("selects where the worst one is if it has no evidence", async () => {
    const since = { ...finding(3), step: 9, places: [place("tensor", "h", 0)] };
    const store = openPage([1], finding(2, evidence(20, "x")), since);
    await vi.waitUntil(() => store.selection.value.step === 10 && store.pending.value === null);
    expect(where(store)).toEqual(["overview", 10, "h"]);
  });

  it("selects it on the tab that a link names alone", async () => {
    const store = openTab("graphs", [1, 3], finding(2, evidence(10)));
    await vi.waitUntil(() => store.selection.value.step === 10 && store.pending.value === null);
    expect(where(store)).toEqual(["graphs", 10, "h"]);
  });

  it("is shown once: no other step is drawn before", async () => {
    const store = openTab("tensors", [1], finding(2, evidence(10)));
    const shown: (number | undefined)[] = [];
    effect(() => void shown.push(store.shown.value?.selection.step));
    await vi.waitUntil(() => store.shown.value !== null);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(shown).toEqual([undefined, 10]);
  });

  it("leaves alone what has been chosen before, and follows a link", async () => {
    const store = openPage([1], finding(2, evidence(10)));
    store.open({ tab: "tensors", selection: { step: 20 } });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(where(store)).toEqual(["tensors", 20, "x"]);
  });

  it("stays at the first step where nothing was found", async () => {
    const store = openPage([0], finding(0, evidence(10)));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(where(store)).toEqual(["overview", 0, "x"]);
    expect(store.shown.value?.step).toBe(0);
  });

  it("is that of the trial with problems, if the first one has none", () => {
    expect(openPage([0, 2]).selection.value.trial).toBe("trial 1");
    expect(openPage([1, 2]).selection.value.trial).toBe("trial 0");
    expect(openPage([-1, -1]).selection.value.trial).toBe("trial 0");
  });
});
