import { describe, expect, it } from "vitest";
import { ChunkStore } from "../../../src/data/arrays/chunks";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { DamagedBundleError } from "../../../src/data/format/errors";
import type { ChunkTable } from "../../../src/data/format/types";
import { parseFlows } from "../../../src/data/records/flow_list";
import { FlowsOfTrial } from "../../../src/data/records/flows";
import { USUAL } from "../../../src/state/tab_options/flow_options";
import { reachedFrom } from "../../../src/tabs/flow/computed_elements";
import {
  elementName,
  residualInWords,
  ribbonInWords,
  selectionName,
  signed,
  signedExactly,
  sumsInWords,
} from "../../../src/tabs/flow/flow_text";
import { follow, strongestOf } from "../../../src/tabs/flow/follow";
import { loadComputed, loadNumbers } from "../../../src/tabs/flow/layer_numbers";
import { layOut } from "../../../src/tabs/flow/sankey/sankey";
import { shortNames } from "../../../src/tabs/flow/sankey/short_names";
import { buildBundle } from "../../support/bundle_fixture";

/**
 * Two samples of three layers with 3, 2 and 2 elements. In the first sample, a reaches b by
 * a0 -> b0: 1, a0 -> b1: -2, a2 -> b1: 4; b reaches c by b0 -> c1: 3, b1 -> c0: -5, b1 -> c1: 0.5.
 * In the second one, a reaches b by a1 -> b0: NaN and a1 -> b1: 8; b reaches nothing.
 */
const lane: number[] = [];
const floats = new Set<number>();
function put(values: readonly number[], isFloat = false): number {
  const start = lane.length;
  values.forEach((value) => {
    if (isFloat) {
      floats.add(lane.length);
    }
    lane.push(value);
  });
  return start;
}
const gradients = put([-1, 0, 7, 0, 8, 1], true);
const stored = {
  step: 4,
  iteration: 0,
  name: "flow",
  method: "exact",
  samples: [2, 5],
  lane4: 0,
  layers: [
    { name: "a", shape: [3], role: "input", record_name: "x", record_iteration: 0, values: -1, gradients },
    {
      name: "b",
      shape: [1, 2],
      role: "layer",
      record_name: null,
      record_iteration: null,
      values: put([10, 20, 30, 40], true),
      gradients: -1,
    },
    { name: "c", shape: [2], role: "target", record_name: null, record_iteration: null, values: -1, gradients: -1 },
  ],
  pairs: [
    {
      from: 0,
      to: 1,
      count: [3, 2],
      positive: [5, 8],
      negative: [-2, 0],
      largest: [4, 8],
      non_finite: [0, 1],
      computed: put([1, 1, 1, 0]),
      residuals: put([0, 0, 3, 0, 0.5, 1], true),
      by_source: { starts: put([0, 2, 2, 3, 3, 5, 5]), others: put([0, 1, 1, 0, 1]), flows: put([1, -2, 4, NaN, 8], true) },
      by_target: { starts: put([0, 1, 3, 4, 5]), others: put([0, 0, 2, 1, 1]), flows: put([1, -2, 4, NaN, 8], true) },
      strongest: { sources: put([2, 0, 0, 1]), targets: put([1, 1, 0, 1]), flows: put([4, -2, 1, 8], true), count: [3, 1] },
    },
    {
      from: 1,
      to: 2,
      count: [3, 0],
      positive: [3.5, 0],
      negative: [-5, 0],
      largest: [5, 0],
      non_finite: [0, 0],
      computed: -1,
      residuals: -1,
      by_source: { starts: put([0, 1, 3, 3, 3]), others: put([1, 0, 1]), flows: put([3, -5, 0.5], true) },
      by_target: { starts: put([0, 1, 3, 3, 3]), others: put([1, 0, 1]), flows: put([-5, 3, 0.5], true) },
      strongest: { sources: put([1, 0, 1]), targets: put([0, 1, 1]), flows: put([-5, 3, 0.5], true), count: [3, 0] },
    },
  ],
};

