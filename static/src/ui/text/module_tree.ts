/** The modules of a network as a tree, with the number of values in each. */

import type { Network } from "../../data/format/types";
import { sizeOf } from "./format";

export type Parameter = Network["parameters"][number];

export interface ModuleNode {
  /** Position in the network. */
  id: number;
  name: string;
  /** The part of the name that its parent does not have. */
  label: string;
  type: string;
  children: ModuleNode[];
  parameters: Parameter[];
  /** Values of its parameters and those of its submodules; shared ones count where they are first. */
  values: number;
  trainable: number;
}

/**
 * The parameters of a module, by its position in the network, with those of its parts that are not called themselves, as the `out_proj` of
 * an attention: in a graph of calls, they have no node of their own.
 */
export function parametersAt({ modules, parameters }: Network, module: number, called: ReadonlySet<number>): Parameter[] {
  return parameters.filter((parameter) => {
    let place = parameter.module;
    while (place > module && !called.has(place)) {
      place = modules[place]!.parent;
    }
    return place === module;
  });
}

/** Parts of a module that have parameters. */
export interface PartsWithParameters {
  /** Positions in the network. */
  parts: number[];
  /** How many values their parameters have; shared ones count once. */
  values: number;
}

/** The outermost called parts of a module (they have nodes and panels) that own parameters which `parametersAt` leaves to them. */
export function partsWithParameters({ modules, parameters }: Network, module: number, called: ReadonlySet<number>): PartsWithParameters {
  const parts = new Set<number>();
  const sizes = new Map<string, number>();
  for (const parameter of parameters) {
    let part = -1;
    let place = parameter.module;
    while (place > module) {
      part = called.has(place) ? place : part;
      place = modules[place]!.parent;
    }
    if (place === module && part >= 0) {
      parts.add(part);
      sizes.set(parameter.alias_of ?? parameter.name, valuesOf(parameter));
    }
  }
  return { parts: [...parts].sort((a, b) => a - b), values: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
}

/** What a part of a module is called within it. */
export function nameWithin(module: string, part: string): string {
  return part.startsWith(`${module}.`) ? part.slice(module.length + 1) : part;
}

export function moduleTree(network: Network): ModuleNode[] {
  const nodes = network.modules.map((module, id): ModuleNode => {
    const parent = network.modules[module.parent];
    const label = parent === undefined ? module.name : nameWithin(parent.name, module.name);
    return { id, name: module.name, label, type: module.type, children: [], parameters: [], values: 0, trainable: 0 };
  });
  for (const parameter of network.parameters) {
    const node = nodes[parameter.module];
    node?.parameters.push(parameter);
    if (node !== undefined && parameter.alias_of === null) {
      const size = valuesOf(parameter);
      node.values += size;
      node.trainable += parameter.requires_grad ? size : 0;
    }
  }
  const roots: ModuleNode[] = [];
  // Parents come before their children, so that the sums are complete when they are handed up in reverse.
  for (const [id, node] of [...nodes.entries()].reverse()) {
    const parent = nodes[network.modules[id]?.parent ?? -1];
    (parent?.children ?? roots).unshift(node);
    if (parent !== undefined) {
      parent.values += node.values;
      parent.trainable += node.trainable;
    }
  }
  return roots;
}

export function valuesOf(parameter: Parameter): number {
  return sizeOf(parameter.shape);
}
