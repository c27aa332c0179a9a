/** Values as text that other programs read: CSV, and a literal for Python. */

import { indexOf } from "../../../data/arrays/index_in_shape";
import type { Value } from "../../../data/arrays/numbers";
import { exactText } from "../../../ui/text/format";

/** More than this is too much for a clipboard; a file is better. */
export const MOST_COPIED = 100_000;

const PYTHON_DTYPES: Readonly<Record<string, string>> = {
  F64: "float64",
  F32: "float32",
  F16: "float16",
  BF16: "float32",
  I64: "int64",
  I32: "int32",
  I16: "int16",
  I8: "int8",
  U64: "uint64",
  U32: "uint32",
  U16: "uint16",
  U8: "uint8",
  BOOL: "bool_",
};

/** A line per value: its index, an axis per column, and the value. `axes` names the columns, `places` orders the values. */
export function csvText(
  at: (k: number) => Value,
  places: ArrayLike<number>,
  axes: readonly string[],
  shape: readonly number[],
  dtype: string,
): string {
  const lines = [[...axes, "value"].join(",")];
  for (let n = 0; n < places.length; n++) {
    const k = places[n]!;
    lines.push([...indexOf(k, shape), csvNumber(at(k), dtype)].join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** `nan`, `inf` or `-inf`, with the module of NumPy before the name; undefined for finite values. */
function nonFiniteText(value: Value, module = ""): string | undefined {
  if (Number.isNaN(value)) {
    return `${module}nan`;
  }
  return value === Infinity ? `${module}inf` : value === -Infinity ? `-${module}inf` : undefined;
}

function csvNumber(value: Value, dtype: string): string {
  return nonFiniteText(value) ?? exactText(value, dtype);
}

/** `np.array([[1, np.nan], [np.inf, -2.5]], dtype=np.float32)`. Values in bfloat16 are written as float32, which is exact. */
export function numpyText(at: (k: number) => Value, shape: readonly number[], dtype: string): string {
  const type = `dtype=np.${PYTHON_DTYPES[dtype] ?? "float32"}`;
  if (shape.includes(0)) {
    return `np.empty((${shape.join(", ")}${shape.length === 1 ? "," : ""}), ${type})`;
  }
  let next = 0;
  const nested = (axis: number): string => {
    if (axis === shape.length) {
      return pythonNumber(at(next++), dtype);
    }
    const inside = Array.from({ length: shape[axis]! }, () => nested(axis + 1));
    return `[${inside.join(axis === shape.length - 1 ? ", " : `,\n${" ".repeat(10 + axis)}`)}]`;
  };
  return `np.array(${nested(0)}, ${type})`;
}

function pythonNumber(value: Value, dtype: string): string {
  if (dtype === "BOOL") {
    return Number(value) === 0 ? "False" : "True";
  }
  return nonFiniteText(value, "np.") ?? exactText(value, dtype);
}
