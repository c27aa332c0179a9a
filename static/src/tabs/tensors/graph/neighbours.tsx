/** The neighbours of the selected node in words: for long edges, for the keyboard and for screen readers. */

import { useState } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import { TYPE_LETTERS } from "../../../kits/graph/placement";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { memo } from "../../../ui/memo";
import { nodeLabel } from "../../../ui/text/format";
import { type Neighbour, neighboursOf } from "./layout/relations";

/** Neighbours that are named without being asked for more. */
const NAMED = 8;

export function NeighbourBar({ store }: { store: Store }) {
  const shown = store.shown.value;
  const graph = shown?.open?.graphs[shown.selection.iteration];
  if (shown === null || graph === undefined) {
    return null;
  }
  return <Neighbours store={store} graph={graph} node={shown.selection.node} role={shown.selection.role} />;
}

const Neighbours = memo(({ store, graph, node, role }: { store: Store; graph: Graph; node: string; role: string }) => {
  const number = graph.nodes.name.indexOf(node);
  const { dependencies, dependents } = neighboursOf(graph, number, role);
  const isKnown = graph.not_known.tensor.every((tensor) => graph.tensors.node[tensor] !== number || graph.tensors.role[tensor] !== role);
  return (
    <div class="neighbours" data-testid="neighbours">
      <NeighbourList store={store} graph={graph} title="Depends on" testId="dependencies" members={dependencies} isKnown={isKnown} />
      <NeighbourList store={store} graph={graph} title="Needed by" testId="dependents" members={dependents} isKnown />
    </div>
  );
});

interface ListProps {
  store: Store;
  graph: Graph;
  title: string;
  testId: string;
  members: readonly Neighbour[];
  /** Whether there cannot be others. */
  isKnown: boolean;
}

function NeighbourList({ store, graph, title, testId, members, isKnown }: ListProps) {
  const [all, setAll] = useState(false);
  const named = all ? members : members.slice(0, NAMED);
  return (
    <div class="neighbour-row">
      <span class="neighbour-title" id={`title-${testId}`}>
        {title}
      </span>
      <ul aria-labelledby={`title-${testId}`} data-testid={testId}>
        {members.length === 0 && isKnown && <li class="soft">nothing</li>}
        {named.map(({ node, own, carriesGradient }) => {
          const name = graph.nodes.name[node] ?? "";
          const type = graph.nodes.type[node] ?? "calculated";
          return (
            <li key={node}>
              <Button
                class={own ? "chip" : "chip chip-thin"}
                title={titleOf(name, own, carriesGradient)}
                onClick={() => store.selectNode(name)}
              >
                <span class={`legend-badge type-${type}`} aria-hidden="true">
                  {TYPE_LETTERS[type]}
                </span>
                <span class="chip-text">{nodeLabel(name)}</span>
                {!carriesGradient && (
                  <span class="chip-dashes">
                    <span class="visually-hidden">no gradient</span>
                  </span>
                )}
              </Button>
            </li>
          );
        })}
        {members.length > NAMED && (
          <li>
            <Button class="link" onClick={() => setAll(!all)}>
              {all ? "fewer" : `${members.length - NAMED} more`}
            </Button>
          </li>
        )}
        {!isKnown && <li class="soft">{members.length === 0 ? "not known" : "maybe more, not known"}</li>}
      </ul>
    </div>
  );
}

function titleOf(name: string, own: boolean, carriesGradient: boolean): string {
  const remarks = [...(own ? [] : ["another role of this node"]), ...(carriesGradient ? [] : ["no gradient flows"])];
  return remarks.length === 0 ? name : `${name} (${remarks.join("; ")})`;
}
