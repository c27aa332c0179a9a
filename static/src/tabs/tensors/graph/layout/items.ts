/** What is drawn of a graph: its nodes, and groups of them that are collapsed into one. Both are items. */

import type { Graph } from "../../../../data/format/types";
import type { Group } from "../../../../kits/graph/placement";
import { collapsedInto, type Folding } from "./folding";
import { prefixTreeOf } from "./prefixes";

/** An item has the number of its node; a group has a number behind those of all nodes, whatever else is collapsed. */
export interface Items {
  /** Ascending. */
  numbers: readonly number[];
  /** The item that a node is, or that holds it; -1 where the node is left out. */
  ofNode: Int32Array;
  groups: ReadonlyMap<number, Group>;
}

/** The items of the visible nodes. A group of which a single node is visible is that node. */
export function itemsOf(graph: Graph, folding: Folding, isVisible: (node: number) => boolean): Items {
  const count = graph.nodes.name.length;
  const tree = prefixTreeOf(graph);
  const into = collapsedInto(tree, folding);
  const ofNode = new Int32Array(count).fill(-1);
  const groups = new Map<number, Group>();
  const numbers: number[] = [];
  for (let node = 0; node < count; node++) {
    if (!isVisible(node)) {
      continue;
    }
    const holder = into[tree.groupOf[node]!]!;
    const type = graph.nodes.type[node]!;
    const item = holder > 0 ? count + holder : node;
    ofNode[node] = item;
    const group = groups.get(item);
    if (item === node) {
      numbers.push(node);
    } else if (group === undefined) {
      groups.set(item, { prefix: tree.prefix[holder]!, members: [node], type });
    } else {
      group.members.push(node);
      group.type = group.type === type ? type : "calculated";
    }
  }
  for (const [item, { members }] of groups) {
    if (members.length === 1) {
      groups.delete(item);
      ofNode[members[0]!] = members[0]!;
    }
    numbers.push(members.length === 1 ? members[0]! : item);
  }
  return { numbers: numbers.sort((a, b) => a - b), ofNode, groups };
}

/** A node of an item: itself, or the first one of a group. */
export function firstNode(items: Items, item: number): number {
  return items.groups.get(item)?.members[0] ?? item;
}
