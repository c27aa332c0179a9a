import { describe, expect, it } from "vitest";
import { numbersOf, placeArrays } from "../../../src/data/arrays/lanes";
import type { Loaded } from "../../../src/data/bundle";
import { Bundle } from "../../../src/data/bundle";
import type { FlowsOfTrial } from "../../../src/data/records/flows";
import { layersInOrder } from "../../../src/importers/vnittest/checking";
import { type GivenFile, isOfVnittest, openVnittest } from "../../../src/importers/vnittest/open";
import fixture from "../../support/vnittest.json";

interface Case {
  name: string;
  files: Record<string, string>;
  flows: {
    name: string;
    method: string;
    layers: { name: string; shape: number[]; role: string; values: string[] | null; gradients: string[] | null }[];
    pairs: { from: number; to: number; flows: [number, number, string][]; residuals: string[] | null }[];
  }[];
  arrays: Record<string, string[]>;
  gaps: number;
}

/** What the importer makes of the same files: `tests/support/importers/vnittest_for_the_page.py` makes it anew. */
const cases = fixture as unknown as Case[];

function fileOf(name: string, content: Uint8Array<ArrayBuffer>): GivenFile {
  return { name, arrayBuffer: async () => content.slice().buffer };
}

function filesOf({ files }: Case): GivenFile[] {
  return Object.entries(files).map(([name, data]) => fileOf(name, new Uint8Array(Buffer.from(data, "base64"))));
}

async function opened(files: readonly GivenFile[]): Promise<{ bundle: Bundle; flows: FlowsOfTrial }> {
  const { index, read } = await openVnittest(files);
  const bundle = new Bundle(index, read, () => undefined);
  return { bundle, flows: (await ready(() => bundle.flows(index.trials[0]!)))! };
}

