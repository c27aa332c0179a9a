import { describe, expect, it } from "vitest";
import { readRange } from "../../../src/kits/charts/use_time_range";
import { readNumbers, readZooms, writeNumbers, writeZooms } from "../../../src/state/story/zooms";
import { readViewport, writeViewport } from "../../../src/tabs/tensors/picture/use_picture_viewport";

describe("the zooms of a note", () => {
  it("are read as they were written, whatever the names of drawings hold", () => {
    const zooms = new Map([
      ["", "12,-5,0.75"],
      ["picture", "2,0.5,0.5"],
      ["curves/a;b:c%3A", "10,40"],
    ]);
    expect(readZooms(writeZooms(zooms)!)).toEqual(zooms);
    // As it was when only the graph of tensors had one.
    expect(readZooms("12,-5,0.75")).toEqual(new Map([["", "12,-5,0.75"]]));
    expect([writeZooms(new Map()), readZooms(undefined).size, readZooms(";;").size]).toEqual([null, 0, 0]);
  });

  it("have as many numbers as they need", () => {
    expect(readNumbers(writeNumbers([1234567, -0.1234567, 0]), 3)).toEqual([1234600, -0.12346, 0]);
    for (const text of [null, "", "1", "1,2,3", "1,x", "1,", "NaN,1", "1,Infinity"]) {
      expect(readNumbers(text, 2), String(text)).toBeNull();
    }
  });

  it("are times in their order, and parts of a picture that there are", () => {
    expect([readRange("123456.75,123457"), readRange("5,5"), readRange("6,5"), readRange("")]).toEqual([
      [123456.75, 123457],
      null,
      null,
      null,
    ]);
    const part = { zoom: 3.5, column: 0.25, row: 1 };
    expect(readViewport(writeViewport(part))).toEqual(part);
    const whole = { zoom: 1, column: 0.5, row: 0.5 };
    expect(writeViewport(whole)).toBeNull();
    for (const text of [null, "0.5,0.5,0.5", "1e9,0.5,0.5", "2,-1,0.5", "2,0.5,7", "2,0.5"]) {
      expect(readViewport(text), String(text)).toEqual(whole);
    }
  });
});
