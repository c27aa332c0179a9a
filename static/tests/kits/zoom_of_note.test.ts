import { describe, expect, it } from "vitest";
import { readZoom, writeZoom } from "../../src/kits/graph/zoom_of_note";

describe("the zoom of a note", () => {
  it("is read as it was written", () => {
    expect(writeZoom(null)).toBeNull();
    expect(writeZoom({ x: 12.345678, y: -2000, level: 0.75 })).toBe("12.346,-2000,0.75");
    expect(readZoom("12.346,-2000,0.75")).toEqual({ x: 12.346, y: -2000, level: 0.75 });
  });

  it("is none where nothing could be seen", () => {
    for (const text of [null, "", "1,2", "1,2,0", "1,2,1e9", "a,b,c", "1,2,NaN", "Infinity,2,1", "1,2,1,4", "1,2,-1"]) {
      expect(readZoom(text), String(text)).toBeNull();
    }
  });
});
