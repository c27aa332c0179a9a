import { expect, test } from "vitest";
import { DamagedBundleError } from "../../../src/data/format/errors";
import { FigureOfTrial, parseFigureDocument, parseFigureSelections, parsePlotlyFrame } from "../../../src/data/format/figures";
import { sampleOf } from "../../../src/state/selection/selection";

const CHUNKS = { bytes: [10, 20], crc32: [0, 0], codec: [0, 0], width: [1, 1], inline: [1, 1], identity: [], encoded: [] };
const SELECTIONS = { step: [0, 0, 10], iteration: [-1, -1, -1], sample: [-1, 3, 3], chunk: [0, 1, 1], position: [0, 0, 2] };

test("each selection finds its own", () => {
  const figure = new FigureOfTrial(parseFigureSelections(SELECTIONS, CHUNKS, "here"));
  expect(figure.find(0, -1, -1)).toEqual({ chunk: 0, position: 0 });
  expect(figure.find(10, -1, 3)).toEqual({ chunk: 1, position: 2 });
  expect(figure.find(10, -1, -1)).toBeUndefined();
  expect(figure.find(1, 0, -1)).toBeUndefined();
});

test.each([
  ["a chunk that is not there", { ...SELECTIONS, chunk: [0, 1, 2] }],
  ["columns of different length", { ...SELECTIONS, sample: [0] }],
  ["a missing column", { ...SELECTIONS, position: undefined }],
])("%s is refused", (_, value) => {
  expect(() => parseFigureSelections(value, CHUNKS, "here")).toThrow(DamagedBundleError);
});

test("documents are of a known kind, and text", () => {
  expect(parseFigureDocument({ kind: "svg", text: "<svg/>", more: 1 }, "here")).toEqual({ kind: "svg", text: "<svg/>" });
  expect(() => parseFigureDocument({ kind: "javascript", text: "" }, "here")).toThrow("one of svg, html, plotly, error");
  expect(() => parseFigureDocument({ kind: "svg", text: 5 }, "here")).toThrow("a string");
  expect(() => parsePlotlyFrame({ before: "" }, "here")).toThrow("here.behind");
});

test("an aggregation names a sample or none", () => {
  expect(["sample_0", "sample_31", "batch_mean", "has_no_batch_dimension", "sample_", "sample_1x"].map(sampleOf)).toEqual([
    0,
    31,
    null,
    null,
    null,
    null,
  ]);
});
