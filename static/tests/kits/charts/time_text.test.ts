import { expect, it } from "vitest";
import { timeInWords, timeText, timeTicks } from "../../../src/kits/charts/time_text";

it("names places on the axis of a curve", () => {
  expect([1200, 1200.000003, -0.999998, 0.25, -3].map(timeText)).toEqual(["1200", "after 1200 (3)", "evaluation 2", "0.25", "-3"]);
  expect([1200, 1200.000001, -0.999998, 0.25].map(timeInWords)).toEqual(["step 1,200", "after 1200", "evaluation 2", "step 0.25"]);
});

it("has ticks at round numbers", () => {
  expect(timeTicks(-0.999999, 4, 5)).toEqual(["0", "1", "2", "3", "4"].map((text) => ({ value: Number(text), text })));
  expect(timeTicks(0.25, 0.75, 3).map(({ text }) => text)).toEqual(["0.4", "0.6"]);
});

it("has ticks at evaluations where there are only these", () => {
  expect(timeTicks(-0.999999, -0.999994, 6)).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => ({ value: Number(`-0.99999${10 - number}`), text: `evaluation ${number}` })),
  );
  expect(timeTicks(9.000001, 9.00002, 4).map(({ text }) => text)).toEqual(["after 9 (5)", "after 9 (10)", "after 9 (15)", "after 9 (20)"]);
  expect(timeTicks(9.000002, 9.000002, 4)).toEqual([{ value: 9.000002, text: "after 9 (2)" }]);
});
