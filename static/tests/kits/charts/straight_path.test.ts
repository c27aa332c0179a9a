import type uPlot from "uplot";
import { describe, expect, it, vi } from "vitest";
import type { Line } from "../../../src/kits/charts/chart_data";
import { straightPath } from "../../../src/kits/charts/straight_path";

/** Corners as text: M begins a line, L goes on with it. */
class Written {
  text = "";
  moveTo(x: number, y: number) {
    this.text += `M${x},${y}`;
  }
  lineTo(x: number, y: number) {
    this.text += `L${x},${y}`;
  }
}

const written = (values: Line, distr = 1): string => {
  vi.stubGlobal("Path2D", Written);
  const chart = { data: [values.map((_, k) => k)], scales: { y: { distr } }, valToPos: (value: number) => value };
  const { stroke } = straightPath(chart as unknown as uPlot, values, 0, values.length - 1);
  return (stroke as unknown as Written).text;
};

describe("the line of a curve", () => {
  it("goes past times without a point, and is interrupted by null", () => {
    expect(written([5, undefined, 7, null, -1, 3])).toBe("M0,5L2,7M4,-1L5,3");
  });

  it("is interrupted on a logarithmic axis by zero and less", () => {
    expect(written([5, 6, 0, 7, -1, 3], 3)).toBe("M0,5L1,6M3,7M5,3");
  });
});
