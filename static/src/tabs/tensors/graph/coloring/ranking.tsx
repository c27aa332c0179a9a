/** The nodes in the order of the numbers that they are coloured by. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import type { Store } from "../../../../state/store";
import { Button } from "../../../../ui/controls/button";
import { brief, grouped, nodeLabel, percent } from "../../../../ui/text/format";
import type { NodeColor } from "./coloring";
import { type NodeNumber, statisticLabel } from "./node_numbers";
import type { Colored } from "./use_coloring";

/** So many are listed. */
const LISTED = 200;

const ORDERS = ["smallest", "largest"] as const;
type RankingOrder = (typeof ORDERS)[number];

/** What the address says: which magnitudes come first; null where there is no ranking. */
export function readRanking(text: string | undefined): RankingOrder | null {
  return ORDERS.find((order) => order === text) ?? null;
}

/** The nodes that have a number: NaN first, then infinities, then by magnitude; those with equal ones in the order of the graph. */
export function rankNodes(numbers: readonly (NodeNumber | undefined)[], order: RankingOrder): number[] {
  const sign = order === "smallest" ? 1 : -1;
  const rank = (value: number): number => (Number.isNaN(value) ? 0 : Number.isFinite(value) ? 2 : 1);
  return numbers
    .flatMap((number, node) => (number === undefined ? [] : [{ node, value: number.value }]))
    .sort(
      (a, b) =>
        rank(a.value) - rank(b.value) || (Number.isFinite(a.value) ? sign * (Math.abs(a.value) - Math.abs(b.value)) : 0) || a.node - b.node,
    )
    .map(({ node }) => node);
}

interface Props {
  store: Store;
  graph: Graph;
  colored: Colored;
  selected: number;
  order: RankingOrder;
}

export function Ranking({ store, graph, colored: { choice, numbers, coloring }, selected, order }: Props) {
  const ranked = useMemo(() => rankNodes(numbers, order), [numbers, order]);
  const listed = ranked.slice(0, LISTED);
  const reachable = listed.includes(selected) ? selected : listed[0];
  const title = `${statisticLabel(choice.statistic)}${choice.isDifference ? ", A \u2212 B" : ""}`;
  return (
    <section class="ranking" data-testid="ranking" aria-label={`Nodes by ${title}`}>
      <div class="ranking-head">
        <h2>{title}</h2>
        <div class="button-group" role="group" aria-label="Order of the ranking">
          {ORDERS.map((candidate) => (
            <Button
              key={candidate}
              testid={`ranking-${candidate}`}
              pressed={candidate === order}
              title="By magnitude; NaN and infinities come first in either order"
              onClick={() => store.setView("ranking", candidate)}
            >
              {candidate === "smallest" ? "Smallest" : "Largest"}
            </Button>
          ))}
        </div>
      </div>
      {ranked.length === 0 ? (
        <p class="empty">No node has a number.</p>
      ) : (
        <ol data-arrow-keys onKeyDown={moveFocus}>
          {listed.map((node) => {
            const { value } = numbers[node]!;
            const name = graph.nodes.name[node]!;
            return (
              <li key={node}>
                <Button
                  tabIndex={node === reachable ? 0 : -1}
                  aria-current={node === selected}
                  title={name}
                  onClick={() => store.selectNode(name)}
                >
                  <Swatch color={coloring.nodes[node]} />
                  <span class="ranking-name">
                    <bdi>{nodeLabel(name)}</bdi>
                  </span>
                  <span class="ranking-value">{choice.isDifference ? percent(value) : brief(value)}</span>
                </Button>
              </li>
            );
          })}
        </ol>
      )}
      {ranked.length > LISTED && (
        <p class="soft ranking-note">
          The first {LISTED} of {grouped(ranked.length)} nodes.
        </p>
      )}
    </section>
  );
}

/** The colour of the node, or its sign where it has none. */
function Swatch({ color }: { color: NodeColor | undefined }) {
  return (
    <span class="ranking-swatch" aria-hidden="true" style={color?.fill ? { background: color.fill, color: color.ink } : {}}>
      {color?.sign ?? ""}
    </span>
  );
}

/** Up and down go to the entry before and behind. */
function moveFocus(event: KeyboardEvent): void {
  const by = event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : null;
  const entry = event.target instanceof Element ? event.target.closest("li") : null;
  if (by !== null && entry !== null) {
    event.preventDefault();
    entry[by]?.querySelector("button")?.focus();
  }
}
