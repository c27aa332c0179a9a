/** The prefixes that dotted names have in common, as a tree of groups: `encoder`, in it `encoder.layer3`, in that the nodes. */

import { oncePer } from "../../../../data/collections";
import type { Graph } from "../../../../data/format/types";

/** Group 0 is the whole graph. Every other one comes after the group that it lies in, and holds fewer nodes than that, but at least two. */
export interface PrefixTree {
  prefix: readonly string[];
  parent: readonly number[];
  /** In how many groups a group lies. */
  depth: readonly number[];
  /** The innermost group that every node lies in. */
  groupOf: Uint32Array;
  byPrefix: ReadonlyMap<string, number>;
}

/** Dots behind these are part of a name. */
const MOST_DOTS = 20;

/** The groups of a graph. A node whose name is a prefix of others lies in their group. Worked out in linear time. */
export const prefixTreeOf = oncePer((graph: Graph) => groupByPrefix(graph.nodes.name));

export function groupByPrefix(names: readonly string[]): PrefixTree {
  const { text, parent, innermost } = allPrefixes(names);
  const isGroup = whichAreGroups(parent, innermost);
  const groups = { prefix: [""], parent: [-1], depth: [0], byPrefix: new Map<string, number>() };
  const groupAt = [0];
  for (let k = 1; k < text.length; k++) {
    const outer = groupAt[parent[k]!]!;
    groupAt.push(isGroup(k) ? groups.prefix.length : outer);
    if (isGroup(k)) {
      groups.byPrefix.set(text[k]!, groups.prefix.length);
      groups.prefix.push(text[k]!);
      groups.parent.push(outer);
      groups.depth.push(groups.depth[outer]! + 1);
    }
  }
  return { ...groups, groupOf: Uint32Array.from(innermost, (k) => groupAt[k]!) };
}

/** All prefixes without their last dot, each behind the one that it lies in; the first one is that of all names. */
interface Prefixes {
  text: string[];
  parent: number[];
  /** The longest prefix of every name, or the name itself if it is a prefix. */
  innermost: number[];
}

function allPrefixes(names: readonly string[]): Prefixes {
  const text = [""];
  const parent = [-1];
  const at = new Map<string, number>();
  const longest = names.map((name) => {
    const dots = dotsOf(name);
    let known = dots.length;
    while (known > 0 && !at.has(name.slice(0, dots[known - 1]))) {
      known -= 1;
    }
    let outer = known === 0 ? 0 : at.get(name.slice(0, dots[known - 1]))!;
    for (const dot of dots.slice(known)) {
      parent.push(outer);
      outer = text.push(name.slice(0, dot)) - 1;
      at.set(text[outer]!, outer);
    }
    return outer;
  });
  return { text, parent, innermost: names.map((name, k) => at.get(name) ?? longest[k]!) };
}

/** The positions of the dots in a name, without a dot at its beginning. */
function dotsOf(name: string): number[] {
  const dots: number[] = [];
  for (let dot = name.indexOf(".", 1); dot >= 0 && dots.length < MOST_DOTS; dot = name.indexOf(".", dot + 1)) {
    dots.push(dot);
  }
  return dots;
}

/** A prefix makes a group of its own where it holds several nodes, but not all, and not just those of a longer prefix. */
function whichAreGroups(parent: readonly number[], innermost: readonly number[]): (prefix: number) => boolean {
  const nodes = new Uint32Array(parent.length);
  for (const prefix of innermost) {
    nodes[prefix]! += 1;
  }
  const largestPart = new Uint32Array(parent.length);
  for (let k = parent.length - 1; k > 0; k--) {
    const outer = parent[k]!;
    nodes[outer]! += nodes[k]!;
    largestPart[outer] = Math.max(largestPart[outer]!, nodes[k]!);
  }
  return (prefix) => nodes[prefix]! > 1 && nodes[prefix]! < innermost.length && largestPart[prefix]! < nodes[prefix]!;
}
