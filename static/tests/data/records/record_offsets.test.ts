import { describe, expect, it } from "vitest";
import { parseLayout } from "../../../src/data/format/documents";
import { recordTable } from "../../../src/data/records/record_offsets";

/**
 * h: neuron [4, 3, 2], batch dimension 1 (N = 8), 2 samples, float32
 * ids: neuron [5], no batch dimension (N = 5), int64
 * w: kpis_and_svd [2, 2], no batch dimension, bfloat16
 * loss: single_value [], float32
 * u: kpis [4], batch dimension 0 (N = 1), 2 samples, float16
 */
const LAYOUT = {
  tensors: {
    name: ["h", "ids", "w", "loss", "u"],
    iteration: [0, 0, -1, 0, 0],
    node: ["h", "ids", "w", "loss", "u"],
    role: ["h", "ids", "w", "loss", "u"],
    type: ["calculated", "input", "parameter", "loss", "calculated"],
    kind: ["neuron", "neuron", "kpis_and_svd", "single_value", "kpis"],
    dtype: ["F32", "I64", "BF16", "F32", "F16"],
    stored: ["F32", "I64", "BF16", "F32", "F16"],
    shape: [[4, 3, 2], [5], [2, 2], [], [4]],
    batch_dimension: [1, null, null, null, 0],
    samples: [2, 0, 0, 0, 2],
  },
  groups: [
    { name: "forward", tensors: [0, 1, 2, 3, 4] },
    { name: "gradients", tensors: [0, 2] },
  ],
};

describe("recordTable", () => {
  const table = recordTable(parseLayout(LAYOUT, "layout"));
  const record = (group: string, tensor: number) => table.byGroup.get(group)?.get(tensor);

  it("counts the values of a sample without the batch dimension", () => {
    expect(table.records.map((each) => each.valueCount)).toEqual([8, 5, 4, 1, 1, 8, 4]);
  });

  it("places the numbers of every record behind those of the one before", () => {
    // statistics.F32: h 4 x 5, w 5 x 1, loss 1, u 4 x 5, then h and w again.
    expect(table.records.filter((each) => each.precision === "F32").map((each) => each.statistics)).toEqual([0, 20, 25, 26, 46, 66]);
    expect(record("forward", 1)).toMatchObject({ precision: "F64", statistics: 0, extrema: 0, values: 0, aggregates: -1 });
    expect(record("forward", 0)).toMatchObject({ aggregates: 0, values: 0, extrema: 0, number: 0 });
    expect(record("gradients", 0)).toMatchObject({ aggregates: 24, values: 16, extrema: 8, number: 5 });
    expect(record("forward", 2)).toMatchObject({ aggregates: -1, values: -1, items: ["mean", "abs_mean", "std", "abs_max", "svd"] });
    expect(record("forward", 3)?.items).toEqual(["single_value"]);
    expect(record("gradients", 1)).toBeUndefined();
  });

  it("knows how long every array must be", () => {
    expect(Object.fromEntries(table.arrayLengths)).toEqual({
      counts: 35,
      "extrema.F32": 12,
      "extrema.F64": 2,
      "statistics.F32": 71,
      "statistics.F64": 4,
      "aggregates.F32": 48,
      "values.F32": 32,
      "values.I64": 5,
    });
  });

  it("refuses a shape whose product overflows", () => {
    const hostile = structuredClone(LAYOUT);
    hostile.tensors.shape[0] = [2 ** 40, 3, 2 ** 40];
    expect(() => recordTable(parseLayout(hostile, "layout"))).toThrow("impossible shape");
  });
});

describe("a layout of which values were left out", () => {
  const reduced = {
    ...LAYOUT,
    tensors: {
      ...LAYOUT.tensors,
      stored: ["F16", "I64", "BF16", "F32", "F16"],
      kept: [[1], [], null, null, null],
      aggregates: ["BF16", "F64", "F32", "F32", null],
    },
  };
  const table = recordTable(parseLayout(reduced, "layout"));

  it("has fewer values and the same statistics", () => {
    expect(Object.fromEntries(table.arrayLengths)).toEqual({
      counts: 35,
      "extrema.F32": 12,
      "extrema.F64": 2,
      "statistics.F32": 71,
      "statistics.F64": 4,
      "aggregates.BF16": 48,
      "values.F16": 16,
    });
    expect(table.byGroup.get("gradients")?.get(0)).toMatchObject({
      samples: 2,
      kept: [1],
      values: 8,
      aggregates: 24,
      aggregatesDtype: "BF16",
    });
    expect(table.byGroup.get("forward")?.get(1)).toMatchObject({ kept: [], values: -1 });
  });
});
