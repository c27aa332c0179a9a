/** The buttons of the graph: four to walk, three for the view, a field to find a node by name, and those that collapse and expand. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import type { Direction } from "../../../kits/graph/arrow_keys";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { SearchField } from "../../../ui/controls/search_field";
import type { GraphCanvas } from "./canvas/canvas";
import { FoldButtons } from "./fold_buttons";
import type { Layout } from "./layout/layout";

const DIRECTIONS: readonly { direction: Direction; sign: string; name: string }[] = [
  { direction: "left", sign: "\u2190", name: "Select the node to the left" },
  { direction: "up", sign: "\u2191", name: "Select the node above" },
  { direction: "down", sign: "\u2193", name: "Select the node below" },
  { direction: "right", sign: "\u2192", name: "Select the node to the right" },
];

const ZOOM_STEP = 1.3;

interface Props {
  store: Store;
  graph: Graph;
  layout: Layout;
  selected: number;
  canvas: GraphCanvas | null;
  go: (direction: Direction) => void;
}

export function GraphToolbar({ store, graph, layout, selected, canvas, go }: Props) {
  const nodes = useMemo(() => graph.nodes.name.map((name) => ({ name })), [graph]);
  return (
    <div class="toolbar" role="group" aria-label="Graph">
      <div class="button-group">
        {DIRECTIONS.map(({ direction, sign, name }) => (
          <Button key={direction} testid={`walk-${direction}`} label={name} title={`Arrow key ${direction}`} onClick={() => go(direction)}>
            {sign}
          </Button>
        ))}
      </div>
      <div class="button-group">
        <Button testid="zoom-out" keys="-" label="Zoom out" title="Key -" onClick={() => canvas?.view.zoomBy(1 / ZOOM_STEP)}>
          {"\u2212"}
        </Button>
        <Button testid="zoom-in" keys="+" label="Zoom in" title="Key +" onClick={() => canvas?.view.zoomBy(ZOOM_STEP)}>
          +
        </Button>
        <Button testid="zoom-fit" keys="0" title="Key 0" onClick={() => canvas?.view.fit()}>
          Fit
        </Button>
      </div>
      <SearchField what="node" items={nodes} onFound={({ name }) => store.selectNode(name)} />
      <FoldButtons store={store} graph={graph} layout={layout} selected={selected} />
    </div>
  );
}
