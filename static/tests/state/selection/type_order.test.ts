import { describe, expect, it } from "vitest";
import { byName } from "../../../src/state/selection/options";
import { isNamedAsEvaluation, orderedTypes, recordedTypes } from "../../../src/state/selection/type_order";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, storeOf } from "../../support/open_store";

it("tells evaluations by a word of their type's name", () => {
  const names = ["eval", "Validation", "my_test", "train/val", "evalLoss", "dev set"];
  expect(names.filter(isNamedAsEvaluation)).toEqual(names);
  expect(["train", "02_iterations", "contest", "interval", "retrieval", "device"].filter(isNamedAsEvaluation)).toEqual([]);
});

it("puts training before evaluations, each by number and name", () => {
  expect(orderedTypes(["eval", "train", "10_steps", "dev", "9_steps", "train"], [])).toEqual([
    "9_steps",
    "10_steps",
    "train",
    "dev",
    "eval",
  ]);
});

it("compares names by their numbers, whatever their case", () => {
  const names = ["2", "10", "a", "a2", "a2b", "a10", "a10.9", "a10.10", "B", "c"];
  expect([...names].reverse().sort(byName)).toEqual(names);
  expect([...names].reverse().sort(new Intl.Collator("en", { numeric: true }).compare)).toEqual(names);
});

describe("what trained", () => {
  const STEP_TYPES = ["fit", "fit", "probe", "held out test"];

  function typesOf(known?: [string, number][]) {
    const steps = STEP_TYPES.map((type, k) => ({ ...ownStep(k), type }));
    const { bundle } = storeOf(
      dataOfBundle(buildBundle(steps), (index) => {
        const position = ([name]: [string, number]): number => index.strings.indexOf(name);
        index.step_types = known && { type: known.map(position), trained: known.map(([, trained]) => trained) };
      }),
    );
    return recordedTypes(bundle, bundle.index.trials[0]!);
  }

  it("tells evaluations, whatever they are called", () => {
    const types = typesOf([
      ["fit", 1],
      ["probe", 0],
      ["held out test", 1],
    ]);
    expect(types).toEqual([
      { name: "fit", isEvaluation: false },
      { name: "probe", isEvaluation: true },
      { name: "held out test", isEvaluation: false },
    ]);
    expect(orderedTypes(["val", "probe", "held out test", "fit"], types)).toEqual(["fit", "held out test", "probe", "val"]);
  });

  it("is not known in pages of earlier versions: names tell", () => {
    expect(typesOf().map(({ isEvaluation }) => isEvaluation)).toEqual([false, false, true]);
  });
});
