import { describe, expect, it } from "vitest";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { DamagedBundleError, NewerBundleError } from "../../../src/data/format/errors";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";

const STEP: FixtureStep = {
  step: 5,
  tensors: [{ name: "x", iteration: 0, shape: [4, 2], type: "input" }],
  groups: [{ name: "forward", tensors: [0] }],
  graphs: [null],
  arrays: [{ name: "counts", dtype: "I32", values: [0, 0, 0, 0, 0] }],
};

type Json = Record<string, any>;

function changed(change: (index: Json) => void): string {
  const index = JSON.parse(buildBundle([STEP, { ...STEP, step: 7 }]).index) as Json;
  change(index);
  return JSON.stringify(index);
}

const RUN = {
  started: "2026-01-02T03:04:05Z",
  seconds: 92.5,
  ending: "exception",
  error: "RuntimeError: boom",
  error_step: 1218,
  between_steps: true,
  trained: 1219,
  recorded: 35,
  parameters: 12,
  trainable: 8,
  devices: ["cuda"],
  dtypes: ["F32", "BF16"],
  optimizers: [{ name: "Adam", groups: 2, options: { lr: 0.001, "betas[0]": 0.9 } }],
  config: [
    ["seed", 0],
    ["amp", true],
    ["name", "a"],
    ["checkpoint", null],
  ],
};