const bytes = new Uint8Array(lane.length * 4);
lane.forEach((value, k) =>
  floats.has(k) ? new DataView(bytes.buffer).setFloat32(4 * k, value, true) : new DataView(bytes.buffer).setInt32(4 * k, value, true),
);
const TABLE: ChunkTable = { bytes: [bytes.length], crc32: [0], codec: [0], width: [4], inline: [0], identity: [], encoded: [] };

function opened(raw = bytes, value: unknown = [stored]): FlowsOfTrial {
  const chunks = { bytes: () => Promise.resolve(raw) } as unknown as ChunkStore;
  return new FlowsOfTrial(parseFlows(value, TABLE, "flows"), chunks);
}

const flows = opened();
const flow = flows.list[0]!;
const listed = (links: { sources: Int32Array; targets: Int32Array; flows: Float32Array }): number[][] =>
  [...links.flows].map((flow, k) => [links.sources[k]!, links.targets[k]!, flow]);

describe("gradient flows", () => {
  it("are described without their places", () => {
    expect([flow.name, flow.step, flow.samples, flow.layers[1]!.hasValues, flow.layers[1]!.hasGradients]).toEqual([
      "flow",
      4,
      [2, 5],
      true,
      false,
    ]);
    expect(flow.pairs[0]).toEqual({
      from: 0,
      to: 1,
      allComputed: false,
      hasResiduals: true,
      sums: [
        { count: 3, positive: 5, negative: -2, largest: 4, nonFinite: 0 },
        { count: 2, positive: 8, negative: 0, largest: 8, nonFinite: 1 },
      ],
    });
    expect(flow.pairs[1]!.allComputed).toBe(true);
  });

  it("are read by source and by target, in each sample", async () => {
    expect(listed(await flows.linksFrom(flow, 0, 0, [0]))).toEqual([
      [0, 0, 1],
      [0, 1, -2],
    ]);
    expect(listed(await flows.linksFrom(flow, 0, 0, [1]))).toEqual([]);
    expect(listed(await flows.linksFrom(flow, 0, 0, [0, 2]))).toEqual([
      [0, 0, 1],
      [0, 1, -2],
      [2, 1, 4],
    ]);
    expect(listed(await flows.linksInto(flow, 0, 0, [1]))).toEqual([
      [0, 1, -2],
      [2, 1, 4],
    ]);
    expect(listed(await flows.linksFrom(flow, 0, 1, [1]))).toEqual([
      [1, 0, NaN],
      [1, 1, 8],
    ]);
    expect(listed(await flows.linksInto(flow, 0, 1, [1]))).toEqual([[1, 1, 8]]);
    expect(listed(await flows.strongestLinks(flow, 0, 0))).toEqual([
      [2, 1, 4],
      [0, 1, -2],
      [0, 0, 1],
    ]);
    expect(listed(await flows.strongestLinks(flow, 0, 1))).toEqual([[1, 1, 8]]);
    expect([...(await flows.residuals(flow, 0, 1))!]).toEqual([0, 0.5, 1]);
    expect([...(await flows.computed(flow, 0, 1))!]).toEqual([1, 0]);
    expect(await flows.computed(flow, 1, 0)).toBeNull();
    expect([...(await flows.layerNumbers(flow, 1, 1, "values"))!]).toEqual([30, 40]);
    expect(await flows.layerNumbers(flow, 1, 0, "gradients")).toBeNull();
  });

  it("come with what is known of the elements of each layer", async () => {
    const known = (await loadNumbers(flows, flow, 1, "values")).map(({ values, gradients }) => [
      values && [...values],
      gradients && [...gradients],
    ]);
    expect(known).toEqual([
      [null, [0, 8, 1]],
      [[30, 40], null],
      [null, null],
    ]);
    // Into the second element of b, not all flows are known in the second sample; into c, all are.
    expect((await loadComputed(flows, flow, 1)).map((computed) => computed && [...computed])).toEqual([null, [1, 0], null]);
    // If two layers lead into one, both must be known.
    const masks = [Int32Array.of(1, 1, 0), Int32Array.of(0, 1, 1), null];
    const ofPairs = { computed: async (_: unknown, pair: number) => masks[pair]! } as unknown as FlowsOfTrial;
    const pairs = [0, 1, 2].map((from) => ({ from, to: 3 }));
    const joined = await loadComputed(ofPairs, { layers: [0, 1, 2, 3], pairs } as unknown as typeof flow, 0);
    expect(joined.map((computed) => computed && [...computed])).toEqual([null, null, null, [0, 1, 0]]);
  });

  it("say which elements have some, into them or from them, in each sample", async () => {
    expect(await flows.haveFlows(flow, 0, 0, [0, 1, 2])).toEqual([true, false, true]);
    expect(await flows.haveFlows(flow, 0, 1, [2, 1, 0])).toEqual([false, true, false]);
    // In the second sample, nothing leads on from b, but something leads there.
    expect(await flows.haveFlows(flow, 1, 1, [0, 1])).toEqual([true, true]);
    expect(await flows.haveFlows(flow, 2, 1, [0, 1])).toEqual([false, false]);
  });

  it("lie across chunks", async () => {
    // Rows of 100,000 flows do not fit into a chunk of 65,536 elements.
    const count = 100_000;
    const all = new Int32Array(4 * count + 4 + 100_001);
    const [starts, others, values, columns] = [0, 2, 2 + count, 2 + 2 * count];
    all.set([0, count], starts);
    new Float32Array(all.buffer, values * 4, count).fill(0.5);
    for (let k = 0; k < count; k++) {
      all[others + k] = k;
      all[columns + k + 1] = k + 1;
    }
    const pair = {
      from: 0,
      to: 1,
      count: [count],
      positive: [0],
      negative: [0],
      largest: [0],
      non_finite: [0],
      computed: -1,
      residuals: -1,
      by_source: { starts, others, flows: values },
      by_target: { starts: columns, others: columns + count + 1, flows: columns + 2 * count + 1 },
      strongest: { sources: 0, targets: 0, flows: 0, count: [0] },
    };
    const layer = { ...stored.layers[2]!, values: -1 };
    const length = columns + 3 * count + 1;
    const raw = new Uint8Array(length * 4);
    raw.set(new Uint8Array(all.buffer).subarray(0, length * 4));
    const sizes = Array.from({ length: Math.ceil(raw.length / 262144) }, (_, k) => Math.min(262144, raw.length - k * 262144));
    const table: ChunkTable = {
      bytes: sizes,
      crc32: sizes.map(() => 0),
      codec: sizes.map(() => 0),
      width: sizes.map(() => 4),
      inline: sizes.map(() => 0),
      identity: [],
      encoded: [],
    };
    const asked: number[] = [];
    const chunks = {
      bytes: (id: number) => (asked.push(id), Promise.resolve(raw.subarray(id * 262144, id * 262144 + sizes[id]!))),
    } as unknown as ChunkStore;
    const large = new FlowsOfTrial(
      parseFlows(
        [
          {
            ...stored,
            samples: [],
            layers: [
              { ...layer, shape: [1] },
              { ...layer, shape: [count] },
            ],
            pairs: [pair],
          },
        ],
        table,
        "flows",
      ),
      chunks,
    );
    const links = await large.linksFrom(large.list[0]!, 0, 0, [0]);
    expect([links.targets.length, links.targets[65_536], links.targets[99_999], links.flows[99_999]]).toEqual([count, 65_536, 99_999, 0.5]);
    asked.length = 0;
    await large.linksInto(large.list[0]!, 0, 0, [70_000]);
    // Its two starts, its source and its flow.
    expect(new Set(asked).size).toBe(3);
  });

  const changed = (change: (copy: typeof stored) => void): unknown => {
    const copy = structuredClone(stored);
    change(copy);
    return [copy];
  };
  it.each([
    ["a start behind the lane", changed((json) => (json.pairs[0]!.by_source.flows = 10_000))],
    ["a negative start", changed((json) => (json.pairs[0]!.by_target.others = -1))],
    ["a pair that goes back", changed((json) => (json.pairs[0]!.to = 0))],
    ["a layer that is not there", changed((json) => (json.pairs[1]!.to = 3))],
    ["a layer without end", changed((json) => (json.layers[0]!.shape = [2 ** 20, 2 ** 20]))],
    ["another role", changed((json) => (json.layers[0]!.role = "other"))],
    ["flows without end", changed((json) => (json.pairs[0]!.count = [2 ** 31 - 1, 2 ** 31 - 1]))],
    ["sums of another number of samples", changed((json) => (json.pairs[0]!.positive = [5]))],
    ["chunks of another width", changed((json) => (json.lane4 = -1))],
    ["no list", {}],
  ])("are refused with %s", (_, value) => {
    expect(() => parseFlows(value, TABLE, "flows")).toThrow(DamagedBundleError);
  });

  it.each([
    ["rows that go back", stored.pairs[0]!.by_source.starts + 1, -1],
    ["rows behind the last flow", stored.pairs[0]!.by_source.starts + 1, 6],
    ["an element that is not there", stored.pairs[0]!.by_source.others, 2],
    ["a negative element", stored.pairs[0]!.by_source.others, -1],
  ])("with %s are not read", async (_, place, value) => {
    const raw = bytes.slice();
    new DataView(raw.buffer).setInt32(4 * place, value, true);
    const spoiled = opened(raw);
    await expect(spoiled.linksFrom(spoiled.list[0]!, 0, 0, [0])).rejects.toThrow(DamagedBundleError);
  });

  it("with rows that overlap are not read, however many are asked for", async () => {
    const raw = bytes.slice();
    // Six elements in two samples, with five flows: each has all of them.
    [0, 5, 0, 5, 0, 5, 5].forEach((start, k) =>
      new DataView(raw.buffer).setInt32(4 * (stored.pairs[0]!.by_source.starts + k), start, true),
    );
    const spoiled = opened(raw);
    await expect(spoiled.linksFrom(spoiled.list[0]!, 0, 0, [0, 2])).rejects.toThrow(DamagedBundleError);
  });

  it("are none in pages that have none", () => {
    const built = buildBundle([]);
    const bundle = new Bundle(
      parseIndex(built.index),
      async (id) => built.chunks[id]!,
      () => undefined,
    );
    expect(bundle.flows(bundle.index.trials[0]!)).toEqual({ state: "ready", value: null });
  });

  it("wait for their chunks, and fail with them", async () => {
    const base64 = Buffer.from(bytes).toString("base64");
    let answer = (_: string): void => undefined;
    let refuse = (_: Error): void => undefined;
    const read = (): Promise<string> => new Promise((resolve, reject) => ((answer = resolve), (refuse = reject)));
    const chunks = new ChunkStore({ table: { ...TABLE, crc32: [0] }, read, onChange: () => undefined });
    const waiting = chunks.bytes(0);
    refuse(new Error("no data"));
    await expect(waiting).rejects.toThrow("no data");
    await expect(chunks.bytes(0)).rejects.toThrow("no data");
    chunks.forgetFailures();
    const again = chunks.bytes(0);
    answer(base64);
    // The check sum in the table is none.
    await expect(again).rejects.toThrow(DamagedBundleError);
  });
});

