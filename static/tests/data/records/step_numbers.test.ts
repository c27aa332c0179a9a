import { describe, expect, it } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";

const N = 1_100_000;

/** One tensor [4, N] with one recorded sample, whose values fill more than one chunk, and a parameter [2] of bytes. */
const STEP: FixtureStep = {
  step: 5,
  tensors: [
    { name: "x", iteration: 0, shape: [4, N], samples: 1, type: "input" },
    { name: "w", iteration: -1, shape: [2], batch_dimension: null, dtype: "U8", type: "parameter" },
  ],
  groups: [{ name: "forward", tensors: [0, 1] }],
  graphs: [null],
  arrays: [
    { name: "counts", dtype: "I32", values: [1, 2, 3, 4, 0, 0, 0, 0, 2, 1] },
    { name: "extrema.F32", dtype: "F32", values: [-2, 3, NaN, NaN] },
    { name: "statistics.F32", dtype: "F32", values: [...Array.from({ length: 16 }, (_, k) => k), 20, 21, 22, 23] },
    { name: "aggregates.F32", dtype: "F32", values: Array.from({ length: 3 * N }, (_, k) => k) },
    { name: "values.F32", dtype: "F32", values: Array.from({ length: N }, (_, k) => -k) },
    { name: "values.U8", dtype: "U8", values: [7, 9] },
  ],
};

async function open(step: FixtureStep, change: (index: any) => void = () => undefined) {
  const built = buildBundle([step]);
  const index = JSON.parse(built.index);
  change(index);
  const bundle = new Bundle(
    parseIndex(JSON.stringify(index)),
    async (id) => built.chunks[id]!,
    () => undefined,
  );
  const trial = bundle.index.trials[0]!;
  bundle.step(trial, 0);
  await settled(bundle);
  return { bundle, opened: bundle.step(trial, 0) };
}

