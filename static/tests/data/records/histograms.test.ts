import { describe, expect, it, vi } from "vitest";
import { ChunkStore } from "../../../src/data/arrays/chunks";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { DamagedBundleError } from "../../../src/data/format/errors";
import type { ChunkTable } from "../../../src/data/format/types";
import { binEdge, decode, HistogramPart, parseHistograms } from "../../../src/data/records/histograms";
import { HistogramsOfTrial } from "../../../src/data/records/trial_histograms";
import { histogramInWords, limitsInWords, rowInWords } from "../../../src/kits/history/histogram_text";
import { panelColors } from "../../../src/kits/history/history_colors";
import { spansOf, strengthOf, strips } from "../../../src/kits/history/history_layout";
import { paint } from "../../../src/kits/history/paint_history";
import { placeInWords, timeScale } from "../../../src/kits/history/time_axis";
import { binOf, countInRow, magnitudesOf, positionOf, rowOf, valueRows, zeroRow } from "../../../src/kits/history/value_axis";
import { readPanelOptions, writePanelOptions } from "../../../src/state/tab_options/panel_options";
import { buildBundle } from "../../support/bundle_fixture";

// Two steps of 8 and 3 values: the bins of -4 (517) and -2 (513), of 1 (509) to 1.5 (511), one zero; and one NaN, one infinity, one value 2.
const INTEGERS = [
  [513, 0],
  [5, 0],
  [1, 0],
  [509, 513],
  [3, 1],
  [0, 0],
  [0, 1],
  [8, 3],
  [0, 1],
  [0, 1],
  [0, 0],
  [2, 0],
  [0, 0],
  [16, 3],
].flat();
const COUNTS = [2, 0, 0, 0, 1, 1, 0, 3, 1];
const FLOATS = [
  [-4, 2],
  [-4, 2],
  [-2, 2],
  [1, 2],
  [1.5, 2],
  [1.5, 2],
  [1.5, 2],
  [-4, 2],
  [1.75, 2],
].flat();
const two = decode(2, Float64Array.from([...INTEGERS, ...COUNTS]), Float64Array.from(FLOATS))!;

