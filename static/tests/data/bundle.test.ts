import { describe, expect, it, vi } from "vitest";
import type { Bundle, Loaded } from "../../src/data/bundle";
import { DamagedBundleError } from "../../src/data/format/errors";
import type { Figure } from "../../src/data/format/types";
import { addChunk, buildBundle, ownStep } from "../support/bundle_fixture";
import { dataOfBundle, storeOf } from "../support/open_store";

const PATTERN = { kind: "svg", text: "<svg/>" };

/** A bundle with documents beside its step: `change` puts their numbers into the index. */
function bundleWith(documents: readonly object[], change: (index: any, ids: number[]) => void = () => undefined): Bundle {
  const built = buildBundle([ownStep(0)]);
  const ids = documents.map((document) => addChunk(built, document));
  return storeOf(dataOfBundle(built, (index) => change(index, ids))).bundle;
}

/** What is asked for, as soon as it is here or is known not to come. */
async function settled<T>(read: () => Loaded<T>): Promise<Loaded<T>> {
  expect(read().state).toBe("loading");
  await vi.waitUntil(() => read().state !== "loading");
  return read();
}
const FIGURE = (chunk: number): Figure => ({ selections: [chunk] }) as unknown as Figure;

describe("figures", () => {
  it("are found by what is selected", async () => {
    const places = { step: [0], iteration: [-1], sample: [-1], chunk: [0], position: [1] };
    const bundle = bundleWith([places, ["", PATTERN]]);
    const [list, drawn] = [bundle.index.chunks.bytes.length - 2, bundle.index.chunks.bytes.length - 1];
    const figure = await settled(() => bundle.figure(FIGURE(list), 0));
    expect(figure.state === "ready" && figure.value?.find(0, -1, -1)).toEqual({ chunk: 0, position: 1 });
    expect(await settled(() => bundle.figureDocument({ chunk: drawn, position: 1 }))).toEqual({ state: "ready", value: PATTERN });
    expect(bundle.figureDocument({ chunk: drawn, position: 7 }).state).toBe("failed");
  });

  it("are none of a trial without any", () => {
    expect(bundleWith([]).figure(FIGURE(-1), 0)).toEqual({ state: "ready", value: null });
  });

  it("of Plotly need a script, which may be missing", async () => {
    expect(bundleWith([]).plotlyFrame()).toMatchObject({
      state: "failed",
      error: new DamagedBundleError("The script that draws Plotly figures is missing."),
    });
    const bundle = bundleWith([{ before: "<a>", behind: "<b>" }], (index, [id]) => (index.plotly = id));
    expect(await settled(() => bundle.plotlyFrame())).toEqual({ state: "ready", value: { before: "<a>", behind: "<b>" } });
  });
});

describe("what a trial has over time", () => {
  it("is nothing where nothing is in the bundle", () => {
    const bundle = bundleWith([]);
    const trial = bundle.index.trials[0]!;
    for (const loaded of [bundle.series(trial), bundle.histograms(trial), bundle.flows(trial), bundle.facts(trial, 0)]) {
      expect(loaded).toEqual({ state: "ready", value: null });
    }
    expect([bundle.moduleRuns(-1), bundle.parameterList(-1)]).toEqual(new Array(2).fill({ state: "ready", value: null }));
    expect(bundle.callSet(trial, 0)).toEqual([]);
  });

  it("is a list of flows, or what is wrong with it", async () => {
    const withFlows = (document: object) => bundleWith([document], (index, [id]) => (index.trials[0].flows = id));
    const empty = withFlows([]);
    const read = await settled(() => empty.flows(empty.index.trials[0]!));
    expect(read.state === "ready" && read.value?.list).toEqual([]);
    const damaged = withFlows([{ step: -1 }]);
    const failed = await settled(() => damaged.flows(damaged.index.trials[0]!));
    expect(failed.state === "failed" && failed.error).toBeInstanceOf(DamagedBundleError);
  });

  it("has histograms in parts, which must be in the order of their steps", async () => {
    const part = (step: number) => ({
      strings: [],
      step_lists: [[step]],
      lane8: -1,
      lane4: -1,
      records: {
        group: [],
        name: [],
        iteration: [],
        type: [],
        steps: [],
        width: [],
        start: [],
        integers_width: [],
        integers_start: [],
        counts: [],
      },
    });
    const inParts = (...steps: number[]) => bundleWith(steps.map(part), (index, ids) => (index.trials[0].histograms = ids));
    const good = inParts(0, 5);
    const trial = good.index.trials[0]!;
    expect(good.histogramsRead(trial)).toBeUndefined();
    const read = await settled(() => good.histograms(trial));
    expect(read.state === "ready" && read.value?.records("x", 0)).toEqual([]);
    expect(good.histogramsRead(trial)).toBe(read.state === "ready" ? read.value : null);
    const bad = inParts(5, 0);
    const failed = await settled(() => bad.histograms(bad.index.trials[0]!));
    expect(failed.state === "failed" && failed.error.message).toBe("The histograms are not in the order of their steps.");
  });
});

describe("damage", () => {
  it("names a document that is not there", () => {
    const failed = bundleWith([]).calls(3);
    expect(failed.state === "failed" && failed.error.message).toBe("The module calls 3 does not exist.");
  });

  it("names what is not JSON", async () => {
    const built = buildBundle([ownStep(0)]);
    const id = addChunk(built, Buffer.from("[1, 2"));
    const { bundle } = storeOf(dataOfBundle(built, (index) => (index.trials[0].curves = id)));
    const failed = await settled(() => bundle.curves(bundle.index.trials[0]!));
    expect(failed.state === "failed" && failed.error.message).toMatch(new RegExp(`^Part ${id} of the data is not readable: `));
  });

  it("keeps away what cannot be loaded, until it is asked for again", async () => {
    const data = dataOfBundle(buildBundle([ownStep(0)]));
    let isMissing = true;
    const { bundle } = storeOf({ ...data, read: (id) => (isMissing ? Promise.reject(new Error("gone")) : data.read(id)) });
    const trial = bundle.index.trials[0]!;
    const failed = await settled(() => bundle.notes(trial));
    expect(failed.state === "failed" && failed.error.message).toBe("gone");
    isMissing = false;
    bundle.chunks.forgetFailures();
    expect(await settled(() => bundle.notes(trial))).toEqual({ state: "ready", value: [] });
    expect(bundle.typeOf(trial, 0)).toBe("train");
    expect(bundle.text(99)).toBe("");
  });
});
