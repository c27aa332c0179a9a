/** Reads the JSON chunks, as distrustfully as the index. */

import { ascending, column, fail, flag, integer, list, object, oneOf, optional, orNull, record, table, text } from "./checks";
import {
  curve,
  DTYPES,
  type Graph,
  gap,
  KINDS,
  type Layout,
  type Network,
  note,
  type SourceLine,
  settings,
  shard,
  TENSOR_TYPES,
} from "./types";

export function parseLayout(value: unknown, where: string): Layout {
  const sources = parseSources(value, where);
  const known = table("name", () => ({
    name: text,
    iteration: integer(-1),
    node: text,
    role: text,
    type: oneOf(TENSOR_TYPES),
    kind: oneOf(KINDS),
    dtype: oneOf(DTYPES),
    stored: oneOf(DTYPES),
    shape: list(integer(0)),
    batch_dimension: orNull(integer(0)),
    samples: integer(0),
    operation: optional(orNull(text), null),
    module: optional(orNull(text), null),
    device: optional(orNull(text), null),
    shard: optional(orNull(shard), null),
    source: optional(orNull(integer(0, sources.length - 1)), null),
  }));
  const { tensors: given } = record({ tensors: object })(value, where);
  const tensors: Layout["tensors"] = known(given, `${where}.tensors`);
  const rows = tensors.name.length;
  const group = record({ name: text, tensors: list(integer(0, rows - 1)) });
  if (given.kept !== undefined) {
    tensors.kept = column(orNull(list(integer(0))), rows)(given.kept, `${where}.tensors.kept`);
  }
  if (given.aggregates !== undefined) {
    tensors.aggregates = column(orNull(oneOf(DTYPES)), rows)(given.aggregates, `${where}.tensors.aggregates`);
  }
  tensors.batch_dimension.forEach((dimension, k) => {
    if (dimension !== null && dimension >= tensors.shape[k]!.length) {
      fail(`${where}.tensors.batch_dimension[${k}]`, "a dimension of the tensor");
    }
  });
  return { tensors, ...record({ groups: list(group) })(value, where), sources };
}

function parseSources(value: unknown, where: string): SourceLine[] {
  const { sources } = object(value, where);
  if (sources === undefined) {
    return [];
  }
  const lines = table("file", () => ({ file: text, line: integer(1), function: text }))(sources, `${where}.sources`);
  return lines.file.map((file, k) => ({ file, line: lines.line[k]!, function: lines.function[k]! }));
}

export function parseGraph(value: unknown, where: string): Graph {
  const { columns } = record({ columns: record({ heading: list(text) }) })(value, where);
  const node = table("name", (rows) => ({
    name: text,
    type: oneOf(TENSOR_TYPES),
    label: text,
    column: integer(0, columns.heading.length - 1),
    row: integer(0, rows - 1),
  }));
  const { nodes } = record({ nodes: node })(value, where);
  const tensor = table("name", () => ({
    name: text,
    node: integer(0, nodes.name.length - 1),
    role: text,
    record_name: text,
    record_iteration: integer(-1),
  }));
  const { tensors } = record({ tensors: tensor })(value, where);
  const end = integer(0, tensors.name.length - 1);
  const edges = table("from", () => ({ from: end, to: end }))(value, where);
  const withoutGradient = record({ without_gradient: optional(ascending(edges.from.length), []) });
  const rows = table("tensor", () => ({ tensor: end, reason: orNull(text) }));
  const notKnown = record({ not_known: optional(rows, { tensor: [], reason: [] }) });
  return { nodes, columns, tensors, ...edges, ...withoutGradient(value, where), ...notKnown(value, where) };
}

export function parseNetwork(value: unknown, where: string): Network {
  const module = record({ name: text, type: text, parent: integer(-1), description: optional(text, "") });
  const { modules } = record({ modules: list(module) })(value, where);
  modules.forEach(({ parent }, k) => {
    if (parent >= k) {
      fail(`${where}.modules[${k}].parent`, "an earlier module");
    }
  });
  const parameter = record({
    name: text,
    module: integer(0, modules.length - 1),
    shape: list(integer(0)),
    dtype: text,
    requires_grad: flag,
    alias_of: orNull(text),
  });
  const { parameters } = record({ parameters: list(parameter) })(value, where);
  const group = record({ parameters: list(integer(0, parameters.length - 1)), options: optional(settings, {}) });
  const optimizer = record({ name: text, type: text, groups: list(group) });
  return { modules, parameters, ...record({ optimizers: orNull(list(optimizer)) })(value, where) };
}

export const parseNotes = list(note);
export const parseCurves = list(curve);
export const parseGaps = list(gap);
