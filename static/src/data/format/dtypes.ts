/** The kinds of tensors, and the dtypes that they may have. */

export const TENSOR_TYPES = ["input", "calculated", "target", "loss", "parameter"] as const;
export type TensorType = (typeof TENSOR_TYPES)[number];

export const KINDS = ["neuron", "kpis", "kpis_and_svd", "single_value"] as const;
export type Kind = (typeof KINDS)[number];

/** Dtypes that a tensor may have, in safetensors' spelling. */
export const DTYPES = [
  "F64",
  "F32",
  "F16",
  "BF16",
  "F8_E4M3",
  "F8_E5M2",
  "I64",
  "I32",
  "I16",
  "I8",
  "U64",
  "U32",
  "U16",
  "U8",
  "BOOL",
] as const;
export type Dtype = (typeof DTYPES)[number];
