import { describe, expect, it } from "vitest";
import { isSurelyStep, readStep, stepInWords, stepLabel, stepNumber } from "../../src/data/format/steps";

describe("the number of a step", () => {
  it.each([
    [0, "0", "step 0"],
    [1200, "1200", "step 1200"],
    [136.000001, "after 136", "evaluation 1 after step 136"],
    [136.000003, "after 136 (3)", "evaluation 3 after step 136"],
    [999999999.999999, "after 999999999 (999999)", "evaluation 999999 after step 999999999"],
    [-0.999999, "evaluation 1", "evaluation 1 before training"],
    [-0.999942, "evaluation 58", "evaluation 58 before training"],
  ])("%s is %s", (step, label, words) => {
    expect(stepLabel(step)).toBe(label);
    expect(stepInWords(step)).toBe(words);
    expect(readStep(label)).toBe(step);
    expect(readStep(words)).toBe(step);
    expect(stepNumber(step, "here")).toBe(step);
  });

  it.each([
    ["AFTER 136", 136.000001],
    ["after step 136 (2)", 136.000002],
    ["after 136(2)", 136.000002],
    ["Evaluation 2 after 136", 136.000002],
    ["Step 7", 7],
  ])("may also be written %j", (text, step) => expect(readStep(text)).toBe(step));

  it.each(["", "x", "-1", "1.5", "after", "after 3 (", "step", "1e3"])("is not %j", (text) => {
    expect(readStep(text)).toBeNull();
  });

  it.each([0, 12, 12.000001, 12.001, -0.999999, -0.995])("is surely %s", (time) => expect(isSurelyStep(time)).toBe(true));

  it.each([0.5, 12.25, 12.0000005, 12.1, -0.5, -1, -2, -1.999999, NaN])("is not surely %s", (time) =>
    expect(isSurelyStep(time)).toBe(false),
  );

  it.each([-1, NaN, Infinity, "1", null])("is not %s in a bundle", (value) => {
    expect(() => stepNumber(value, "here")).toThrow();
  });
});