describe("histograms over time", () => {
  it("have four bins to a power of two", () => {
    expect([0, 1, 508, 509, 510, 511, 512, 1020].map(binEdge)).toEqual([0, 2 ** -128, 1, 1.25, 1.5, 1.75, 2, Infinity]);
    expect([1, 1.2499, 1.25, 2, 1e-300, 1e300].map(binOf)).toEqual([509, 509, 510, 513, 1, 1020]);
  });

  it("are taken apart step by step", () => {
    expect([two[0]!.firstNegative, [...two[0]!.negative], two[0]!.zeros, two[0]!.firstPositive, [...two[0]!.positive]]).toEqual([
      513,
      [2, 0, 0, 0, 1],
      1,
      509,
      [1, 0, 3],
    ]);
    expect([two[1]!.lookedAt, two[1]!.nan, two[1]!.positiveInfinities, two[1]!.negativeInfinities, two[1]!.size]).toEqual([3, 1, 1, 0, 3]);
    expect([...two[0]!.quantiles]).toEqual([-4, -4, -2, 1, 1.5, 1.5, 1.5]);
    expect([two[0]!.smallest, two[0]!.largest, two[0]!.isAbsent]).toEqual([-4, 1.75, false]);
  });

  const spoiled: [string, (integers: number[]) => void][] = [
    ["a first bin that is none", (all) => (all[0] = 0)],
    ["bins behind the last one", (all) => (all[0] = 1018)],
    ["a negative number of bins", (all) => (all[2] = -1)],
    ["more bins than counts", (all) => (all[8] = 9)],
    ["fewer bins than counts", (all) => (all[8] = 2)],
    ["more values than were read", (all) => (all[14] = 7)],
    ["a negative count", (all) => (all[28] = -1)],
    ["negative zeros", (all) => (all[4] = -1)],
  ];
  it.each(spoiled)("with %s are refused", (_, spoil) => {
    const integers = [...INTEGERS, ...COUNTS];
    spoil(integers);
    expect(() => decode(2, Float64Array.from(integers), Float64Array.from(FLOATS))).toThrow(DamagedBundleError);
  });

  const TABLE: ChunkTable = {
    bytes: [4 * (28 + 9), 4 * 18],
    crc32: [0, 0],
    codec: [0, 0],
    width: [4, 4],
    inline: [0, 0],
    identity: [],
    encoded: [],
  };
  const directory = (changed: Record<string, unknown> = {}, records: Record<string, unknown> = {}) => ({
    strings: ["forward", "x", "train"],
    step_lists: [[0, 4]],
    lane8: -1,
    lane4: 0,
    records: {
      group: [0],
      name: [1],
      iteration: [0],
      type: [2],
      steps: [0],
      width: [4],
      start: [0],
      integers_width: [4],
      integers_start: [0],
      counts: [9],
      ...records,
    },
    ...changed,
  });
  it.each([
    ["a name that is not there", directory({}, { name: [3] })],
    ["a list of steps that is not there", directory({}, { steps: [1] })],
    ["steps that go back", directory({ step_lists: [[4, 0]] })],
    ["numbers behind the lane", directory({}, { start: [20] })],
    ["a lane of other numbers", directory({ lane4: 1 })],
    ["a width of 5", directory({}, { width: [5] })],
    ["a column that is shorter", directory({}, { counts: [] })],
    ["counts without end", directory({}, { counts: [2 ** 50] })],
  ])("are refused with %s", (_, value) => {
    expect(() => parseHistograms(value, TABLE, "histograms")).toThrow(DamagedBundleError);
  });

  it("are found by tensor and read once their chunks are there", async () => {
    const bytes = new Uint8Array(new Int32Array([...INTEGERS, ...COUNTS]).buffer);
    const floats = new Uint8Array(new Float32Array(FLOATS).buffer);
    const all = new Uint8Array([...bytes, ...floats]);
    const table: ChunkTable = { bytes: [all.length], crc32: [0], codec: [0], width: [4], inline: [0], identity: [], encoded: [] };
    const parsed = parseHistograms(directory({}, { start: [37] }), table, "histograms");
    const store = { peek: () => undefined as Uint8Array<ArrayBuffer> | undefined };
    const trial = new HistogramsOfTrial([new HistogramPart(parsed, store as unknown as ChunkStore)]);
    expect(trial.records("x", 1)).toEqual([]);
    const [record] = trial.records("x", 0);
    expect([record!.group, record!.type, record!.steps, [...new Set(record!.chunks)]]).toEqual(["forward", "train", [0, 4], [0]]);
    expect(record!.read()).toBeUndefined();
    store.peek = () => all;
    expect(record!.read()).toEqual(two);
  });

  describe("in parts", () => {
    const raw = new Uint8Array([
      ...new Uint8Array(new Int32Array([...INTEGERS, ...COUNTS]).buffer),
      ...new Uint8Array(new Float32Array(FLOATS).buffer),
    ]);
    const tableOf = (...identity: number[]): ChunkTable => ({
      bytes: [raw.length, raw.length],
      crc32: [0, 0],
      codec: [0, 0],
      width: [4, 4],
      inline: [0, 0],
      identity,
      encoded: [],
    });
    const storeOf = (table: ChunkTable, loaded: readonly number[] = [0, 1]): ChunkStore => {
      const store = new ChunkStore({ table, read: async () => "", onChange: () => undefined });
      vi.spyOn(store, "peek").mockImplementation((id) => (loaded.includes(id) ? raw : undefined));
      return store;
    };
    const partOf = (
      store: ChunkStore,
      table: ChunkTable,
      lane4: number,
      steps: number[],
      records: Record<string, unknown> = {},
    ): HistogramPart =>
      new HistogramPart(
        parseHistograms(directory({ lane4, step_lists: [steps] }, { start: [37], ...records }), table, "histograms"),
        store,
      );

    it("are read as one, as soon as all are there", () => {
      const table = tableOf(1, 2);
      const joined = (loaded: number[]) =>
        new HistogramsOfTrial([partOf(storeOf(table, loaded), table, 0, [0, 4]), partOf(storeOf(table, loaded), table, 1, [5, 9])]);
      const [record] = joined([0, 1]).records("x", 0);
      expect([record!.steps, [...new Set(record!.chunks)]]).toEqual([
        [0, 4, 5, 9],
        [0, 1],
      ]);
      expect(record!.read()).toEqual([...two, ...two]);
      expect(joined([0]).records("x", 0)[0]!.read()).toBeUndefined();
      const trial = joined([0, 1]);
      expect(trial.records("x", 0)).toBe(trial.records("x", 0));
      expect(trial.readRecords()).toEqual([]);
      trial.records("x", 0)[0]!.read();
      expect(trial.readRecords()).toEqual(trial.records("x", 0));
    });

    it("are of a record that only some parts have", () => {
      const table = tableOf(1, 2);
      const store = storeOf(table);
      const trial = new HistogramsOfTrial([partOf(store, table, 0, [0, 4]), partOf(store, table, 1, [5, 9], { type: [0] })]);
      expect(trial.records("x", 0).map(({ type, steps }) => [type, steps])).toEqual([
        ["train", [0, 4]],
        ["forward", [5, 9]],
      ]);
    });

    it.each([[[4, 9]], [[0, 4]], [[1, 2]]])("are refused where steps of one are among those of another: %s", (steps) => {
      const table = tableOf(1, 2);
      expect(() => new HistogramsOfTrial([partOf(storeOf(table), table, 0, [0, 4]), partOf(storeOf(table), table, 1, steps)])).toThrow(
        DamagedBundleError,
      );
    });

    it("are not read again of a newer build that has the same numbers", () => {
      const part = partOf(storeOf(tableOf(1, 2)), tableOf(1, 2), 0, [0, 4]);
      const [before] = part.records("x", 0);
      const read = before!.read();
      const moved = part.movedTo(storeOf(tableOf(1, 3), []));
      expect(moved!.records("x", 0)[0]!.read()).toBe(read);
      expect(part.movedTo(storeOf(tableOf(3, 2)))).toBeUndefined();
      expect(part.movedTo(storeOf(tableOf(2, 1)))).toBeUndefined();
    });
  });

  it("are none in pages that have none", async () => {
    const built = buildBundle([]);
    const bundle = new Bundle(
      parseIndex(built.index),
      async (id) => built.chunks[id]!,
      () => undefined,
    );
    expect(bundle.histograms(bundle.index.trials[0]!)).toEqual({ state: "ready", value: null });
    expect(bundle.index.trials[0]!.steps.epoch).toEqual([]);
  });
});

