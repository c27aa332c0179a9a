import { expect, it } from "vitest";
import { isEvaluation, orderedTypes } from "../../../src/state/selection/type_order";

it("tells evaluations by a word of their type's name", () => {
  const names = ["eval", "Validation", "my_test", "train/val", "evalLoss", "dev set"];
  expect(names.filter(isEvaluation)).toEqual(names);
  expect(["train", "02_iterations", "contest", "interval", "retrieval", "device"].filter(isEvaluation)).toEqual([]);
});

it("puts training before evaluations, each by number and name", () => {
  expect(orderedTypes(["eval", "train", "10_steps", "dev", "9_steps", "train"])).toEqual(["9_steps", "10_steps", "train", "dev", "eval"]);
});
