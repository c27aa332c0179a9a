import { expect, it } from "vitest";
import type { FoundProblem } from "../../../src/data/format/findings";
import { distanceOf, findingLines, kindOf, spoken } from "../../../src/page/timeline/words";

const facts = { step: 120, type: "train", isTriggered: false, before: 101 };
const finding = (title: string, severity: number) => ({ title, severity }) as FoundProblem;

it("says how far a step is from the one before", () => {
  expect(distanceOf(facts)).toBe("19 steps since 101");
  expect(distanceOf({ ...facts, before: 119 })).toBe("1 step since 119");
  expect(distanceOf({ ...facts, step: 136.000003, before: 136.000001 })).toBe("2 evaluations later");
  expect(distanceOf({ ...facts, step: 136.000001, before: 136 })).toBe("1 evaluation later");
  expect(distanceOf({ ...facts, step: 136.000001, before: 99.000002 })).toBe("37 steps since 99");
  expect(distanceOf({ ...facts, step: 0, before: -0.999998 })).toBe("the first after evaluations");
  expect(distanceOf({ ...facts, before: null })).toBe("the first one");
});

it("says what kind of step it is", () => {
  expect([facts, { ...facts, isTriggered: true }].map(kindOf)).toEqual(["train", "train, triggered"]);
});

it("says what begins there, and does not list everything", () => {
  expect(spoken(facts, 2, 40, [])).toBe("120, train, 3 of 40, 19 steps since 101");
  expect(spoken(facts, 2, 40, [finding("The loss is NaN", 3)])).toBe(
    "120, train, 3 of 40, 19 steps since 101. Begins here: Bug: The loss is NaN",
  );
  const many = ["a", "b", "c", "d", "e"].map((title) => finding(title, 1));
  expect(findingLines(many)).toEqual(["Symptom: a", "Symptom: b", "Symptom: c", "and 2 more findings"]);
});
