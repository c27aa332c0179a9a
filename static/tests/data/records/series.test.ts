import { describe, expect, it } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { DamagedBundleError } from "../../../src/data/format/errors";
import type { ChunkTable } from "../../../src/data/format/types";
import { parseSeries } from "../../../src/data/records/series";
import { chunksOf, StepChooser, timeCurves } from "../../../src/tabs/tensors/over_time/over_time_curves";
import { buildBundle, type FixtureStep, type FixtureTime } from "../../support/bundle_fixture";

const tensors = [
  { name: "x", iteration: 0, shape: [4, 2] },
  { name: "loss", iteration: -1, shape: [], kind: "single_value", batch_dimension: null },
];
const empty = { tensors, groups: [{ name: "forward", tensors: [] }], graphs: [], arrays: [] };
const STEPS: FixtureStep[] = [
  { step: 0, type: "train", ...empty },
  { step: 5, type: "eval", ...empty },
  { step: 7, type: "train", triggered: "odd", ...empty },
  { step: 9, type: "train", ...empty },
];
const column = (start: number, count: number, every = 1): number[] => Array.from({ length: count }, (_, k) => start + k * every);
/** Statistics [4, 3] and extrema: row `r` at step place `k` holds 100 * r + k. */
const rows = (count: number, steps: number): number[] => column(0, count).flatMap((row) => column(100 * row, steps));
const TIME: FixtureTime = {
  strings: ["forward", "x", "gradients", "loss"],
  step_lists: [[0, 5, 7, 9], [5, 400], [9]],
  records: {
    group: [0, 2, 0, 2],
    name: [1, 1, 3, 1],
    iteration: [0, 0, -1, 0],
    items: [4, 4, 1, 4],
    aggregations: [3, 3, 1, 1],
    steps: [0, 1, 0, 2],
    width: [4, 4, 8, 4],
    start: [0, 56, 0, 84],
    counts_width: [4, 4, 4, 4],
    counts_start: [90, 110, 120, 140],
  },
  // Norms, norms of updates and what earlier steps left in gradients: of parameter 3 at four steps, of parameter 5 at one.
  parameters: { parameter: [3, 5], steps: [0, 2], width: [8, 8], start: [12, 24] },
  lane8: [...[0.1, 0.2, NaN, 0.4], ...rows(2, 4), ...[0, 2, 4, 8], ...[0.5, 1, NaN, 0.25], ...[NaN, 0, 0.5, NaN], ...[7, 14, 0]],
  lane4: [...rows(14, 4), ...rows(14, 2), ...rows(6, 1), ...rows(5, 4), ...rows(5, 2), ...rows(5, 4), ...rows(5, 1)],
  firstCount: 90,
};

async function open(time = TIME) {
  const built = buildBundle(STEPS, undefined, undefined, time);
  const bundle = new Bundle(
    parseIndex(built.index),
    async (id) => built.chunks[id]!,
    () => undefined,
  );
  const trial = bundle.index.trials[0]!;
  const settled = async (): Promise<void> => {
    do {
      await new Promise((resolve) => setTimeout(resolve, 0));
    } while (bundle.chunks.outstanding > 0);
  };
  bundle.series(trial);
  await settled();
  const series = bundle.series(trial);
  if (series.state !== "ready" || series.value === null) {
    throw new Error(`not ready: ${JSON.stringify(series)}`);
  }
  return { bundle, trial, series: series.value, settled };
}