describe("what is followed", () => {
  const options = { ...USUAL };

  it("leads forward from the selection, through what it reaches, with residuals", async () => {
    const followed = await follow(flows, flow, options, { layer: 0, elements: [0] });
    expect(followed.links).toEqual([
      { pair: 0, source: 0, target: 1, flow: -2 },
      { pair: 0, source: 0, target: 0, flow: 1 },
      { pair: 1, source: 1, target: 0, flow: -5 },
      { pair: 1, source: 0, target: 1, flow: 3 },
      { pair: 1, source: 1, target: 1, flow: 0.5 },
    ]);
    expect(followed.leftOut).toEqual([]);
    expect(followed.residuals).toEqual([{ pair: 0, source: 0, residual: 0 }]);
    expect(followed.heat.map((heat) => heat && [...heat])).toEqual([null, [1, -2], [-5, 3.5]]);
    expect([...followed.sums]).toEqual([[0, { count: 2, positive: 1, negative: -2, nonFinite: 0 }]]);
  });

  it("leads backward, and both ways from the middle", async () => {
    const followed = await follow(flows, flow, options, { layer: 1, elements: [1] });
    expect(followed.links.map(({ pair, source, target }) => [pair, source, target])).toEqual([
      [1, 1, 0],
      [1, 1, 1],
      [0, 2, 1],
      [0, 0, 1],
    ]);
    expect(followed.heat.map((heat) => heat && [...heat])).toEqual([[-2, 0, 4], null, [-5, 0.5]]);
    const back = await follow(flows, flow, options, { layer: 2, elements: [0] });
    expect(back.links.map(({ pair, source, target }) => [pair, source, target])).toEqual([
      [1, 1, 0],
      [0, 2, 1],
      [0, 0, 1],
    ]);
  });

  it("counts what is too weak, of the other sign, or too much", async () => {
    const weak = await follow(flows, flow, { ...options, threshold: 1.5 }, { layer: 0, elements: [0] });
    expect(weak.links.map((link) => link.flow)).toEqual([-2, -5]);
    expect(weak.leftOut).toEqual([
      { pair: 0, side: "source", element: 0, count: 1, positive: 1, negative: 0, nonFinite: 0 },
      { pair: 1, side: "source", element: 1, count: 1, positive: 0.5, negative: 0, nonFinite: 0 },
    ]);
    const positive = await follow(flows, flow, { ...options, sign: "positive" }, { layer: 0, elements: [0] });
    expect(positive.links.map((link) => link.flow)).toEqual([1, 3]);
    expect(positive.leftOut[0]).toMatchObject({ element: 0, count: 1, negative: -2 });
    const strongest = await follow(flows, flow, { ...options, strongest: 1 }, { layer: 0, elements: [0, 2] });
    // What the other selected element has is counted where no element is drawn.
    expect(strongest.links.map(({ source, target, flow: value }) => [source, target, value])).toEqual([
      [2, 1, 4],
      [1, 0, -5],
    ]);
    expect(strongest.leftOut[0]).toEqual({ pair: 0, side: "source", element: null, count: 2, positive: 1, negative: -2, nonFinite: 0 });
  });

  it("draws no NaN, and counts it", async () => {
    const followed = await follow(flows, flow, { ...options, sample: 1 }, { layer: 0, elements: [1] });
    expect(followed.links.map((link) => link.flow)).toEqual([8]);
    expect(followed.leftOut).toEqual([{ pair: 0, side: "source", element: 1, count: 1, positive: 0, negative: 0, nonFinite: 1 }]);
    expect([...followed.heat[1]!]).toEqual([NaN, 8]);
  });

  it("is the strongest of all without a selection", async () => {
    const followed = await follow(flows, flow, { ...options, threshold: 2 }, null);
    expect(followed.links.map(({ pair, flow: value }) => [pair, value])).toEqual([
      [0, 4],
      [0, -2],
      [1, -5],
      [1, 3],
    ]);
    expect(followed.leftOut).toEqual([
      { pair: 0, side: "source", element: null, count: 1, positive: 1, negative: 0, nonFinite: 0 },
      { pair: 1, side: "source", element: null, count: 1, positive: 0.5, negative: 0, nonFinite: 0 },
    ]);
    expect(followed.residuals).toEqual([
      { pair: 0, source: 2, residual: 3 },
      { pair: 0, source: 0, residual: 0 },
    ]);
  });

  it("takes the strongest, by magnitude, and of equal ones the first", () => {
    const values = Float32Array.of(1, -3, NaN, 3, 3, -Infinity, 0, -2);
    expect(strongestOf(values, { ...options, strongest: 2 })).toEqual([1, 3]);
    expect(strongestOf(values, { ...options, strongest: 20 })).toEqual([1, 3, 4, 7, 0]);
    expect(strongestOf(values, { ...options, strongest: 2, sign: "negative" })).toEqual([1, 7]);
    expect(strongestOf(values, { ...options, strongest: 3, sign: "negative", threshold: 2.5 })).toEqual([1]);
    expect(strongestOf(Float32Array.of(NaN, 0), options)).toEqual([]);
    const many = Float32Array.from({ length: 100_000 }, (_, k) => Math.sin(k) * k);
    const expected = [...many.keys()].sort((a, b) => Math.abs(many[b]!) - Math.abs(many[a]!)).slice(0, 50);
    expect(strongestOf(many, { ...options, strongest: 50 })).toEqual(expected);
  });

  it("reaches the layers next to an element", async () => {
    const reached = await reachedFrom(flows, flow, { ...options, threshold: 1 }, { layer: 1, elements: [1] });
    expect([...reached].map(([layer, elements]) => [layer, [...elements]])).toEqual([
      [0, [0, 2]],
      [2, [0]],
    ]);
  });
});

