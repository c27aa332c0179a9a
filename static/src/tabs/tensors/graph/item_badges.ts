/** The badges of what is drawn: of nodes, and of the collapsed groups that hold them. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import { type Badge, countBadges, sortedBadges } from "../../../state/badges/badges";
import { type BadgeReason, badgesByNode, tensorBadges } from "../../../state/badges/step_badges";
import { findingsOf } from "../../../state/findings/found";
import type { OpenStep } from "../../../state/selection/open_step";
import type { Selection } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import type { Items } from "./layout/items";

export interface ItemBadges {
  /** The reasons of nodes, even of those that are left out of the drawing. */
  ofNode: ReadonlyMap<number, readonly BadgeReason[]>;
  /** How many nodes have each. */
  counts: ReadonlyMap<Badge, number>;
  /** The badges of what is drawn. */
  ofItem: ReadonlyMap<number, readonly Badge[]>;
  /** Selects the next node that has a badge. */
  goToNext: (badge: Badge) => void;
}

export function useItemBadges(store: Store, open: OpenStep, graph: Graph, items: Items, { iteration, node }: Selection): ItemBadges {
  const [tensors, document] = [tensorBadges(store, open), findingsOf(store)];
  const ofNode = useMemo(() => badgesByNode(open, iteration, graph, tensors, document), [open, iteration, graph, tensors, document]);
  const counts = useMemo(() => countBadges([...ofNode.values()].map((reasons) => reasons.map(({ badge }) => badge))), [ofNode]);
  const ofItem = useMemo(() => itemBadges(ofNode, items), [ofNode, items]);
  const goToNext = (badge: Badge): void => {
    const next = nextWithBadge(ofNode, graph.nodes.name.indexOf(node), badge);
    store.selectNode(next === undefined ? node : graph.nodes.name[next]!);
  };
  return { ofNode, counts, ofItem, goToNext };
}

/** A group has the badges of its members. */
export function itemBadges(ofNode: ItemBadges["ofNode"], items: Items): ItemBadges["ofItem"] {
  const badges = new Map<number, Set<Badge>>();
  for (const [node, reasons] of ofNode) {
    const item = items.ofNode[node]!;
    if (item >= 0) {
      const own = badges.get(item) ?? new Set();
      reasons.forEach(({ badge }) => own.add(badge));
      badges.set(item, own);
    }
  }
  return new Map([...badges].map(([item, own]) => [item, sortedBadges(own)]));
}

/** The next node behind the selected one that has a badge, in the order of the graph, and from its end on the first. */
export function nextWithBadge(ofNode: ItemBadges["ofNode"], selected: number, badge: Badge): number | undefined {
  const nodes = [...ofNode].filter(([, reasons]) => reasons.some((reason) => reason.badge === badge)).map(([node]) => node);
  nodes.sort((a, b) => a - b);
  return nodes.find((node) => node > selected) ?? nodes[0];
}
