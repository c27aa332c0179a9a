import { expect, it } from "vitest";
import type { Bundle } from "../../../src/data/bundle";
import type { TensorRecord } from "../../../src/data/records/record_offsets";
import { namesOfAxes } from "../../../src/kits/heatmap/axis_names";
import type { OpenStep } from "../../../src/state/selection/open_step";

const SHAPES = [
  [2, 3, 5, 5],
  [2, 5, 5],
  [2, 3, 5, 5],
  [5, 5],
  [1, 2, 3, 5, 5],
  [2, 3, 5, 5],
];
const NAMES = ["a", "b", "c", "d", "e", "w"];
const OPEN = {
  trial: {},
  step: 0,
  content: { layout: { tensors: { name: NAMES, iteration: [0, 0, 0, 0, 0, -1], shape: SHAPES } } },
} as unknown as OpenStep;
const PORTS = {
  meaning: ["attention", "attention_after_dropout", null, "attention", "attention", "attention"],
  record_name: NAMES,
  record_iteration: [0, 0, 0, 0, 0, -1],
};

function axesOf(tensor: number, state: object = { state: "ready", value: { ports: PORTS } }, callSet = [0]) {
  const bundle = { callSet: () => callSet, calls: () => state } as unknown as Bundle;
  return namesOfAxes(bundle, OPEN, { tensor } as TensorRecord);
}

it("names the axes of attention patterns", () => {
  expect(axesOf(0)).toEqual(["sample", "head", "query", "key"]);
  // Whether the first of three is the sample or the head is not known.
  expect(axesOf(1)).toEqual(["query", "key"]);
});

it("names none of another tensor, nor of one with fewer or more axes", () => {
  expect([axesOf(2), axesOf(3), axesOf(4)]).toEqual([[], [], []]);
});

it("names none of what belongs to no iteration, while the calls are loaded, and where there are none", () => {
  expect([axesOf(5), axesOf(0, { state: "loading" }), axesOf(0, { state: "ready" }, []), axesOf(0, { state: "ready" }, [-1])]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});