describe("short names", () => {
  it("are whole where there is room, and keep what tells them apart where there is none", () => {
    expect(shortNames(["image", "conv", "head"], 5)).toEqual(["image", "conv", "head"]);
    const stages = [0, 1, 2].map((k) => `model.stage${k}.convolution: output`);
    expect(shortNames(stages, 40)).toEqual(stages);
    expect(shortNames(stages, 22)).toEqual(["\u2026stage0\u2026output", "\u2026stage1\u2026output", "\u2026stage2\u2026output"]);
    expect(shortNames(stages, 8)).toEqual(["\u2026stage0\u2026", "\u2026stage1\u2026", "\u2026stage2\u2026"]);
    // Nothing is common to all, and yet the same word is in most.
    expect(shortNames(["model: input", "model.0: output", "model.1: output"], 8)).toEqual([
      "\u2026input",
      "\u20260\u2026",
      "\u20261\u2026",
    ]);
  });

  it("are distinguished by their numbers where their words cannot do it", () => {
    expect(shortNames([`${"a".repeat(20)}1${"a".repeat(20)}`, `${"a".repeat(20)}2${"a".repeat(20)}`], 8)).toEqual([
      "1: aaa\u2026aaaa",
      "2: aaa\u2026aaaa",
    ]);
    expect(shortNames(["", "..", "\u4e2d"], 6)).toEqual(["", "..", "\u4e2d"]);
    expect(shortNames(["-".repeat(9)], 6)).toEqual(["--\u2026---"]);
  });
});

