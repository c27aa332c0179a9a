import { describe, expect, it } from "vitest";
import { labelsOf, nearestTo, placeOf, stepScale } from "../../../src/page/timeline/scale";

const numbers = (places: Float64Array): number[] => [...places];

describe("the places of steps", () => {
  it("are proportional to their numbers if they are about even", () => {
    const scale = stepScale([100, 150, 200, 300]);
    expect(scale.isLinear).toBe(true);
    expect(numbers(scale.places)).toEqual([0, 0.25, 0.5, 1]);
  });

  it("give every step half of its even share if most would lie together", () => {
    // Distances 1, 1, 1, 97: most are below a quarter of the mean of 25. By number 0, 0.01, 0.02, 0.03, 1; by count 0, 0.25, 0.5, 0.75, 1.
    const scale = stepScale([0, 1, 2, 3, 100]);
    expect(scale.isLinear).toBe(false);
    expect(numbers(scale.places)).toEqual([0, 0.13, 0.26, 0.39, 1].map((place) => expect.closeTo(place, 12)));
  });

  it("ignore a few that lie together, but not a quarter of them", () => {
    const dense = (count: number) => Array.from({ length: 1000 }, (_, k) => (k < count ? k : count + 1000 * (k - count)));
    expect(stepScale(dense(200)).isLinear).toBe(true);
    expect(stepScale(dense(300)).isLinear).toBe(false);
  });

  it("keep the steps of a schedule that thins out apart, in their order", () => {
    const thinning = stepScale(Array.from({ length: 20 }, (_, k) => 2 ** k));
    expect(thinning.isLinear).toBe(false);
    const least = Math.min(...thinning.places.slice(1).map((place, k) => place - thinning.places[k]!));
    // Half of a nineteenth, and the first distance of one among 524,287.
    expect(least).toBeCloseTo(0.5 / 19 + 0.5 / 524287, 9);
  });

  it("is the middle for a single step", () => {
    expect(numbers(stepScale([7]).places)).toEqual([0.5]);
    expect(numbers(stepScale([]).places)).toEqual([]);
  });

  it("are known of numbers between steps, and beyond them", () => {
    const scale = stepScale([0, 1, 2, 3, 100]);
    expect([0, 1.5, 51.5, 100, -5, 200].map((number) => placeOf(scale, number))).toEqual(
      [0, 0.195, 0.695, 1, 0, 1].map((place) => expect.closeTo(place, 12)),
    );
  });
});

describe("the step that is hit", () => {
  const scale = stepScale([0, 10, 20, 30, 40]);

  it("is the nearest one of those that can be selected, the earlier one half way", () => {
    const everything = [0, 1, 2, 3, 4];
    expect([-1, 0.12, 0.13, 0.125, 0.9, 2].map((place) => nearestTo(scale, everything, place))).toEqual([0, 0, 1, 0, 4, 4]);
    expect([0, 0.4, 0.6, 1].map((place) => nearestTo(scale, [1, 3], place))).toEqual([1, 1, 3, 3]);
  });

  it("is none where there is none", () => expect(nearestTo(scale, [], 0.5)).toBe(-1));
});

describe("labels", () => {
  const scale = stepScale([0, 10, 20, 30, 40]);

  it("are where epochs begin; unknown and fractional ones begin none", () => {
    expect(labelsOf(scale, [0, 0.5, 1, null, 3], 10)).toEqual([
      { place: 0, text: "epoch 0", isStart: true },
      { place: 0.5, text: "epoch 1", isStart: true },
      { place: 1, text: "epoch 3", isStart: true },
    ]);
    // At most every half.
    expect(labelsOf(scale, [0, 1, 2, 3, 4], 2).map(({ text }) => text)).toEqual(["epoch 0", "epoch 2", "epoch 4"]);
  });

  it("are round numbers where no epochs are known", () => {
    expect(labelsOf(scale, [null, null, null, null, null], 4).map(({ place, text }) => [place, text])).toEqual([
      [0, "0"],
      [0.25, "10"],
      [0.5, "20"],
      [0.75, "30"],
      [1, "40"],
    ]);
    expect(labelsOf(scale, [2, 2, 2, 2, 2], 2).map(({ text }) => text)).toEqual(["0", "20", "40"]);
  });

  it("are numbers of steps where the scale is uneven", () => {
    // Places 0, 0.13, 0.26, 0.39 and 1: those nearest to 0, 0.5 and 1.
    expect(labelsOf(stepScale([0, 1, 2, 3, 100]), [], 2).map(({ text }) => text)).toEqual(["0", "100"]);
    expect(labelsOf(stepScale([0, 1, 2, 3, 100]), [], 4).map(({ text }) => text)).toEqual(["0", "2", "100"]);
  });

  it("are evaluations where there are no whole steps", () => {
    const evaluations = stepScale([-0.999999, -0.999998, -0.999997]);
    expect(labelsOf(evaluations, [], 2).map(({ place, text }) => [place, text])).toEqual([
      [0, "evaluation 1"],
      [expect.closeTo(0.5, 6), "evaluation 2"],
      [1, "evaluation 3"],
    ]);
  });

  it("are none without steps", () => expect(labelsOf(stepScale([]), [], 4)).toEqual([]));
});