describe("numbers over time", () => {
  it("are found by tensor, and read once they are loaded", async () => {
    const { bundle, series, settled } = await open();
    const [record, other, single] = series.records("x", 0);
    expect([record!.group, other!.group, single!.group]).toEqual(["forward", "gradients", "gradients"]);
    expect(series.records("x", 1)).toEqual([]);
    const numbers = record!.statistic(1, 2);
    expect(numbers.at(0)).toBeUndefined();
    bundle.chunks.request(numbers.chunks(0, 4));
    await settled();
    // Of item 1 and aggregation 2: row 1 * 3 + 2.
    expect([0, 1, 2, 3].map((k) => numbers.at(k))).toEqual([500, 501, 502, 503]);
    expect(record!.extreme(1)!.at(3)).toBe(1303);
    expect(record!.count(3)!.at(2)).toBe(302);
    expect(other!.statistic(0, 1).at(1)).toBe(101);
  });

  it("become curves: by group and statistic, triggered steps apart, without steps that the trial lacks", async () => {
    const { bundle, trial, series, settled } = await open();
    const records = series.records("x", 0);
    bundle.chunks.request(chunksOf(records, ["mean", "zeros"], 1));
    await settled();
    const curves = timeCurves({ records, chooser: new StepChooser(bundle, trial, "any_value") }, ["mean", "zeros"], 1, [
      "forward",
      "gradients",
    ]);
    const shown = curves.map(({ id, t, v, marksOnly }) => [id, Array.from(t), Array.from(v), marksOnly === true]);
    expect(shown).toEqual([
      ["mean:forward", [0, 5, 9], [100, 101, 103], false],
      ["!mean:forward", [7], [102], true],
      ["zeros:forward", [0, 5, 9], [300, 301, 303], false],
      ["!zeros:forward", [7], [302], true],
      // With a batch dimension at step 5, and without at step 9; step 400 is not among those of the trial.
      ["mean:gradients", [5, 9], [100, 0], false],
      ["zeros:gradients", [5, 9], [300, 300], false],
    ]);
    const ofType = timeCurves({ records, chooser: new StepChooser(bundle, trial, "train") }, ["mean"], 0, ["forward", "gradients"]);
    expect(ofType.map(({ id, t }) => [id, Array.from(t)])).toEqual([
      ["mean:forward", [0, 9]],
      ["!mean:forward", [7]],
      ["mean:gradients", [9]],
    ]);
  });

  it("know where a gradient was absent, by the flags of the counts", async () => {
    const { bundle, trial, series, settled } = await open();
    const records = series.records("x", 0);
    bundle.chunks.request(chunksOf(records, ["mean"], 0));
    await settled();
    // The fixture's flags count up from 400; a trial that has step 400 has an odd one there.
    const withStep = { ...trial, steps: { ...trial.steps, step: [0, 5, 7, 400] } };
    const chooser = new StepChooser(bundle, withStep, "any_value");
    const curves = timeCurves({ records, chooser, of: { side: "B", trial: "other" } }, ["mean"], 0, ["forward", "gradients"]);
    const shown = curves.map(({ id, type, absent, style }) => [id, type, absent && Array.from(absent), style.dash.length > 0]);
    expect(shown).toEqual([
      ["B.mean:forward", "values, other", undefined, true],
      ["B.!mean:forward", "values, triggered steps, other", undefined, true],
      ["B.mean:gradients", "gradients, other", [0, 1], true],
    ]);
  });

  it("are there about parameters, without the steps at which something is not known", async () => {
    const { bundle, trial, series, settled } = await open();
    const record = series.parameter(3)!;
    expect(series.parameter(4)).toBeUndefined();
    const statistics = ["mean", "norm", "update_norm", "update_ratio", "accumulated_gradient", "zeros"] as const;
    bundle.chunks.request(chunksOf([record], statistics, 2));
    await settled();
    const curves = timeCurves({ records: [record], chooser: new StepChooser(bundle, trial, "any_value") }, statistics, 2, ["parameter"]);
    expect(curves.map(({ id, name, type, t, v }) => [id, name, type, Array.from(t), Array.from(v)])).toEqual([
      ["norm:parameter", "norm", "parameter", [0, 5, 9], [0, 2, 8]],
      ["!norm:parameter", "norm", "parameter, triggered steps", [7], [4]],
      ["update_norm:parameter", "update norm", "parameter", [0, 5, 9], [0.5, 1, 0.25]],
      ["!update_norm:parameter", "update norm", "parameter, triggered steps", [7], [NaN]],
      // No ratio where the norm is 0.
      ["update_ratio:parameter", "update / norm", "parameter", [5, 9], [0.5, 0.03125]],
      ["!update_ratio:parameter", "update / norm", "parameter, triggered steps", [7], [NaN]],
      ["accumulated_gradient:parameter", "accumulated gradient", "parameter", [5], [0]],
      ["!accumulated_gradient:parameter", "accumulated gradient", "parameter, triggered steps", [7], [0.5]],
    ]);
    expect(series.parameter(5)!.statistic(1, 0).at(0)).toBe(14);
  });

  it("have no deviation at a step whose mean is NaN", async () => {
    // Row 2 is the mean of x over the third aggregation, and row 8 its deviation, at four steps each.
    const { bundle, series, settled } = await open({ ...TIME, lane4: TIME.lane4.map((value, k) => (k === 2 * 4 + 1 ? NaN : value)) });
    const deviations = series.records("x", 0)[0]!.statistic(2, 2);
    bundle.chunks.request(deviations.chunks(0, 4));
    await settled();
    expect([0, 1, 2, 3].map((k) => deviations.at(k))).toEqual([800, NaN, 802, 803]);
  });

  it("keep a NaN, and take the only statistic of a single value", async () => {
    const { bundle, trial, series, settled } = await open();
    const records = series.records("loss", -1);
    bundle.chunks.request(chunksOf(records, ["mean", "single_value"], 2));
    await settled();
    const [curve] = timeCurves({ records, chooser: new StepChooser(bundle, trial, "__triggered") }, ["mean", "single_value"], 2, [
      "forward",
      "gradients",
    ]);
    expect([curve!.id, Array.from(curve!.v)]).toEqual(["single_value:forward", [0.1, 0.2, 0.4]]);
  });
});

