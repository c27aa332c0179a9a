/** Selects by clicks and arrow keys in the drawing, and unfolds what hides a tensor that was asked for by its name. */

import { batch } from "@preact/signals";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import type { Direction } from "../../../kits/graph/arrow_keys";
import type { Store } from "../../../state/store";
import { walk } from "./layout/columns";
import { openAround, writeFolding } from "./layout/folding";
import { firstNode } from "./layout/items";
import type { Layout } from "./layout/layout";
import { prefixTreeOf } from "./layout/prefixes";

/** `item` is what the selected node is drawn as: itself, or the group that holds it. */
export function useSelecting(store: Store, layout: Layout, selected: number, item: number) {
  useSoughtNode(store, layout, selected, item);
  const { graph, items, columns, folding } = layout;
  const select = (chosen: number): void => {
    if (chosen === item) {
      return;
    }
    batch(() => {
      if (items.groups.has(chosen)) {
        // So that a link to this view leaves the group as it is.
        store.setView("fold", writeFolding(folding));
      }
      store.change("node", graph.nodes.name[firstNode(items, chosen)] ?? "");
    });
  };
  const latest = useRef<(direction: Direction) => void>(() => undefined);
  latest.current = (direction) => select(walk(columns, item, direction));
  const go = useCallback((direction: Direction): void => latest.current(direction), []);
  return { select, go };
}

/** A tensor that a link, a search or a list names is drawn by itself: the groups that hold it are expanded, once. */
function useSoughtNode(store: Store, { graph, folding, items }: Layout, selected: number, item: number): void {
  const isShown = store.pending.value === null && store.soughtNode.value !== null;
  useLayoutEffect(() => {
    if (!isShown) {
      return;
    }
    if (items.groups.has(item) && store.soughtNode.peek() === graph.nodes.name[selected]) {
      store.adjustView("fold", writeFolding(openAround(prefixTreeOf(graph), folding, selected)));
    }
    store.soughtNode.value = null;
  }, [isShown]);
}