describe("the axis of values", () => {
  const rows = valueRows(two);

  it("has a row for each bin, and one beside zero for what is smaller", () => {
    // The smallest magnitude is that of 1: rows for 509 to 513 above zero, for 509 to 517 below.
    expect([rows.innermost, rows.highest, rows.lowest, rows.count]).toEqual([509, 6, -10, 5 + 1 + 1 + 1 + 9]);
    expect(zeroRow(rows)).toBe(6);
    expect([
      rowOf(rows, 513, false),
      rowOf(rows, 509, false),
      rowOf(rows, 3, false),
      rowOf(rows, 509, true),
      rowOf(rows, 517, true),
    ]).toEqual([0, 4, 5, 8, 16]);
    expect([0, 4, 6, 8, 12].map((row) => countInRow(rows, two[0]!, row))).toEqual([0, 1, 1, 0, 2]);
    expect(magnitudesOf(rows, 0)).toEqual({ low: 2, high: 2.5, isNegative: false });
    expect(magnitudesOf(rows, 7)).toEqual({ low: 0, high: 1, isNegative: true });
  });

  it("places every value in the row of its bin", () => {
    for (const value of [2, 1, 1.6, -1, -4.5, 0.3, -0.3, 0]) {
      const row = Math.floor(positionOf(rows, value) - (value > 0 ? 1e-9 : 0));
      const expected = value === 0 ? zeroRow(rows) : rowOf(rows, binOf(Math.abs(value)), value < 0);
      expect(row, String(value)).toBe(expected);
    }
    expect([positionOf(rows, Infinity), positionOf(rows, -1e30)]).toEqual([0, rows.count]);
    expect(positionOf(rows, NaN)).toBeNaN();
  });

  it("keeps a step apart whose values are ten million times smaller", () => {
    const tiny = { ...two[1]!, firstPositive: binOf(2e-7) };
    const both = valueRows([two[0]!, tiny]);
    expect(both.innermost).toBe(binOf(2e-7));
    expect(countInRow(both, tiny, rowOf(both, binOf(2e-7), false))).toBe(1);
  });

  it("of nothing has one row", () => {
    expect(valueRows([]).count).toBe(1);
    expect(valueRows([{ ...two[0]!, isAbsent: true }]).count).toBe(1);
  });

  // Bins of values near 1: 508 begins at 0.875, 509 at 1, 510 at 1.25.
  const NONE = { ...two[0]!, firstNegative: 1, negative: Float64Array.of(), firstPositive: 1, positive: Float64Array.of(), zeros: 0 };
  const NEAR_ONE = { ...NONE, firstPositive: 508, positive: Float64Array.of(3, 5), smallest: 0.89, largest: 1.1 };

  it("is clipped to where values are", () => {
    const near = valueRows([NEAR_ONE]);
    expect(near.count).toBe(2);
    expect([0, 1].map((row) => countInRow(near, NEAR_ONE, row))).toEqual([5, 3]);
    expect(limitsInWords(near, [NEAR_ONE])).toEqual({ low: "0.875", high: "1.25" });
    expect(positionOf(near, 1)).toBe(1);
    expect(positionOf(near, 0.9375)).toBe(1.5);
    const below = { ...NONE, firstNegative: 508, negative: Float64Array.of(3, 5), smallest: -1.1, largest: -0.89 };
    expect([0, 1].map((row) => countInRow(valueRows([below]), below, row))).toEqual([3, 5]);
    expect(limitsInWords(valueRows([below]), [below])).toEqual({ low: "-1.25", high: "-0.875" });
    expect(positionOf(valueRows([below]), -1)).toBe(1);
  });

  it("reaches to zero and to the other sign only where there are values", () => {
    const booleans = { ...NONE, firstPositive: 509, positive: Float64Array.of(4), zeros: 4, smallest: 0, largest: 1 };
    const rows = valueRows([booleans]);
    expect([rows.count, zeroRow(rows)]).toEqual([3, 2]);
    expect(limitsInWords(rows, [booleans])).toEqual({ low: "0", high: "1" });
    const ones = { ...booleans, zeros: 0, smallest: 1 };
    expect(limitsInWords(valueRows([ones]), [ones])).toEqual({ low: "1", high: "1" });
    const zeros = { ...NONE, zeros: 8, smallest: 0, largest: 0 };
    expect([valueRows([zeros]).count, limitsInWords(valueRows([zeros]), [zeros])]).toEqual([1, { low: "0", high: "0" }]);
    // A negative value that was not among those read.
    expect(valueRows([NEAR_ONE, { ...NEAR_ONE, smallest: -1 }]).lowest).toBe(-3);
  });
});