describe("the directory", () => {
  const table: ChunkTable = {
    bytes: [1, 32, 640],
    crc32: [0, 0, 0],
    codec: [0, 0, 0],
    width: [1, 8, 4],
    inline: [1, 1, 1],
    identity: [],
    encoded: [],
  };
  // One record at 4 steps: 4 * 3 + 2 numbers and 5 counts each take 304 bytes.
  const directory = (change: (json: any) => void = () => undefined): unknown => {
    const json = {
      strings: ["forward", "x"],
      step_lists: [[0, 1, 2, 3]],
      lane8: -1,
      lane4: 2,
      records: {
        group: [0],
        name: [1],
        iteration: [-1],
        items: [4],
        aggregations: [3],
        steps: [0],
        width: [4],
        start: [0],
        counts_width: [4],
        counts_start: [140],
      },
    };
    change(json);
    return json;
  };

  it("is taken where every number is in its lane", () => expect(parseSeries(directory(), table, "it").records.counts_start).toEqual([140]));

  const withParameters =
    (parameters: unknown) =>
    (json: any): void => {
      [json.lane8, json.parameters] = [1, parameters];
    };
  const ofParameters = { parameter: [3], steps: [1], width: [8], start: [1] };

  it("is taken without anything about parameters, and with it", () => {
    expect(parseSeries(directory(), table, "it").parameters.parameter).toEqual([]);
    // Of one step: elements 1 to 3 of the 4 in the lane.
    const json = directory((json) => (json.step_lists.push([7]), withParameters(ofParameters)(json)));
    expect(parseSeries(json, table, "it").parameters.start).toEqual([1]);
    const behind = directory((json) => (json.step_lists.push([7]), withParameters({ ...ofParameters, start: [2] })(json)));
    expect(() => parseSeries(behind, table, "it")).toThrow(DamagedBundleError);
  });

  const hostile: [string, (json: any) => void][] = [
    ["a list", (json) => (json.records = [])],
    ["columns of different lengths", (json) => json.records.name.pop()],
    ["a name that is not a string", (json) => (json.records.name = [2])],
    ["steps out of order", (json) => (json.step_lists = [[3, 1]])],
    ["steps that do not exist", (json) => (json.records.steps = [1])],
    ["a strange number of statistics", (json) => (json.records.items = [3])],
    ["a strange number of aggregations", (json) => (json.records.aggregations = [2])],
    ["a width of 2", (json) => (json.records.width = [2])],
    ["numbers before the lane", (json) => (json.records.start = [-1])],
    ["numbers behind the lane", (json) => (json.records.start = [141])],
    ["numbers far behind the lane", (json) => (json.records.counts_start = [Number.MAX_SAFE_INTEGER])],
    ["a lane that is not there", (json) => (json.lane4 = -1)],
    ["a lane of another width", (json) => (json.lane4 = 1)],
    ["a chunk that does not exist", (json) => (json.lane4 = 3)],
    ["parameters that are a list", withParameters([])],
    ["steps of parameters that do not exist", withParameters(ofParameters)],
    ["parameters of a width of 6", withParameters({ ...ofParameters, steps: [0], width: [6] })],
    ["parameters out of order", withParameters({ parameter: [2, 1], steps: [0, 0], width: [8, 8], start: [0, 0] })],
  ];
  it.each(hostile)("is refused with %s", (_, change) => {
    expect(() => parseSeries(directory(change), table, "it")).toThrow(DamagedBundleError);
  });
});
