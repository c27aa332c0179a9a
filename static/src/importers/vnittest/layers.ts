/** The layers of the files, and the tensors with their numbers. */

import type { Dtype, TensorType } from "../../data/format/types";
import type { Gap, VnittestData, VnittestPair } from "./checking";

/** A tensor with its numbers, as they are and as little-endian bytes of its dtype. */
export interface Tensor {
  name: string;
  type: TensorType;
  group: "forward" | "gradients";
  dtype: Dtype;
  shape: readonly number[];
  numbers: Float64Array;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A layer of the flows. The numbers are those of its tensor, which may be missing. */
export interface Layer {
  name: string;
  shape: readonly number[];
  role: "input" | "layer" | "target";
  tensor: Tensor | null;
}

export function layersOf(data: VnittestData, gaps: Gap[]): Layer[] {
  const names = data.layers.map(({ name }) => name);
  const layers = data.layers.map(({ name, shape, gradients }, place): Layer => {
    const numbers = gradients?.numbers() ?? sumsOfFlows(data.pairs, place);
    if (gradients === null) {
      const instead = numbers === null ? "and no flows to take sums of" : "those shown are the sums of its flows";
      gaps.push({ layer: name, reason: `the files have no gradients of it; ${instead}.` });
    }
    const bytes = gradients?.littleEndianBytes() ?? new Uint8Array(Float32Array.from(numbers ?? []).buffer);
    const tensor: Tensor | null = numbers && {
      name,
      type: "calculated",
      group: "gradients",
      dtype: gradients?.dtype ?? "F32",
      shape,
      numbers,
      bytes,
    };
    return { name, shape, role: "layer", tensor };
  });
  const picture = (role: "input" | "target"): Layer[] => {
    const array = data[role];
    if (array === null) {
      return [];
    }
    const name = names.includes(role) ? `${role} 2` : role;
    const tensor: Tensor = {
      name,
      type: role,
      group: "forward",
      dtype: array.dtype,
      shape: array.shape,
      numbers: array.numbers(),
      bytes: array.littleEndianBytes(),
    };
    return [{ name, shape: array.shape, role, tensor }];
  };
  return [...picture("input"), ...layers, ...picture("target")];
}

/** Of a layer without gradients: what leaves it, or else what comes in, as vnittest takes it. */
function sumsOfFlows(pairs: readonly VnittestPair[], place: number): Float64Array<ArrayBuffer> | null {
  for (const end of ["source", "target"] as const) {
    for (const pair of pairs) {
      if (pair[end] === place && pair.flows !== null && "matrix" in pair.flows) {
        const { shape, numbers } = pair.flows.matrix;
        const sums = new Float64Array(shape[end === "source" ? 0 : 1]!);
        numbers.forEach((number, k) => (sums[end === "source" ? Math.floor(k / shape[1]!) : k % shape[1]!]! += number));
        return sums;
      }
    }
  }
  return null;
}