describe("the axis of time", () => {
  const trial = { steps: { step: [0, 1, 2, 5, 9], epoch: [0, 0, 1, 1, null], time: [0.5, 1, null, 70, 4000] } } as never;

  it("spreads the steps of an epoch, and counts those without one", () => {
    const scale = timeScale(trial, "epoch");
    expect([...scale.places]).toEqual([
      [0, 0],
      [1, 0.5],
      [2, 1],
      [5, 1.75],
    ]);
    expect([scale.low, scale.high, scale.unknown]).toEqual([0, 1.75, 1]);
    expect([...timeScale(trial, "step").places.values()]).toEqual([0, 1, 2, 5, 9]);
    expect([timeScale(trial, "time").high, timeScale(trial, "time").unknown]).toEqual([4000, 1]);
  });

  it("places a step within its epoch by its number, however few were recorded", () => {
    const placed = (step: number[], epoch: number[]) => [
      ...timeScale({ steps: { step, epoch, time: [] } } as never, "epoch").places.values(),
    ];
    // The last epoch is as wide as the one before it.
    expect(placed([0, 72, 100, 150], [0, 0, 1, 1])).toEqual([0, 0.72, 1, 1.5]);
    expect(placed([10, 15, 19], [3, 3, 3])).toEqual([3, 3.5, 3.9]);
    // Epochs that nothing was recorded of are as empty as they were, and steps that come back to an epoch stay within it.
    expect(placed([0, 5, 10], [0, 0, 7])).toEqual([0, 0.5, 7]);
    expect(Math.max(...placed([0, 10, 30], [0, 1, 0]).filter((place) => place !== 1))).toBeLessThan(1);
    expect([0, 0.72, 1.999, 1200.5].map((place) => placeInWords(place, "epoch"))).toEqual(["0", "0", "1", "1,200"]);
  });

  it("gives every step a column, and steps that share a pixel one each", () => {
    const columns = [0, 10, 20, 100].map((place) => ({ place }));
    for (const { start, end } of spansOf(columns, { low: 0, high: 1000, width: 5 })) {
      expect(end).toBe(start + 1);
    }
  });

  it("keeps what is not finite in strips of their own", () => {
    const columns = two.map((histogram, k) => ({ step: k, place: k, histogram }));
    expect(strips(columns, 84)).toEqual({ positive: 0, top: 7, bottom: 77, negative: null, nan: 77 });
    expect([strengthOf(0), strengthOf(1e-9) > 0.17, strengthOf(0.1), strengthOf(1)]).toEqual([0, true, 1, 1]);
  });
});