async function settled(bundle: Bundle): Promise<void> {
  while (bundle.chunks.outstanding > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function ready() {
  const { bundle, opened } = await open(STEP);
  if (opened.state !== "ready") {
    throw new Error("not ready");
  }
  const { numbers, table } = opened.value;
  return { bundle, numbers, x: table.byGroup.get("forward")!.get(0)!, w: table.byGroup.get("forward")!.get(1)! };
}

describe("a step's numbers", () => {
  it("are undefined until their chunk is loaded", async () => {
    const { bundle, numbers, x } = await ready();
    const statistics = numbers.statistics(x, 1);
    expect(statistics.at(0)).toBeUndefined();
    expect(numbers.facts(x)).toBeUndefined();
    bundle.chunks.request(numbers.overviewChunks(x, 1));
    await settled(bundle);
    expect(statistics.at(0)).toBe(1);
  });

  it("are found item by item and aggregation by aggregation", async () => {
    const { bundle, numbers, x, w } = await ready();
    bundle.chunks.request([...numbers.overviewChunks(x, 3), ...numbers.overviewChunks(w, 0)]);
    await settled(bundle);
    const statistics = numbers.statistics(x, 3);
    expect([0, 1, 2, 3].map((k) => statistics.at(k))).toEqual([3, 7, 11, 15]);
    const ofParameter = numbers.statistics(w, 0);
    expect([0, 1, 2, 3].map((k) => ofParameter.at(k))).toEqual([20, 21, 22, 23]);
    expect(numbers.facts(x)).toMatchObject({
      nan: 1,
      positiveInfinity: 2,
      negativeInfinity: 3,
      zeros: 4,
      smallest: -2,
      largest: 3,
      gradientAbsent: false,
    });
    expect(numbers.facts(w)).toMatchObject({ zeros: 2, smallest: NaN, gradientAbsent: true });
  });

  it("have no deviation where the mean is NaN", async () => {
    const of = (mean: number, std: number): number[] => [mean, 1, std, 2];
    const parameter: FixtureStep = {
      ...STEP,
      tensors: [{ name: "w", iteration: -1, shape: [1], batch_dimension: null, type: "parameter" }],
      groups: [{ name: "forward", tensors: [0] }],
      arrays: [
        { name: "counts", dtype: "I32", values: [1, 0, 0, 0, 0] },
        { name: "extrema.F32", dtype: "F32", values: [NaN, NaN] },
        { name: "statistics.F32", dtype: "F32", values: of(NaN, 0) },
        { name: "values.F32", dtype: "F32", values: [NaN] },
      ],
    };
    for (const [mean, std, expected] of [
      [NaN, 0, NaN],
      [3, 0, 0],
      [3, NaN, NaN],
    ] as const) {
      parameter.arrays[2]!.values = of(mean, std);
      const { bundle, opened } = await open(parameter);
      if (opened.state !== "ready") {
        throw new Error("not ready");
      }
      const { numbers, table } = opened.value;
      const statistics = numbers.statistics(table.byGroup.get("forward")!.get(0)!, 0);
      expect(statistics.at(2)).toBeUndefined();
      bundle.chunks.request(statistics.chunks(2, 3));
      await settled(bundle);
      expect([0, 1, 2, 3].map((k) => statistics.at(k))).toEqual([mean, 1, expected, 2]);
    }
  });

  it("continue in the next chunk", async () => {
    const { bundle, numbers, x } = await ready();
    // 34 elements stand before the aggregates, so their element 1048542 is the first one of the second chunk of 1048576.
    const maxima = numbers.neurons(x, 0);
    expect(maxima.length).toBe(N);
    expect(maxima.chunks(0, 1_048_542)).toHaveLength(1);
    const chunks = maxima.chunks(0, N);
    expect(chunks).toHaveLength(2);
    bundle.chunks.request(chunks);
    await settled(bundle);
    for (const k of [0, 1_048_541, 1_048_542, 1_048_543, N - 1]) {
      expect(maxima.at(k)).toBe(k);
    }
  });

  it("of a batch come from the aggregates, those of a sample and of a parameter from the values", async () => {
    const { bundle, numbers, x, w } = await ready();
    const [deviation, sample, parameter] = [numbers.neurons(x, 2), numbers.neurons(x, 3), numbers.neurons(w, 0)];
    bundle.chunks.request([deviation.chunks(5, 6), sample.chunks(5, 6), parameter.chunks(0, 2)].flat());
    await settled(bundle);
    expect(deviation.at(5)).toBe(2 * N + 5);
    expect(sample.at(5)).toBe(-5);
    expect([parameter.at(0), parameter.at(1)]).toEqual([7, 9]);
  });
});

describe("a step that does not fit its description", () => {
  const small: FixtureStep = {
    ...STEP,
    tensors: [{ name: "x", iteration: 0, shape: [2], batch_dimension: null }],
    groups: [{ name: "forward", tensors: [0] }],
    arrays: [
      { name: "counts", dtype: "I32", values: [0, 0, 0, 0, 0] },
      { name: "extrema.F32", dtype: "F32", values: [0, 0] },
      { name: "statistics.F32", dtype: "F32", values: [0, 0, 0, 0] },
      { name: "values.F32", dtype: "F32", values: [1, 2] },
    ],
  };

  it("opens where it fits", async () => {
    expect((await open(small)).opened.state).toBe("ready");
  });

  it.each([
    ["an array of another length", (json: any) => (json.array_sets[0].count[3] = 3)],
    ["a missing array", (json: any) => ["name", "dtype", "count"].forEach((key) => json.array_sets[0][key].pop())],
    ["an array of another dtype", (json: any) => (json.array_sets[0].dtype[3] = json.strings.push("F64") - 1)],
    ["an unknown dtype", (json: any) => (json.array_sets[0].dtype[3] = json.strings.push("F7") - 1)],
    ["no lane", (json: any) => (json.trials[0].steps.lane4[0] = -1)],
    ["a lane that begins elsewhere", (json: any) => (json.trials[0].steps.lane4[0] = 0)],
  ])("is refused: %s", async (_, change) => {
    const { opened } = await open(small, change);
    expect(opened.state).toBe("failed");
  });
});
