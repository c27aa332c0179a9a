import { describe, expect, it, vi } from "vitest";
import type { Layout, Network } from "../../../src/data/format/types";
import { isOnlyWatched, openFirstView } from "../../../src/state/loading/first_view";
import type { Store } from "../../../src/state/store";
import { addChunk, buildBundle, type FixtureStep, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, storeOf } from "../../support/open_store";

const NETWORK = { modules: [{ name: "model" }, { name: "model.net: a" }] } as Network;
const layoutOf = (...tensors: [name: string, type?: string, role?: string, kind?: string][]) =>
  ({
    tensors: {
      name: tensors.map(([name]) => name),
      type: tensors.map(([, type]) => type ?? "calculated"),
      role: tensors.map(([name, , role]) => role ?? name),
      kind: tensors.map(([, , , kind]) => kind ?? "neuron"),
    },
  }) as unknown as Layout;

it.each([
  [
    "what went into modules and came out",
    layoutOf(["model: input x", "input"], ["model: output"], ["model (call 2): output[0]"], ["model.net: a: output.logits"]),
    true,
  ],
  ["gradients through single calls", layoutOf(["model: output"], ["model.net: a (call 2): gradient of input query"]), true],
  ["parameters and buffers", layoutOf(["model.weight", "parameter"], ["model.mean", "calculated", "buffer mean"], ["model: output"]), true],
  [
    "the gradient through one call",
    layoutOf(["model: output"], ["model (call 2): gradient of input x"], ["model.net: a: gradient of input[0]"]),
    true,
  ],
  [
    "what a script computes from an output",
    layoutOf(
      ["model: output"],
      ["softmax", "calculated", "softmax", "kpis"],
      ["cross_entropy: target", "target", "cross_entropy: target", "kpis"],
      ["cross_entropy", "loss", "cross_entropy", "single_value"],
    ),
    true,
  ],
  ["a name of one's own", layoutOf(["model: output"], ["hidden"]), false],
  ["a name that only looks like that of a module", layoutOf(["model: output"], ["loss: output"]), false],
])("is told from what was registered by hand: %s", (_, layout, expected) => {
  expect(isOnlyWatched(layout, NETWORK)).toBe(expected);
});

describe("a page without an address", () => {
  const named = (name: string, step: number): FixtureStep => {
    const own = ownStep(step);
    return { ...own, tensors: [{ ...own.tensors[0]!, name }] };
  };
  const MODULE = { name: "model", type: "Net", parent: -1 };
  const STARTED = ["2025-01-02T00:00:00Z", "2025-01-03T00:00:00Z", "not known"];

  /** Three trials with a tensor of this name; the calls of their modules are known where they are watched. */
  function openPage(name: string, change: { isWatched?: boolean; imported?: boolean } = {}): Store {
    const trials = ["first", "second", "third"].map((trial, k) => ({ name: trial, rank: 0, steps: [k] }));
    const built = buildBundle(
      trials.map((_, k) => named(name, k)),
      trials,
      { modules: [MODULE], parameters: [] },
    );
    const calls = addChunk(built, [{}]);
    const flows = addChunk(built, []);
    const data = dataOfBundle(built, (index) => {
      index.calls = { chunk: [calls], position: [0] };
      index.call_sets = [[0]];
      index.about.recordings = trials.map((trial, k) => ({
        trial: trial.name,
        started: STARTED[k],
        torch_version: change.imported ? "" : "2.6",
      }));
      for (const trial of index.trials) {
        trial.steps.call_set = [change.isWatched ? 0 : -1];
        trial.flows = flows;
      }
    });
    const store = storeOf(data);
    openFirstView(store);
    return store;
  }

  const viewOf = async (store: Store): Promise<[string, string]> => {
    await vi.waitUntil(() => store.shown.value !== null && store.pending.value === null);
    // Then it reads the network, and what it decides is carried out in the turn behind that.
    for (let turn = 0; turn < 5 || store.bundle.chunks.outstanding > 0; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return [store.tab.value, store.selection.value.trial];
  };

  it("opens on the tensors of the first trial", async () => {
    expect(await viewOf(openPage("hidden"))).toEqual(["tensors", "first"]);
    expect(await viewOf(openPage("hidden", { isWatched: true }))).toEqual(["tensors", "first"]);
  });

  it("opens on the modules of the trial that was begun last, where only modules were watched", async () => {
    expect(await viewOf(openPage("model: output", { isWatched: true }))).toEqual(["modules", "second"]);
  });

  it("opens on the flows of the first trial, where another tool wrote them", async () => {
    expect(await viewOf(openPage("hidden", { imported: true }))).toEqual(["flow", "first"]);
  });

  it("decides once: what a person opens afterwards stays", async () => {
    const store = openPage("model: output", { isWatched: true });
    await viewOf(store);
    store.tab.value = "network";
    store.change("trial", "third");
    expect(await viewOf(store)).toEqual(["network", "third"]);
  });
});
