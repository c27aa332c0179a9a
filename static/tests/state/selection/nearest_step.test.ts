import { expect, it } from "vitest";
import type { Trial } from "../../../src/data/format/types";
import { nearestStep, stepSince } from "../../../src/state/selection/nearest_step";

const trial = (...step: number[]) => ({ steps: { step } }) as unknown as Trial;

it("is the nearest step, with how far it is, and the earlier one of two", () => {
  expect(nearestStep(trial(0, 137, 150), 140)).toEqual({ step: 137, away: 3 });
  expect(nearestStep(trial(0, 137, 150), 150)).toEqual({ step: 150, away: 0 });
  expect(nearestStep(trial(10, 20), 15)).toEqual({ step: 10, away: 5 });
  expect(nearestStep(trial(10, 20), 1e9)).toEqual({ step: 20, away: 1e9 - 20 });
});

it("is none where nothing was recorded", () => expect(nearestStep(trial(), 3)).toBeNull());

it("shows what began in a step in that step, or in the first training step after it", () => {
  expect(stepSince(trial(0, 59, 59.000001, 61, 70), 60)).toBe(61);
  expect(stepSince(trial(0, 59.000001, 61), 59.000001)).toBe(59.000001);
  expect(stepSince(trial(0, 60, 61), 60)).toBe(60);
  expect(stepSince(trial(0, 50, 50.000001), 60)).toBe(50.000001);
  expect(stepSince(trial(), 60)).toBeNull();
});
