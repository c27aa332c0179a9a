import { describe, expect, it } from "vitest";
import { usualView } from "../../../../src/state/tab_options/flow_layers";
import { gridOf } from "../../../../src/tabs/flow/layers/grid";
import { extentAroundZero, heatOf, placingIn, sizeOf } from "../../../../src/tabs/flow/layers/heat";

const VALUES = Float32Array.of(1, 2);
const GRADIENTS = Float32Array.of(3, 4);
const FLOW = Float32Array.of(5, 6);
const BOTH = { values: VALUES, gradients: GRADIENTS };

describe("what colours a layer", () => {
  it("is what was asked for", () => {
    expect(heatOf("values", BOTH, FLOW)).toEqual({ what: "activation", numbers: VALUES });
    expect(heatOf("gradients", BOTH, FLOW)).toEqual({ what: "gradient", numbers: GRADIENTS });
    expect(heatOf("flow", BOTH, FLOW)).toEqual({ what: "flow", numbers: FLOW });
  });

  it("is the gradient where no flow leads to the layer, and what else is known where something is missing", () => {
    expect(heatOf("flow", BOTH, null)).toEqual({ what: "gradient", numbers: GRADIENTS });
    expect(heatOf("gradients", { values: VALUES, gradients: null }, null)).toEqual({ what: "activation", numbers: VALUES });
    expect(heatOf("values", { values: undefined, gradients: GRADIENTS }, null)).toEqual({ what: "gradient", numbers: GRADIENTS });
    expect(heatOf("values", undefined, null)).toEqual({ what: "nothing", numbers: null });
  });

  it("reaches as far from zero on both sides as the largest finite number", () => {
    expect(extentAroundZero(Float32Array.of(1, -4, NaN, Infinity, 2))).toEqual({ low: -4, high: 4 });
    expect([extentAroundZero(Float32Array.of(NaN)).high, extentAroundZero(null).high]).toEqual([0, 0]);
  });
});

it("lays out square cells so that all of them fit into the room", () => {
  const shape = [10, 10];
  const grid = gridOf(shape, usualView(shape), { row: 0, column: 0 }, null, []);
  const placing = placingIn(grid, { width: 55, height: 100 });
  expect(placing).toEqual({ x: 0, y: 0, cellWidth: 5.5, cellHeight: 5.5 });
  expect(sizeOf(grid, placing)).toEqual({ width: 55, height: 55 });
});
