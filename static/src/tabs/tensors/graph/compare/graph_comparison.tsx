/** Says how the graph of B differs from the one that is shown, and leads to what only B has. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import {
  type GraphMatch,
  matchGraphs,
  type NamedConnection,
  type NamedTensor,
  type NodeMark,
} from "../../../../state/comparison/graph_match";
import type { Kind } from "../../../../state/comparison/kinds/difference";
import type { Store } from "../../../../state/store";
import { Button } from "../../../../ui/controls/button";
import { counted, grouped, nodeLabel, roleLabel } from "../../../../ui/text/format";
import type { Items } from "../layout/items";
import { type Differences, type DifferingEdge, differingEdges, drawnDifferences } from "./differing_edges";

/** So many are listed of each kind; all are counted. */
const LISTED = 50;

const NO_MARKS: ReadonlyMap<number, NodeMark> = new Map();

/** How the graphs of A and B differ; null where there is no B, or its graph is not there yet. */
export interface ComparedGraphs {
  match: GraphMatch;
  /** How many nodes both have whose tensors are of another operation, shape or dtype in B. */
  otherKinds: number;
  /** Whether both have connections that were recorded. */
  hasConnections: boolean;
}

export function useComparedGraphs(store: Store, graph: Graph, hasGraph: boolean): ComparedGraphs | null {
  const shown = store.shown.value?.selection.iteration ?? -1;
  const second = store.second.value;
  const other = second?.state === "ready" ? second.value : null;
  const iteration = other?.selection.iteration ?? -1;
  const graphOfB = other?.open?.graphs[iteration];
  const hasConnections = hasGraph && other?.open?.hasGraph[iteration] === true;
  const kinds = store.kinds.value;
  return useMemo(() => {
    if (graphOfB === undefined) {
      return null;
    }
    const names = new Set(graph.nodes.name);
    const nodes = (kinds ?? []).flatMap(({ kind, place, iterations }) => {
      const isOfGraph = OF_TENSORS.includes(kind) && iterations.some((iteration) => iteration < 0 || iteration === shown);
      return isOfGraph && place !== null && names.has(place.node) ? place.node : [];
    });
    const ofAnotherKind = new Set(nodes);
    return { match: matchGraphs(graph, graphOfB, ofAnotherKind), otherKinds: ofAnotherKind.size, hasConnections };
  }, [graph, graphOfB, hasConnections, kinds, shown]);
}

const OF_TENSORS: readonly Kind[] = ["operation", "shape", "dtype"];

/** The marks of what is drawn: a group has the one that all of its nodes have, and else "\u2260" where any of them has one. */
export function itemMarks(compared: ComparedGraphs | null, items: Items): ReadonlyMap<number, NodeMark> {
  if (compared === null) {
    return NO_MARKS;
  }
  const { marks } = compared.match;
  const ofGroups = [...items.groups].flatMap(([item, { members }]): [number, NodeMark][] => {
    const signs = members.flatMap((node) => marks.get(node) ?? []);
    const isOfAll = signs.length === members.length && signs.every((mark) => mark === signs[0]);
    return signs.length === 0 ? [] : [[item, isOfAll ? signs[0]! : "\u2260"]];
  });
  return new Map([...marks, ...ofGroups]);
}

export function GraphComparison({ store, compared }: { store: Store; compared: ComparedGraphs | null }) {
  if (store.pin.value === null) {
    return null;
  }
  const second = store.second.value;
  if (compared === null) {
    const loading = second?.state === "loading";
    return (
      <p class="graph-comparison soft" role="status" data-testid="graph-comparison">
        {loading ? "Loading B\u2026" : "B has no graph to compare with."}
      </p>
    );
  }
  const { match, hasConnections } = compared;
  const { tensorsOnlyInA, tensorsOnlyInB } = match;
  const [onlyInA, onlyInB] = hasConnections ? [match.connectionsOnlyInA, match.connectionsOnlyInB] : [[], []];
  const sentence = sentenceOf(compared);
  if (tensorsOnlyInA.length + tensorsOnlyInB.length + onlyInA.length + onlyInB.length === 0) {
    return (
      <p class="graph-comparison" role="status" data-testid="graph-comparison">
        {sentence}
      </p>
    );
  }
  const inA = (node: string): void => store.selectNode(node);
  const inB = (node: string, role?: string): void => store.swapPinned({ node, role });
  return (
    <details class="graph-comparison" data-testid="graph-comparison">
      <summary>{sentence}</summary>
      <Listed heading="Tensors only in A" items={tensorsOnlyInA}>
        {(tensor) => <TensorChip tensor={tensor} onClick={() => inA(tensor.node)} />}
      </Listed>
      <Listed heading="Tensors only in B (click to show B)" items={tensorsOnlyInB}>
        {(tensor) => <TensorChip tensor={tensor} onClick={() => inB(tensor.node, tensor.role)} />}
      </Listed>
      <Listed heading="Connections only in A" items={onlyInA}>
        {(connection) => <ConnectionChip connection={connection} onClick={() => inA(connection.to)} />}
      </Listed>
      <Listed heading="Connections only in B (click to show B)" items={onlyInB}>
        {(connection) => <ConnectionChip connection={connection} onClick={() => inB(connection.to)} />}
      </Listed>
    </details>
  );
}

