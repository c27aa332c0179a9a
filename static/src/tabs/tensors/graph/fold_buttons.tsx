/** Collapsing nodes with a common prefix into one, and opening such groups again. */

import type { Graph } from "../../../data/format/types";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { Hint } from "../../../ui/controls/hint";
import { Menu } from "../../../ui/controls/menu";
import { isCompact } from "../../../ui/media";
import { ALL_OPEN, collapsedInto, type Folding, toggled, writeFolding } from "./layout/folding";
import type { Layout } from "./layout/layout";
import { type PrefixTree, prefixTreeOf } from "./layout/prefixes";

interface Props {
  store: Store;
  graph: Graph;
  layout: Layout;
  /** Position of the selected node in the graph. */
  selected: number;
}

/** In a menu where a line has no room for them. */
export function FoldButtons(props: Props) {
  const tree = prefixTreeOf(props.graph);
  const isInMenu = isCompact(props.store.story.isOpen.value);
  if (tree.prefix.length === 1) {
    return null;
  }
  const buttons = <GroupButtons {...props} tree={tree} />;
  return isInMenu ? (
    <Menu testid="groups" sign="Groups" label="Collapse and expand groups of nodes">
      <div class="toolbar">{buttons}</div>
    </Menu>
  ) : (
    buttons
  );
}

function GroupButtons({ store, layout: { folding, items }, selected, tree }: Props & { tree: PrefixTree }) {
  const set = (changed: Folding): void => store.setView("fold", writeFolding(changed));
  const { inner, outer } = groupsAround(tree, folding, selected);
  const name = (group: number): string => tree.prefix[group] ?? "";
  return (
    <>
      <div class="button-group" role="group" aria-label="Groups of nodes with a common prefix">
        <Button
          testid="fold"
          keys="f"
          label={outer > 0 ? `Collapse ${name(outer)}` : "Collapse the group of the selected node"}
          title={outer > 0 ? `Collapse ${name(outer)} (key f)` : "The selected node is in no expanded group"}
          inactive={outer === 0}
          onClick={() => outer > 0 && set(toggled(tree, folding, outer))}
        >
          Collapse
        </Button>
        <Button
          testid="unfold"
          keys="e"
          label={inner > 0 ? `Expand ${name(inner)}` : "Expand the group of the selected node"}
          title={inner > 0 ? `Expand ${name(inner)} (key e)` : "The selected node is in no collapsed group"}
          inactive={inner === 0}
          onClick={() => inner > 0 && set(toggled(tree, folding, inner))}
        >
          Expand
        </Button>
        <Button testid="fold-all" keys="F" title="Collapse all groups (key F)" onClick={() => set({ ...ALL_OPEN, level: 1 })}>
          Collapse all
        </Button>
        <Button
          testid="unfold-all"
          keys="E"
          inactive={items.groups.size === 0}
          title="Expand all groups (key E)"
          onClick={() => set(ALL_OPEN)}
        >
          Expand all
        </Button>
      </div>
      <Hint of="group" testid="hint-group">
        Nodes whose names begin in the same way. A collapsed group is one node, and the number in it counts its members.
      </Hint>
    </>
  );
}

/** The collapsed group that holds a node, and the innermost open one that this, or else the node, lies in; 0 where there is none. */
export function groupsAround(tree: PrefixTree, folding: Folding, node: number): { inner: number; outer: number } {
  const own = tree.groupOf[node] ?? 0;
  const inner = collapsedInto(tree, folding)[own] ?? 0;
  return { inner, outer: inner > 0 ? Math.max(0, tree.parent[inner]!) : own };
}

/** The folding with the group open that an item stands for. */
export function expanded(graph: Graph, folding: Folding, item: number): Folding {
  return toggled(prefixTreeOf(graph), folding, item - graph.nodes.name.length);
}