describe("parseIndex", () => {
  it("reads an index", () => {
    const index = parseIndex(changed(() => undefined));
    expect(index.title).toBe("Title");
    expect(index.trials[0]?.steps.step).toEqual([5, 7]);
    expect(index.trials[0]?.steps.time).toEqual([0, 0.5]);
  });

  it("takes a missing time and numbers that JSON does not have", () => {
    const index = parseIndex(changed((json) => (json.trials[0].steps.time = [null, "NaN"])));
    expect(index.trials[0]?.steps.time).toEqual([null, NaN]);
  });

  it("reads an index that lacks what was added since", () => {
    const index = parseIndex(
      changed((json) => {
        for (const key of ["facts", "module_runs", "parameter_lists"]) {
          delete json[key];
        }
        delete json.trials[0].steps.triggered;
        delete json.trials[0].steps.facts;
        json.about.recordings = [{ trial: "t", writer: "w" }];
      }),
    );
    expect(index.trials[0]?.steps.triggered).toEqual([-1, -1]);
    expect(index.trials[0]?.steps.facts).toEqual([-1, -1]);
    expect(index.facts).toEqual({ chunk: [], position: [] });
    expect(index.runs).toEqual([]);
    expect(index.about.recordings[0]).toMatchObject({ rank: 0, world_size: 1, sessions: [], left_behind: 0 });
  });

  it("reads all ranks of a trial, and what they are together", () => {
    const index = parseIndex(changed((json) => json.trials.push({ ...json.trials[0], rank: null }, { ...json.trials[0], rank: 1 })));
    expect(index.trials.map(({ rank }) => rank)).toEqual([0, null, 1]);
  });

  it("reads how a run went", () => {
    expect(parseIndex(changed((json) => (json.runs = [{ ...RUN, more: 1 }]))).runs).toEqual([RUN]);
    const unknown = { ...RUN, seconds: null, ending: "", error_step: null, trained: null, devices: [], optimizers: [], config: [] };
    expect(parseIndex(changed((json) => (json.runs = [unknown]))).runs).toEqual([unknown]);
  });

  it("takes a hyperparameter of any name", () => {
    const source = changed((json) => (json.runs = [RUN])).replace('"betas[0]"', '"__proto__"');
    const [run] = parseIndex(source).runs;
    expect(Object.keys(run!.optimizers[0]!.options)).toEqual(["lr", "__proto__"]);
  });

  it("refuses a newer version by name", () => {
    expect(() => parseIndex(changed((json) => (json.version = 2)))).toThrow(NewerBundleError);
  });

  const hostile: [string, (index: Json) => void][] = [
    ["another format", (json) => (json.format = "x")],
    ["a version that is no number", (json) => (json.version = "1")],
    ["no strings", (json) => delete json.strings],
    ["a string that is a number", (json) => (json.strings[0] = 7)],
    ["columns of different lengths", (json) => json.chunks.crc32.pop()],
    ["an endless chunk", (json) => (json.chunks.bytes[0] = 1e15)],
    ["a negative length", (json) => (json.chunks.bytes[0] = -1)],
    ["half a byte", (json) => (json.chunks.bytes[0] = 0.5)],
    ["an unknown codec", (json) => (json.chunks.codec[0] = 2)],
    ["a lane chunk that is too long", (json) => ((json.chunks.width[0] = 4), (json.chunks.bytes[0] = 4194308))],
    ["a chunk that is no whole number of elements", (json) => ((json.chunks.width[0] = 4), (json.chunks.bytes[0] = 7))],
    ["a layout in no chunk", (json) => (json.layouts.chunk[0] = 999)],
    ["a structure that does not exist", (json) => (json.structure_sets[0] = [3])],
    ["a step without a layout", (json) => (json.trials[0].steps.layout[1] = 9)],
    ["steps out of order", (json) => (json.trials[0].steps.step = [7, 5])],
    ["a step that is no number", (json) => (json.trials[0].steps.step = [5, "7"])],
    ["a lane that does not exist", (json) => (json.trials[0].steps.lane4[0] = 99)],
    ["a type that is not a string", (json) => (json.trials[0].steps.type[0] = -1)],
    ["a trial that is a list", (json) => (json.trials[0] = [])],
    ["a column that is missing", (json) => delete json.trials[0].steps.gaps],
    ["an array set that names nothing", (json) => (json.array_sets[0].name = [500])],
    ["a sample without a label", (json) => (json.sample_sets[0] = { index: [0], label: [] })],
    ["a reason that is not a string", (json) => (json.trials[0].steps.triggered = [-1, 999])],
    ["facts that do not exist", (json) => (json.trials[0].steps.facts = [-1, 0])],
    ["facts in no chunk", (json) => (json.facts = { chunk: [999], position: [0] })],
    ["the same rank twice", (json) => json.trials.push(json.trials[0])],
    ["a rank below the first", (json) => (json.trials[0].rank = -1)],
    ["a session of no number of steps", (json) => (json.about.recordings = [{ sessions: [{ first: 0, last: 1, closed: true }] }])],
    ["problems that are no list", (json) => (json.about.problems = "none")],
    ["runs of other trials", (json) => (json.runs = [RUN, RUN])],
    ["a run that lacks its state", (json) => (json.runs = [{ ...RUN, ending: undefined }])],
    ["a run of an unknown state", (json) => (json.runs = [{ ...RUN, ending: "lost" }])],
    ["a negative number of steps", (json) => (json.runs = [{ ...RUN, trained: -1 }])],
    ["half a parameter", (json) => (json.runs = [{ ...RUN, parameters: 0.5 }])],
    ["a step of an exception that is a text", (json) => (json.runs = [{ ...RUN, error_step: "1" }])],
    ["a device that is no text", (json) => (json.runs = [{ ...RUN, devices: [null] }])],
    ["an optimizer that is a name", (json) => (json.runs = [{ ...RUN, optimizers: ["Adam"] }])],
    ["a setting that is a list", (json) => (json.runs = [{ ...RUN, optimizers: [{ name: "Adam", groups: 1, options: { lr: [1] } }] }])],
    ["a hyperparameter without a value", (json) => (json.runs = [{ ...RUN, config: [["lr"]] }])],
    ["a hyperparameter that is an object", (json) => (json.runs = [{ ...RUN, config: [["lr", {}]] }])],
    ["a hyperparameter without a name", (json) => (json.runs = [{ ...RUN, config: [[1, 2]] }])],
  ];
  it.each(hostile)("refuses %s", (_, change) => {
    expect(() => parseIndex(changed(change))).toThrow(DamagedBundleError);
  });

  it.each(["", "null", "[]", "7", '"x"', "{", "{}"])("refuses %j in words", (text) => {
    expect(() => parseIndex(text)).toThrow(DamagedBundleError);
  });
});