describe("the diagram", () => {
  it("has a column per layer, in their order, and a node for what is left out", async () => {
    const followed = await follow(flows, flow, { ...USUAL, threshold: 2 }, null);
    const diagram = layOut(flow, followed, { layer: 0, elements: new Set([2]) }, 600);
    expect(diagram.columns).toEqual([0, 1, 2]);
    const place = (layer: number): number[] => [
      ...new Set(diagram.nodes.filter((node) => node.layer === layer).map((node) => Math.round(node.x0))),
    ];
    expect([place(0).length, place(1).length, place(2).length]).toEqual([1, 1, 1]);
    expect(place(0)[0]!).toBeLessThan(place(1)[0]!);
    expect(place(1)[0]!).toBeLessThan(place(2)[0]!);
    expect(diagram.nodes.filter((node) => node.isSelected).map((node) => [node.layer, node.element])).toEqual([[0, 2]]);
    const rest = diagram.ribbons.filter((ribbon) => ribbon.kind === "others");
    expect(rest.map((ribbon) => [ribbon.pair, ribbon.flow])).toEqual([
      [0, 1],
      [1, 0.5],
    ]);
    const around = diagram.ribbons.filter((ribbon) => ribbon.kind === "residual");
    expect(around.map((ribbon) => [ribbon.flow, diagram.nodes[ribbon.target]!.kind])).toEqual([[3, "residual"]]);
    // Widths are proportional to flows.
    const widths = diagram.ribbons.filter((ribbon) => ribbon.kind === "flow").map((ribbon) => ribbon.width / Math.abs(ribbon.flow));
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(1e-9);
    expect(ribbonInWords(flow, diagram, rest[0]!)).toBe("others of a \u2192 others of b: 1 other flow, sum +1 / \u22120");
    expect(ribbonInWords(flow, diagram, around[0]!)).toBe("a [2]: +3 of its gradient is not in its flows into b");
  });

  it("has no column for a layer that is in no pair", async () => {
    const picture = { ...stored.layers[2]!, name: "picture" };
    const moved = opened(bytes, [
      {
        ...stored,
        layers: [picture, ...stored.layers],
        pairs: stored.pairs.map((pair) => ({ ...pair, from: pair.from + 1, to: pair.to + 1 })),
      },
    ]);
    const [one] = moved.list;
    const diagram = layOut(one!, await follow(moved, one!, USUAL, null), null, 600);
    expect(diagram.columns).toEqual([1, 2, 3]);
    expect([...new Set(diagram.nodes.map((node) => node.layer))].sort()).toEqual([1, 2, 3]);
    expect(ribbonInWords(one!, diagram, diagram.ribbons[0]!)).toBe("a [2] \u2192 b [0, 1]: +4");
  });

  it("keeps the columns apart where nothing leads from one to the next", async () => {
    const followed = await follow(flows, flow, { ...USUAL, sample: 1 }, null);
    const diagram = layOut(flow, followed, null, 600);
    expect(new Set(diagram.nodes.map((node) => Math.round(node.x0))).size).toBe(3);
    expect(diagram.nodes.every((node) => Number.isFinite(node.y0) && Number.isFinite(node.y1))).toBe(true);
  });

  it("draws what is left out no larger than a part of what is drawn", async () => {
    const followed = await follow(flows, flow, { ...USUAL, strongest: 1 }, { layer: 0, elements: [0, 2] });
    const diagram = layOut(flow, followed, null, 600);
    expect(diagram.isReduced).toBe(true);
    const widths = (kind: string): number =>
      diagram.ribbons.filter((ribbon) => ribbon.pair === 0 && ribbon.kind === kind).reduce((sum, ribbon) => sum + ribbon.width, 0);
    expect(widths("others") / widths("flow")).toBeCloseTo(0.3);
  });

  it("draws residuals no larger than the flows beside them", async () => {
    const followed = await follow(flows, flow, { ...USUAL, threshold: 2 }, null);
    const residuals = followed.residuals.map((each) => ({ ...each, residual: each.residual * 1000 }));
    const diagram = layOut(flow, { ...followed, residuals }, null, 600);
    expect(diagram.isReduced).toBe(true);
    const own = diagram.ribbons.filter((ribbon) => ribbon.kind === "residual");
    // The number is as large as it is.
    expect(own.map((ribbon) => ribbon.flow)).toEqual([3000]);
    const flowsOfPair = diagram.ribbons.filter((ribbon) => ribbon.kind === "flow" && ribbon.pair === own[0]!.pair);
    expect(own[0]!.width).toBeCloseTo(flowsOfPair.reduce((sum, ribbon) => sum + ribbon.width, 0));
  });

  it("says what residuals are, as far as they can be in this flow", () => {
    const begins = "Residual: the part of an element\u2019s gradient that its flows into the next layer do not carry";
    expect(residualInWords(flow)).toEqual([
      `${begins}. It comes on paths around that layer, through other samples of the batch or through elements into which flows were not computed, or is rounding.`,
    ]);
    expect(residualInWords({ ...flow, samples: [], pairs: [{ ...flow.pairs[0]!, allComputed: true }] })).toEqual([
      `${begins}. It comes on paths around that layer, or is rounding.`,
    ]);
    expect(residualInWords({ ...flow, method: "given" })).toEqual([`${begins}.`]);
    expect(residualInWords({ ...flow, pairs: [flow.pairs[1]!] })).toEqual([]);
  });

  it("is written with signs that need no colour", () => {
    expect([signed(0.25), signed(-0.25), signed(0), signed(NaN), signed(Infinity), signed(-Infinity)]).toEqual([
      "+0.25",
      "\u22120.25",
      "0",
      "NaN",
      "+inf",
      "\u2212inf",
    ]);
    expect([0.1, -1 / 3, 1e-30, 16777217, 0, NaN, -Infinity].map((value) => signedExactly(Math.fround(value)))).toEqual([
      "+0.1",
      "\u22120.33333334",
      "+1e-30",
      "+16777216",
      "0",
      "NaN",
      "\u2212inf",
    ]);
    expect(sumsInWords({ count: 0, positive: 0, negative: 0, nonFinite: 0 })).toBe("0 flows");
    expect(sumsInWords({ count: 1234, positive: 0.3, negative: -0.2, nonFinite: 2 }, "other flow")).toBe(
      "1,234 other flows, sum +0.3 / \u22120.2, 2 of them NaN or infinite",
    );
    expect(elementName(flow, 1, 1)).toBe("b [0, 1]");
    expect(
      selectionName(flow, {
        layer: 1,
        spans: [
          { first: 0, last: 0, step: 1 },
          { first: 0, last: 1, step: 1 },
        ],
      }),
    ).toBe("b [0, 0\u20131] (2 elements)");
  });
});
