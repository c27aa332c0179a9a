import { describe, expect, it } from "vitest";
import { onAxes } from "../../../../src/tabs/tensors/over_time/over_time_axes";
import type { TimeCurve } from "../../../../src/tabs/tensors/over_time/over_time_curves";

function curve(group: string, v: number[], absent?: number[]): TimeCurve {
  return {
    id: group,
    group,
    isCount: false,
    name: "mean",
    type: group,
    t: v.map((_, k) => k),
    v,
    style: { color: 0, marker: 0, dash: [], width: 1 },
    ...(absent && { absent: Uint8Array.from(absent) }),
  };
}

describe("curves over time", () => {
  const read = (curves: TimeCurve[], wanted: boolean | null = null) =>
    onAxes(curves, wanted).map(({ curves: own, logarithmic, group }) => [own.length, logarithmic, group]);

  it("share a linear axis where their sizes are similar", () => {
    expect(read([curve("forward", [1, -2]), curve("gradients", [0.002, 0])])).toEqual([[2, false, null]]);
    expect(read([curve("forward", [0, 0]), curve("gradients", [1e-9])])).toEqual([[2, false, null]]);
    expect(read([])).toEqual([[0, false, null]]);
  });

  it("share a logarithmic axis where sizes differ by more than a thousand and all values are positive", () => {
    expect(read([curve("forward", [1, 2]), curve("gradients", [1.9e-3])])).toEqual([[2, true, null]]);
    expect(read([curve("forward", [2]), curve("gradients", [0, 1e-9], [1, 0])])).toEqual([[2, true, null]]);
  });

  it("stand apart by recording type where a logarithmic axis would leave out values", () => {
    expect(read([curve("forward", [1, -2]), curve("gradients", [1e-9]), curve("forward", [5])])).toEqual([
      [2, false, "forward"],
      [1, false, "gradients"],
    ]);
    expect(read([curve("forward", [1, NaN, Infinity]), curve("gradients", [1e-9, 0])])).toEqual([
      [1, false, "forward"],
      [1, false, "gradients"],
    ]);
    expect(read([curve("forward", [1, -2]), curve("forward", [1e-9])])).toEqual([[2, false, null]]);
  });

  it("are on the axis that is wanted", () => {
    const far = [curve("forward", [1, -2]), curve("gradients", [1e-9])];
    expect(read(far, true)).toEqual([[2, true, null]]);
    expect(read(far, false)).toEqual([[2, false, null]]);
  });
});
