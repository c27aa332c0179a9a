import { expect, it } from "vitest";
import type { Trial } from "../../../src/data/format/types";
import { nearnessText } from "../../../src/ui/text/near_step";

const trial = (...step: number[]): Trial => ({ steps: { step } }) as Trial;

it("says how near the recorded step is", () => {
  expect(nearnessText(trial(0, 40, 2000), 41)).toBe("nearest recorded: step 40, 1 step before it");
  expect(nearnessText(trial(0, 40, 2000), 1900)).toBe("nearest recorded: step 2,000, 100 steps after it");
  expect(nearnessText(trial(0, 40.000001), 40)).toBe("nearest recorded: evaluation 1 after step 40, less than a step after it");
});

it("says nothing where there is nothing to say", () => {
  expect(nearnessText(trial(0, 40), 40)).toBe("");
  expect(nearnessText(trial(), 40)).toBe("");
});