describe("a histogram in words", () => {
  it("names what was read, extremes, quantiles and what is not finite", () => {
    expect(histogramInWords(two[0]!, false)).toEqual([
      "From -4 to 1.75.",
      "Median 1, 5 to 95 %: -4 to 1.5.",
      "zeros: 2.",
      "Bins and quantiles use 8 of 16 values; the rest uses all.",
    ]);
    expect(histogramInWords(two[1]!, true)[1]).toBe("Median 2, 5 to 95 %: 2 to 2 (to within a bin).");
    expect(histogramInWords(two[1]!, true)[2]).toBe("NaN: 1, +\u221e: 1.");
    expect(histogramInWords({ ...two[0]!, isAbsent: true }, false)).toEqual(["There was no gradient."]);
    expect(rowInWords(valueRows(two), two[0]!, 12)).toBe("-2.5 to -2: 2 (25 %)");
  });

  it("names the rims of the rows, or why there are none", () => {
    const limits = (...all: typeof two) => limitsInWords(valueRows(all), all);
    expect(limits(two[0]!, two[1]!)).toEqual({ low: "-4", high: "2" });
    expect(limits({ ...two[0]!, smallest: -4.12 })).toEqual({ low: "-5", high: "1.75" });
    expect(limits({ ...two[0]!, isAbsent: true }, { ...two[1]!, isAbsent: true })).toEqual({ low: "", high: "no gradient" });
    expect(limits({ ...two[0]!, smallest: NaN, largest: NaN })).toEqual({ low: "", high: "no finite value" });
  });
});