async function ready<T>(load: () => Loaded<T>): Promise<T> {
  for (;;) {
    const loaded = load();
    if (loaded.state === "ready") {
      return loaded.value;
    }
    if (loaded.state === "failed") {
      throw loaded.error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function numberOf(text: string): number {
  return text === "nan" ? NaN : text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
}

/** Close as float32 is, NaN and infinities equal. */
function expectClose(actual: ArrayLike<number> | null, expected: readonly string[] | null): void {
  expect(actual === null ? null : actual.length).toBe(expected === null ? null : expected.length);
  expected?.map(numberOf).forEach((number, k) => {
    if (Number.isFinite(number)) {
      expect(Math.abs(actual![k]! - number)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(number)));
    } else {
      expect(actual![k]).toBe(number);
    }
  });
}

describe("files of vnittest", () => {
  it.each(cases)("$name: the flows are those of the importer", async (one) => {
    const { flows } = await opened(filesOf(one));
    expect(flows.list.map(({ name, method }) => [name, method])).toEqual(one.flows.map(({ name, method }) => [name, method]));
    for (const [k, flow] of flows.list.entries()) {
      const expected = one.flows[k]!;
      expect(flow.layers.map(({ name, shape, role }) => ({ name, shape, role }))).toEqual(
        expected.layers.map(({ name, shape, role }) => ({ name, shape, role })),
      );
      for (const [place, layer] of expected.layers.entries()) {
        expectClose(await flows.layerNumbers(flow, place, 0, "values"), layer.values);
        expectClose(await flows.layerNumbers(flow, place, 0, "gradients"), layer.gradients);
      }
      expect(flow.pairs.map(({ from, to }) => [from, to])).toEqual(expected.pairs.map(({ from, to }) => [from, to]));
      for (const [place, pair] of expected.pairs.entries()) {
        const sources = Array.from({ length: elements(expected.layers[pair.from]!.shape) }, (_, element) => element);
        const links = await flows.linksFrom(flow, place, 0, sources);
        expect([...links.sources].map((source, at) => [source, links.targets[at]])).toEqual(
          pair.flows.map(([source, target]) => [source, target]),
        );
        expectClose(
          links.flows,
          pair.flows.map(([, , value]) => value),
        );
        expectClose(await flows.residuals(flow, place, 0), pair.residuals);
        // The same by their targets.
        const targets = Array.from({ length: elements(expected.layers[pair.to]!.shape) }, (_, element) => element);
        const into = await flows.linksInto(flow, place, 0, targets);
        const byTarget = [...pair.flows].sort((first, second) => first[1] - second[1] || first[0] - second[0]);
        expect([...into.sources].map((source, at) => [source, into.targets[at]])).toEqual(
          byTarget.map(([source, target]) => [source, target]),
        );
        expectClose(
          into.flows,
          byTarget.map(([, , value]) => value),
        );
        const finite = pair.flows.map(([, , value]) => numberOf(value)).filter(Number.isFinite);
        const sums = flow.pairs[place]!.sums[0]!;
        expect([sums.count, sums.nonFinite]).toEqual([pair.flows.length, pair.flows.length - finite.length]);
        expect(sums.positive + sums.negative).toBeCloseTo(
          finite.reduce((sum, value) => sum + value, 0),
          4,
        );
        const strongest = await flows.strongestLinks(flow, place, 0);
        expect([...strongest.flows].map(Math.abs)).toEqual([...strongest.flows].map(Math.abs).sort((first, second) => second - first));
        expect(strongest.flows.length).toBe(
          Math.min(256, finite.filter((value) => value > 0).length) + Math.min(256, finite.filter((value) => value < 0).length),
        );
        expect(sums.largest).toBeCloseTo(Math.abs(strongest.flows[0] ?? 0), 5);
      }
    }
  });

  it.each(cases)("$name: the step holds the arrays that the importer records", async (files) => {
    const { bundle } = await opened(filesOf(files));
    const { index } = bundle;
    const { steps } = index.trials[0]!;
    const set = index.array_sets[steps.array_set[0]!]!;
    const expected = new Map(Object.entries(files.arrays).map(([name, values]) => [name, values.length]));
    const lanes = { 8: steps.lane8[0]!, 4: steps.lane4[0]!, 2: steps.lane2[0]!, 1: steps.lane1[0]! };
    const arrays = placeArrays(set, index.strings, lanes, index.chunks, expected);
    for (const [name, values] of Object.entries(files.arrays)) {
      const actual = numbersOf(bundle.chunks, arrays.get(name)!, 0, values.length);
      bundle.chunks.request(actual.chunks(0, values.length));
      while (actual.at(0) === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expectClose(
        values.map((_, k) => Number(actual.at(k))),
        values,
      );
    }
    const graph = await ready(() => bundle.graph(0));
    const layout = await ready(() => bundle.layout(0));
    expect(graph.tensors.name).toEqual(layout.tensors.name);
    const gaps = await ready(() => bundle.gaps(index.trials[0]!));
    expect(gaps.length > 0).toBe(files.gaps > 0);
  });

  it("are recognized by their names, with any beginning", () => {
    expect(["flow_info.pkl", "run_flow_info.pkl", "x_input_representation.npy", "target_representation.npy"].every(isOfVnittest)).toBe(
      true,
    );
    expect(["flow_info.pkl.gz", "report.html", "x.npy"].some(isOfVnittest)).toBe(false);
  });

  it("belong together by the beginning of their names", async () => {
    const [sample] = cases;
    const files = filesOf(sample!);
    const { bundle, flows } = await opened([...files, fileOf("other_input_representation.npy", new Uint8Array(3))]);
    expect(bundle.index.title).toBe("test");
    expect(flows.list[0]!.layers.length).toBe(4);
    await expect(openVnittest(files.filter(({ name }) => name.endsWith(".npy")))).rejects.toThrow("Drop one flow_info.pkl, together with");
    await expect(openVnittest([...files, fileOf("flow_info.pkl", new Uint8Array(3))])).rejects.toThrow("Drop one flow_info.pkl");
  });

  it("open without their pictures, and name them", async () => {
    const { bundle, flows } = await opened(filesOf(cases[0]!).filter(({ name }) => name.endsWith(".pkl")));
    expect(flows.list[0]!.layers.map(({ name }) => name)).toEqual(["in", "out"]);
    const gaps = await ready(() => bundle.gaps(bundle.index.trials[0]!));
    expect(gaps.map(({ reason }) => reason)).toEqual([
      "there is no input_representation.npy, which vnittest needs; the rest is here.",
      "there is no target_representation.npy, which vnittest needs; the rest is here.",
    ]);
  });

  it("take eight million flows in all", async () => {
    // One layer of 50 x 50 elements under four names, with three pairs that are to be estimated: two times 6.25 million flows each.
    const names = ["a", "b", "c", "d"];
    const text = (name: string): string => `X\x01\x00\x00\x00${name}`;
    const array = `cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR(K\x01K\x32K\x32\x86cnumpy\ndtype\n(X\x02\x00\x00\x00u1\x89\x88tR\x89B\xc4\x09\x00\x00${"\0".repeat(2500)}tbq\x00`;
    const layers = names.map((name, k) => text(name) + (k === 0 ? array : "h\x00")).join("");
    const pairs = names
      .slice(1)
      .map((name, k) => `${text(names[k]!)}${text(name)}\x86N`)
      .join("");
    const content = `}(X\x14\x00\x00\x00activation_gradients}(${layers}uX\x0e\x00\x00\x00gradient_flows}(${pairs}uu.`;
    const { bundle, flows } = await opened([
      fileOf(
        "flow_info.pkl",
        Uint8Array.from(content, (letter) => letter.charCodeAt(0)),
      ),
    ]);
    expect(flows.list.map(({ pairs: list }) => list.length)).toEqual([0]);
    const gaps = await ready(() => bundle.gaps(bundle.index.trials[0]!));
    expect(gaps.filter(({ reason }) => reason.includes("too many to be estimated in a page")).length).toBe(3);
  });

  it.each([
    ["cos\nsystem\n(S'x'\ntR.", "flow_info.pkl is not read: at byte 0, it names os.system"],
    ["}.", "is not one of vnittest's"],
    ["", "ends in the middle"],
    ["}(X\x14\x00\x00\x00activation_gradients}X\x0e\x00\x00\x00gradient_flows}u.", "no layer that can be used"],
  ])("are refused where they hold %j", async (content, words) => {
    const file = fileOf(
      "flow_info.pkl",
      Uint8Array.from(content, (letter) => letter.charCodeAt(0)),
    );
    await expect(openVnittest([file])).rejects.toThrow(words);
  });
});

describe("the order of layers", () => {
  it.each<[string[], [string, string][], string[]]>([
    [["conv10", "conv2", "conv1"], [], ["conv1", "conv2", "conv10"]],
    [
      ["a", "b", "c"],
      [
        ["c", "b"],
        ["b", "a"],
      ],
      ["c", "b", "a"],
    ],
    [
      ["a", "b"],
      [
        ["a", "b"],
        ["b", "a"],
      ],
      ["a", "b"],
    ],
    [
      [],
      [
        ["z", "y"],
        ["y", "x"],
      ],
      ["z", "y", "x"],
    ],
  ])("of %j with %j", (named, pairs, expected) => {
    expect(layersInOrder(named, pairs)).toEqual(expected);
  });
});

function elements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
