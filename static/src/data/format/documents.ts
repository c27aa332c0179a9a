/** Reads the JSON chunks, as distrustfully as the index. */

import { ascending, column, fail, flag, integer, list, number, object, oneOf, orNull, rowsOf, text } from "./checks";
import {
  type Curve,
  DTYPES,
  type Gap,
  type Graph,
  KINDS,
  type Layout,
  type Network,
  type Note,
  type Optimizer,
  type OptimizerGroup,
  type Shard,
  TENSOR_TYPES,
} from "./types";

export function parseLayout(value: unknown, where: string): Layout {
  const root = object(value, where);
  const tensors = object(root.tensors, `${where}.tensors`);
  const rows = rowsOf(tensors, "name", `${where}.tensors`);
  const read = <T>(check: (value: unknown, where: string) => T, key: string): T[] =>
    column(check, rows)(tensors[key], `${where}.tensors.${key}`);
  const optional = (key: string): (string | null)[] =>
    tensors[key] === undefined ? new Array<null>(rows).fill(null) : read(orNull(text), key);
  const group = (item: unknown, place: string) => {
    const fields = object(item, place);
    return { name: text(fields.name, `${place}.name`), tensors: list(integer(0, rows - 1))(fields.tensors, `${place}.tensors`) };
  };
  const layout: Layout = {
    tensors: {
      name: read(text, "name"),
      iteration: read(integer(-1), "iteration"),
      node: read(text, "node"),
      role: read(text, "role"),
      type: read(oneOf(TENSOR_TYPES), "type"),
      kind: read(oneOf(KINDS), "kind"),
      dtype: read(oneOf(DTYPES), "dtype"),
      stored: read(oneOf(DTYPES), "stored"),
      shape: read(list(integer(0)), "shape"),
      batch_dimension: read(orNull(integer(0)), "batch_dimension"),
      samples: read(integer(0), "samples"),
      operation: optional("operation"),
      module: optional("module"),
      device: optional("device"),
      shard: tensors.shard === undefined ? new Array<null>(rows).fill(null) : read(orNull(checkShard), "shard"),
    },
    groups: list(group)(root.groups, `${where}.groups`),
  };
  if (tensors.kept !== undefined) {
    layout.tensors.kept = read(orNull(list(integer(0))), "kept");
  }
  if (tensors.aggregates !== undefined) {
    layout.tensors.aggregates = read(orNull(oneOf(DTYPES)), "aggregates");
  }
  layout.tensors.batch_dimension.forEach((dimension, k) => {
    if (dimension !== null && dimension >= (layout.tensors.shape[k]?.length ?? 0)) {
      fail(`${where}.tensors.batch_dimension[${k}]`, "a dimension of the tensor");
    }
  });
  return layout;
}

function checkShard(value: unknown, where: string): Shard {
  const shard = object(value, where);
  const count = integer(1)(shard.count, `${where}.count`);
  return {
    shape: list(integer(0))(shard.shape, `${where}.shape`),
    index: integer(0, count - 1)(shard.index, `${where}.index`),
    count,
  };
}

export function parseGraph(value: unknown, where: string): Graph {
  const root = object(value, where);
  const nodes = object(root.nodes, `${where}.nodes`);
  const columns = object(root.columns, `${where}.columns`);
  const tensors = object(root.tensors, `${where}.tensors`);
  const nodeCount = rowsOf(nodes, "name", `${where}.nodes`);
  const tensorCount = rowsOf(tensors, "name", `${where}.tensors`);
  const heading = list(text)(columns.heading, `${where}.columns.heading`);
  const node = <T>(check: (value: unknown, where: string) => T, key: string): T[] =>
    column(check, nodeCount)(nodes[key], `${where}.nodes.${key}`);
  const tensor = <T>(check: (value: unknown, where: string) => T, key: string): T[] =>
    column(check, tensorCount)(tensors[key], `${where}.tensors.${key}`);
  const edges = rowsOf(root, "from", where);
  return {
    nodes: {
      name: node(text, "name"),
      type: node(oneOf(TENSOR_TYPES), "type"),
      label: node(text, "label"),
      column: node(integer(0, heading.length - 1), "column"),
      row: node(integer(0, nodeCount - 1), "row"),
    },
    columns: { heading },
    tensors: {
      name: tensor(text, "name"),
      node: tensor(integer(0, nodeCount - 1), "node"),
      role: tensor(text, "role"),
      record_name: tensor(text, "record_name"),
      record_iteration: tensor(integer(-1), "record_iteration"),
    },
    from: column(integer(0, tensorCount - 1), edges)(root.from, `${where}.from`),
    to: column(integer(0, tensorCount - 1), edges)(root.to, `${where}.to`),
    without_gradient: ascending(edges)(root.without_gradient ?? [], `${where}.without_gradient`),
  };
}

