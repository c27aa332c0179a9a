import { expect, it } from "vitest";
import type { FoundProblem } from "../../../src/data/format/findings";
import type { Trial } from "../../../src/data/format/types";
import { stepMarks } from "../../../src/kits/charts/step_marks";

it("the marks of a trial are the steps at which findings begin, and those that were triggered", () => {
  const trial = { steps: { step: [0, 37, 50], triggered: [-1, -1, 2] } } as unknown as Trial;
  const finding = (title: string, severity: number) => ({ title, severity }) as FoundProblem;
  const findings = new Map([[1, [finding("The loss is NaN", 3), finding("It grew", 1)]]]);
  expect(stepMarks(trial, findings)).toEqual({
    findings: [{ step: 37, severity: 3, titles: ["The loss is NaN", "It grew"] }],
    triggered: [50],
  });
});
