/** Which groups of nodes are collapsed into one: all from a level of the tree of prefixes on, but for some exceptions. */

import { escaped, unescaped } from "../../../../state/address/name_list";
import type { PrefixTree } from "./prefixes";

export interface Folding {
  /** Groups that lie in at least so many are collapsed, the whole graph among those; 0: none is. */
  level: number;
  /** Prefixes of groups that are collapsed although their level is open, or open although it is collapsed. */
  exceptions: ReadonlySet<string>;
}

export const ALL_OPEN: Folding = { level: 0, exceptions: new Set() };

const LARGEST_ADDRESS = 4000;

/** What the address says: `2` or `2,encoder.layer3`; null where it says nothing that can be understood. */
export function readFolding(text: string | undefined): Folding | null {
  const [level = "", ...prefixes] = (text ?? "").slice(0, LARGEST_ADDRESS).split(",");
  return /^[0-9]{1,2}$/.test(level)
    ? { level: Number(level), exceptions: new Set(prefixes.filter((prefix) => prefix !== "").map(unescaped)) }
    : null;
}

export function writeFolding({ level, exceptions }: Folding): string {
  return [String(level), ...[...exceptions].map(escaped)].join(",");
}

/** A group by itself; it may lie in one that is collapsed. */
export function isCollapsed(tree: PrefixTree, { level, exceptions }: Folding, group: number): boolean {
  return group > 0 && (level > 0 && tree.depth[group]! >= level) !== exceptions.has(tree.prefix[group]!);
}

/** The folding with a group open if it was collapsed, and collapsed if it was open. */
export function toggled(tree: PrefixTree, { level, exceptions }: Folding, group: number): Folding {
  const changed = new Set(exceptions);
  const prefix = tree.prefix[group]!;
  if (!changed.delete(prefix)) {
    changed.add(prefix);
  }
  return { level, exceptions: changed };
}

/** The folding with all groups open that a node lies in. */
export function openAround(tree: PrefixTree, folding: Folding, node: number): Folding {
  let opened = folding;
  for (let group = tree.groupOf[node]!; group > 0; group = tree.parent[group]!) {
    opened = isCollapsed(tree, opened, group) ? toggled(tree, opened, group) : opened;
  }
  return opened;
}

/** The outermost collapsed group that every group is or lies in; 0 if all of them are open. */
export function collapsedInto(tree: PrefixTree, folding: Folding): Uint32Array {
  const into = new Uint32Array(tree.prefix.length);
  for (let group = 1; group < into.length; group++) {
    const outer = into[tree.parent[group]!]!;
    into[group] = outer > 0 ? outer : isCollapsed(tree, folding, group) ? group : 0;
  }
  return into;
}

/** The deepest level at which at most so many nodes and groups remain; 0 where there is none. */
export function fittingLevel(tree: PrefixTree, isVisible: (node: number) => boolean, most: number): number {
  const isUsed = new Uint8Array(tree.prefix.length);
  const nodes: number[] = [];
  for (let node = 0; node < tree.groupOf.length; node++) {
    const group = tree.groupOf[node]!;
    if (isVisible(node)) {
      nodes[tree.depth[group]!] = (nodes[tree.depth[group]!] ?? 0) + 1;
      isUsed[group] = 1;
    }
  }
  const groups: number[] = [];
  for (let group = tree.prefix.length - 1; group > 0; group--) {
    if (isUsed[group] === 1) {
      groups[tree.depth[group]!] = (groups[tree.depth[group]!] ?? 0) + 1;
      isUsed[tree.parent[group]!] = 1;
    }
  }
  let fitting = 0;
  for (let level = 1, outside = nodes[0] ?? 0; level < groups.length && outside + groups[level]! <= most; level++) {
    fitting = level;
    outside += nodes[level] ?? 0;
  }
  return fitting;
}