/** What is in only one of them, in words. */
export function sentenceOf({ match, otherKinds, hasConnections }: ComparedGraphs): string {
  const { tensorsOnlyInA, tensorsOnlyInB, connectionsOnlyInA, connectionsOnlyInB } = match;
  const tensors = onlyInWords(tensorsOnlyInA.length, tensorsOnlyInB.length, "tensor");
  const connections = hasConnections ? onlyInWords(connectionsOnlyInA.length, connectionsOnlyInB.length, "connection") : "";
  const unknown = hasConnections ? "" : " Connections were not recorded for both.";
  const kinds = otherKinds === 0 ? "" : `${counted(otherKinds, "node")} with another operation, shape or dtype`;
  const parts = [kinds, tensors, connections].filter((part) => part !== "");
  if (parts.length === 0) {
    return hasConnections ? "The graphs of A and B are equal." : `A and B have the same tensors.${unknown}`;
  }
  return `Graph beside B: ${parts.join("; ")}.${unknown}`;
}

/** "3 tensors only in A, 1 only in B" */
function onlyInWords(inA: number, inB: number, what: string): string {
  const parts = [
    [inA, "A"],
    [inB, "B"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, side], k) => `${k === 0 ? counted(count, what) : grouped(count)} only in ${side}`)
    .join(", ");
}

function Listed<T>({ heading, items, children }: { heading: string; items: readonly T[]; children: (item: T) => ComponentChildren }) {
  if (items.length === 0) {
    return null;
  }
  return (
    <div class="graph-comparison-part">
      <h2>{heading}</h2>
      <ul>
        {items.slice(0, LISTED).map((item, k) => (
          <li key={k}>{children(item)}</li>
        ))}
      </ul>
      {items.length > LISTED && <span class="soft">and {grouped(items.length - LISTED)} more</span>}
    </div>
  );
}

function TensorChip({ tensor: { node, role }, onClick }: { tensor: NamedTensor; onClick: () => void }) {
  return (
    <Button class="chip" title={node} onClick={onClick}>
      <bdi>{nodeLabel(node)}</bdi>
      {role !== node && (
        <span class="soft">
          {" "}
          / <bdi>{roleLabel(role)}</bdi>
        </span>
      )}
    </Button>
  );
}

function ConnectionChip({ connection: { from, to }, onClick }: { connection: NamedConnection; onClick: () => void }) {
  return (
    <Button class="chip" title={`${from} \u2192 ${to}`} onClick={onClick}>
      <bdi>{nodeLabel(from)}</bdi> {"\u2192"} <bdi>{nodeLabel(to)}</bdi>
    </Button>
  );
}

/** The connections that only one of both has; none where connections were not recorded for both. */
export function useDifferences(compared: ComparedGraphs | null, graph: Graph, items: Items, selected: number): Differences {
  const all = useMemo(
    () => (compared?.hasConnections === true ? differingEdges(compared.match, graph, items) : []),
    [compared, graph, items],
  );
  return useMemo(() => drawnDifferences(all, selected), [all, selected]);
}

/** What the marks of nodes and connections mean; nothing where there are none. */
export function MarkLegend({ compared, edges }: { compared: ComparedGraphs | null; edges: readonly DifferingEdge[] }) {
  const present = new Set(compared?.match.marks.values());
  return (
    <>
      {present.has("A") && (
        <li data-testid="legend-only-in-a">
          <span class="legend-mark" aria-hidden="true">
            A
          </span>
          only in A
        </li>
      )}
      {present.has("\u2260") && (
        <li data-testid="legend-other-tensors">
          <span class="legend-mark" aria-hidden="true">
            {"\u2260"}
          </span>
          other tensors in B, or of another kind
        </li>
      )}
      {edges.some(({ onlyIn }) => onlyIn === "A") && (
        <li data-testid="legend-edges-only-in-a">
          <span class="legend-edge only-in-a" aria-hidden="true">
            <span class="legend-mark">A</span>
          </span>
          connection only in A
        </li>
      )}
      {edges.some(({ onlyIn }) => onlyIn === "B") && (
        <li data-testid="legend-edges-only-in-b">
          <span class="legend-edge only-in-b" aria-hidden="true">
            <span class="legend-mark">B</span>
          </span>
          dotted: connection only in B
        </li>
      )}
    </>
  );
}