export function parseNetwork(value: unknown, where: string): Network {
  const root = object(value, where);
  const modules = list((item, place) => {
    const fields = object(item, place);
    return {
      name: text(fields.name, `${place}.name`),
      type: text(fields.type, `${place}.type`),
      parent: integer(-1)(fields.parent, `${place}.parent`),
      description: text(fields.description ?? "", `${place}.description`),
    };
  })(root.modules, `${where}.modules`);
  modules.forEach((module, k) => {
    if (module.parent >= k) {
      fail(`${where}.modules[${k}].parent`, "an earlier module");
    }
  });
  const parameters = list((item, place) => {
    const fields = object(item, place);
    return {
      name: text(fields.name, `${place}.name`),
      module: integer(0, modules.length - 1)(fields.module, `${place}.module`),
      shape: list(integer(0))(fields.shape, `${place}.shape`),
      dtype: text(fields.dtype, `${place}.dtype`),
      requires_grad: flag(fields.requires_grad, `${place}.requires_grad`),
      alias_of: orNull(text)(fields.alias_of, `${place}.alias_of`),
    };
  })(root.parameters, `${where}.parameters`);
  const optimizer = (item: unknown, place: string): Optimizer => {
    const fields = object(item, place);
    return {
      name: text(fields.name, `${place}.name`),
      type: text(fields.type, `${place}.type`),
      groups: list((group, where) => checkOptimizerGroup(group, parameters.length, where))(fields.groups, `${place}.groups`),
    };
  };
  return { modules, parameters, optimizers: orNull(list(optimizer))(root.optimizers, `${where}.optimizers`) };
}

function checkOptimizerGroup(value: unknown, parameterCount: number, where: string): OptimizerGroup {
  const group = object(value, where);
  const setting = (item: unknown, place: string): number | boolean | string | null =>
    item === null || typeof item === "boolean" || typeof item === "string" ? item : number(item, place);
  const options = Object.entries(object(group.options ?? {}, `${where}.options`));
  return {
    parameters: list(integer(0, parameterCount - 1))(group.parameters, `${where}.parameters`),
    // Built from entries, so that a key such as __proto__ is a key.
    options: Object.fromEntries(options.map(([key, item]) => [key, setting(item, `${where}.options`)])),
  };
}

export function parseNotes(value: unknown, where: string): Note[] {
  return list((item, place) => {
    const fields = object(item, place);
    return { text: text(fields.text, `${place}.text`), step: orNull(integer(0))(fields.step, `${place}.step`) };
  })(value, where);
}

export function parseCurves(value: unknown, where: string): Curve[] {
  return list((item, place) => {
    const fields = object(item, place);
    const t = list(number)(fields.t, `${place}.t`);
    return {
      group: text(fields.group, `${place}.group`),
      name: text(fields.name, `${place}.name`),
      type: text(fields.type, `${place}.type`),
      t,
      v: column(number, t.length)(fields.v, `${place}.v`),
    };
  })(value, where);
}

export function parseGaps(value: unknown, where: string): Gap[] {
  return list((item, place) => {
    const fields = object(item, place);
    return {
      step: orNull(integer(0))(fields.step, `${place}.step`),
      iteration: orNull(integer(-1))(fields.iteration, `${place}.iteration`),
      group: orNull(text)(fields.group, `${place}.group`),
      tensor: orNull(text)(fields.tensor, `${place}.tensor`),
      reason: text(fields.reason, `${place}.reason`),
    };
  })(value, where);
}
