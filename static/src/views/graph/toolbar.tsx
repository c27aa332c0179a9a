/** The buttons of the graph: four to walk, three for the view, a field to find a node by name, and those that collapse and expand. */

import { useState } from "preact/hooks";
import type { Graph } from "../../data/types";
import type { Store } from "../../state/store";
import type { GraphCanvas } from "./canvas";
import type { Direction } from "./columns";
import { FoldButtons } from "./fold_buttons";
import type { Layout } from "./layout";

const DIRECTIONS: readonly { direction: Direction; sign: string; name: string }[] = [
  { direction: "left", sign: "\u2190", name: "Select the node to the left" },
  { direction: "up", sign: "\u2191", name: "Select the node above" },
  { direction: "down", sign: "\u2193", name: "Select the node below" },
  { direction: "right", sign: "\u2192", name: "Select the node to the right" },
];

const ZOOM_STEP = 1.3;

/** Suggestions that are offered at most while a name is being typed. */
const SUGGESTIONS = 50;

interface Props {
  store: Store;
  graph: Graph;
  layout: Layout;
  selected: number;
  canvas: GraphCanvas | null;
  go: (direction: Direction) => void;
}

export function GraphToolbar({ store, graph, layout, selected, canvas, go }: Props) {
  return (
    <div class="toolbar" role="group" aria-label="Graph">
      <div class="button-group">
        {DIRECTIONS.map(({ direction, sign, name }) => (
          <button type="button" key={direction} data-testid={`walk-${direction}`} aria-label={name} title={`Arrow key ${direction}`} onClick={() => go(direction)}>
            {sign}
          </button>
        ))}
      </div>
      <div class="button-group">
        <button type="button" data-testid="zoom-out" aria-keyshortcuts="-" aria-label="Zoom out" title="Key -" onClick={() => canvas?.view.zoomBy(1 / ZOOM_STEP)}>{"\u2212"}</button>
        <button type="button" data-testid="zoom-in" aria-keyshortcuts="+" aria-label="Zoom in" title="Key +" onClick={() => canvas?.view.zoomBy(ZOOM_STEP)}>+</button>
        <button type="button" data-testid="zoom-fit" aria-keyshortcuts="0" title="Key 0" onClick={() => canvas?.view.fit()}>Fit</button>
      </div>
      <NodeSearch store={store} graph={graph} />
      <FoldButtons store={store} graph={graph} layout={layout} selected={selected} />
    </div>
  );
}

function NodeSearch({ store, graph }: { store: Store; graph: Graph }) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const matches = wanted === "" ? [] : graph.nodes.name.filter((name) => name.toLowerCase().includes(wanted));
  const choose = (typed: string): void => {
    const found = graph.nodes.name.find((name) => name === typed.trim()) ?? matches[0];
    if (found !== undefined) {
      store.selectNode(found);
      setText("");
    }
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text);
        // From here on the arrow keys walk over the graph.
        event.currentTarget.querySelector("input")?.blur();
      }}
    >
      <input
        type="text"
        list="node-names"
        data-testid="node-search"
        aria-keyshortcuts="/"
        aria-label="Find a node by name"
        placeholder="Find a node (/)"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          // A suggestion that is picked replaces what was typed.
          if (event.inputType === "insertReplacementText") {
            choose(event.currentTarget.value);
          }
        }}
      />
      <datalist id="node-names">
        {matches.slice(0, SUGGESTIONS).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span class="search-count" aria-live="polite">{wanted !== "" && (matches.length === 0 ? "no match" : `${matches.length} found`)}</span>
    </form>
  );
}