describe("the options of panels", () => {
  it("are written as short as they can be, and read again", () => {
    expect(writePanelOptions(readPanelOptions(undefined))).toBeNull();
    for (const text of ["epoch", "time,types", "types,plain", "epoch,types,plain", "plain,norms"]) {
      expect(writePanelOptions(readPanelOptions(text))).toBe(text);
    }
    expect(readPanelOptions("nonsense,,step")).toEqual(readPanelOptions(undefined));
  });
});

describe("the pixels of a panel", () => {
  const [surface, density, axis, extreme, special] = ["#ffffff", "#000000", "#00ff00", "#0000ff", "#ff0000"];
  const colors = panelColors((name) => ({ surface, density, line: axis, "text-soft": extreme, bad: special })[name] ?? "#123456");
  const [GREEN, BLUE, RED] = [0xff00ff00, 0xffff0000, 0xff0000ff];
  const grey = (share: number): number => {
    const level = 255 - Math.round(255 * (0.18 + 0.82 * Math.sqrt(Math.min(1, share / 0.1))));
    return (0xff000000 | (level << 16) | (level << 8) | level) >>> 0;
  };
  // One of ten values is in the bin of 1, nine are in that of 2; four steps later it is the other way round.
  const bins = (ones: number, twos: number) => ({
    ...two[0]!,
    negative: Float64Array.of(),
    zeros: 0,
    firstPositive: 509,
    positive: Float64Array.of(ones, 0, 0, 0, twos),
    lookedAt: 1000,
    smallest: 1,
    largest: 2.4,
    nan: 0,
  });
  const painted = (histograms: ReturnType<typeof bins>[], width: number, height: number): ((x: number, y: number) => number) => {
    const columns = histograms.map((histogram, k) => ({ step: k, place: k, histogram }));
    const data = new Uint32Array(width * height);
    paint({ width, height, data }, { columns, rows: valueRows(histograms), low: 0, high: histograms.length - 1, width, height }, colors, 1);
    return (x, y) => data[y * width + x]!;
  };

  it("are the share of the values in each bin", () => {
    const at = painted([bins(10, 90), bins(90, 10)], 40, 50);
    // Five rows of ten pixels: 2 to 2.5 at the top, 1 to 1.25 at the bottom.
    expect([at(5, 5), at(5, 45), at(35, 5), at(35, 45)]).toEqual([grey(0.09), grey(0.01), grey(0.01), grey(0.09)]);
    expect([at(5, 15), at(5, 25), at(35, 35)]).toEqual([0, 0, 0]);
    // The smallest and the largest value.
    expect([at(5, 49), at(5, 2)]).toEqual([BLUE, BLUE]);
  });

  it("are the mean where steps share a pixel", () => {
    // At 0, 0.4, 0.8, 1.2, 1.6 and 2 pixels: two steps reach into the first pixel only, four into the second.
    const at = painted([bins(10, 90), bins(90, 10), bins(30, 70), bins(30, 70), bins(30, 70), bins(90, 10)], 2, 50);
    expect([at(0, 5), at(1, 5)]).toEqual([grey((0.09 + 0.01) / 2), grey((3 * 0.07 + 0.01) / 4)]);
  });

  it("show zeros as a row, and NaN in a strip of its own", () => {
    const at = painted(
      [
        { ...bins(10, 90), zeros: 50 },
        { ...bins(90, 10), nan: 3 },
      ],
      40,
      67,
    );
    // Seven rows in sixty pixels, that of zeros is the last one.
    expect([at(5, 56), at(35, 56)]).toEqual([grey(0.05), GREEN]);
    expect([at(5, 63), at(35, 63)]).toEqual([0, RED]);
  });
});
