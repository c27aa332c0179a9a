/** The arrays of numbers of the step. */

import type { Dtype } from "../../data/format/types";
import { joined } from "./bundle_writer";
import type { Tensor } from "./layers";

const WIDE: readonly Dtype[] = ["F64", "I64", "I32", "U64", "U32"];

/** The arrays of a step in the order of the format: by kind, then dtype; none that is empty. */
export function arraysOf(records: readonly Tensor[]): { name: string; dtype: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const precision = ({ dtype }: Tensor): "F64" | "F32" => (WIDE.includes(dtype) ? "F64" : "F32");
  const counts = Int32Array.from(
    records.flatMap(({ numbers }) => [
      countOf(numbers, Number.isNaN),
      countOf(numbers, (x) => x === Infinity),
      countOf(numbers, (x) => x === -Infinity),
      countOf(numbers, (x) => x === 0),
      0,
    ]),
  );
  const floats = (
    name: string,
    of: (numbers: Float64Array) => number[],
  ): { name: string; dtype: string; bytes: Uint8Array<ArrayBuffer> }[] =>
    (["F32", "F64"] as const).map((dtype) => {
      const byName = records.filter((record) => precision(record) === dtype).flatMap(({ numbers }) => of(numbers));
      const array = dtype === "F32" ? Float32Array.from(byName) : Float64Array.from(byName);
      return { name: `${name}.${dtype}`, dtype, bytes: new Uint8Array(array.buffer) };
    });
  const dtypes = [...new Set(records.map(({ dtype }) => dtype))].sort();
  const values = dtypes.map((dtype) => ({
    name: `values.${dtype}`,
    dtype,
    bytes: joined(records.filter((record) => record.dtype === dtype).map(({ bytes }) => bytes)),
  }));
  const all = [
    { name: "counts", dtype: "I32", bytes: new Uint8Array(counts.buffer) },
    ...floats("extrema", extremaOf),
    ...floats("statistics", statisticsOf),
    ...values,
  ];
  return all.filter(({ bytes }) => bytes.length > 0);
}

export function countOf(numbers: Float64Array, is: (number: number) => boolean): number {
  return numbers.reduce((count, number) => count + Number(is(number)), 0);
}

function extremaOf(numbers: Float64Array): number[] {
  const finite = numbers.filter(Number.isFinite);
  return finite.length === 0
    ? [NaN, NaN]
    : [finite.reduce((least, number) => Math.min(least, number)), finite.reduce((most, number) => Math.max(most, number))];
}

/** Mean, mean magnitude, unbiased standard deviation (0 of a single number) and largest magnitude. */
function statisticsOf(numbers: Float64Array): number[] {
  const count = numbers.length;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / count;
  const magnitudes = numbers.map(Math.abs);
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return [
    mean,
    magnitudes.reduce((sum, number) => sum + number, 0) / count,
    count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
    magnitudes.reduce((most, number) => Math.max(most, number), 0),
  ];
}
