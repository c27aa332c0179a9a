import { describe, expect, it } from "vitest";
import { MOST_PINS, readPins, readTimeOptions, writePins, writeTimeOptions } from "../../../src/state/tab_options/over_time_options";

describe("what is shown over time", () => {
  it("is not in the address at the beginning", () => {
    const options = readTimeOptions(undefined);
    expect(options).toEqual({ statistics: ["mean", "abs_max", "single_value"], logarithmic: null, hidden: [] });
    expect(writeTimeOptions(options)).toBeNull();
  });

  it.each([
    [["mean", "std", "zeros"], true, []],
    [[], false, []],
    [["mean"], null, []],
    [["neginf"], false, ["mean:a,b", "!std:100%", "zeros:-x"]],
  ] as const)("comes back: %j", (statistics, logarithmic, hidden) => {
    const text = writeTimeOptions({ statistics, logarithmic, hidden });
    expect(readTimeOptions(text ?? undefined)).toEqual({
      statistics: expect.arrayContaining([...statistics, "single_value"]),
      logarithmic,
      hidden,
    });
    expect(readTimeOptions(text ?? undefined).statistics).toHaveLength(statistics.length + 1);
  });

  it("ignores what it does not know", () => {
    expect(readTimeOptions("std,nonsense,,log,%")).toEqual({ statistics: ["std", "single_value"], logarithmic: true, hidden: [] });
  });
});

describe("pins", () => {
  it.each([
    [
      [
        { name: "x", iteration: 0 },
        { name: "net.w", iteration: -1 },
      ],
    ],
    [[{ name: "a,b%2C.0", iteration: 12 }]],
  ])("come back: %j", (pins) => {
    expect(readPins(writePins(pins) ?? undefined)).toEqual(pins);
  });

  it("are few, each once, and nothing else", () => {
    expect(writePins([])).toBeNull();
    expect(readPins(undefined)).toEqual([]);
    expect(readPins("0.x,0.x,x,-2.y,01.z,5.,3.w")).toEqual([
      { iteration: 0, name: "x" },
      { iteration: 3, name: "w" },
    ]);
    expect(readPins(Array.from({ length: 99 }, (_, k) => `${k}.x`).join())).toHaveLength(MOST_PINS);
  });
});
