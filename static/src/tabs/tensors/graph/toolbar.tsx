/** The buttons of the graph: four to walk and three for the view; a field to find a node by name, and those that collapse and expand. */

import type { Graph } from "../../../data/format/types";
import type { Direction } from "../../../kits/graph/arrow_keys";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { Icon, type IconName } from "../../../ui/controls/icon";
import { SearchField } from "../../../ui/controls/search_field";
import { ZoomButtons } from "../../../ui/controls/zoom_buttons";
import { memo } from "../../../ui/memo";
import type { GraphCanvas } from "./canvas/canvas";
import { FoldButtons } from "./fold_buttons";
import type { Layout } from "./layout/layout";

const DIRECTIONS: readonly { direction: Direction; icon: IconName; name: string }[] = [
  { direction: "left", icon: "left", name: "Select the node to the left" },
  { direction: "up", icon: "up", name: "Select the node above" },
  { direction: "down", icon: "down", name: "Select the node below" },
  { direction: "right", icon: "right", name: "Select the node to the right" },
];

interface Props {
  canvas: GraphCanvas | null;
  go: (direction: Direction) => void;
}

export const GraphToolbar = memo(({ canvas, go }: Props) => (
  <div class="toolbar" role="group" aria-label="Graph">
    <div class="button-group">
      {DIRECTIONS.map(({ direction, icon, name }) => (
        <Button key={direction} testid={`walk-${direction}`} label={name} title={`Arrow key ${direction}`} onClick={() => go(direction)}>
          <Icon name={icon} />
        </Button>
      ))}
    </div>
    <ZoomButtons view={canvas?.view} />
  </div>
));

interface FindProps {
  store: Store;
  graph: Graph;
  layout: Layout;
  selected: number;
}

export const FindAndFold = memo(({ store, graph, layout, selected }: FindProps) => (
  <div class="toolbar" role="group" aria-label="Nodes">
    <SearchField what="node" items={graph.nodes.name.map((name) => ({ name }))} onFound={({ name }) => store.selectNode(name)} />
    <FoldButtons store={store} graph={graph} layout={layout} selected={selected} />
  </div>
));
