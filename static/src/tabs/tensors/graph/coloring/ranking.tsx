/** The nodes in the order of the numbers that they are coloured by. */

import { useMemo, useRef } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import type { OpenStep } from "../../../../state/selection/open_step";
import type { Shown, Store } from "../../../../state/store";
import { Button } from "../../../../ui/controls/button";
import { Icon } from "../../../../ui/controls/icon";
import { Select } from "../../../../ui/controls/select";
import { grouped, nodeLabel, numberText, percent } from "../../../../ui/text/format";
import { numbersInWords } from "../../numbers_in_words";
import type { NodeColor } from "./coloring";
import { isOfParameters, type NodeNumber, type Statistic, statisticLabel, statisticsOf } from "./node_numbers";
import type { StepParameters } from "./step_parameters";
import { type Colored, useColoring } from "./use_coloring";

/** So many are listed. */
const LISTED = 200;

const ORDERS = ["smallest", "largest"] as const;
type RankingOrder = (typeof ORDERS)[number];

/** What the address says: `largest`, or `largest,abs_mean` where the person has chosen a statistic other than that of the colours. */
interface RankingChoice {
  /** Which magnitudes come first. */
  order: RankingOrder;
  statistic: string | undefined;
}

/** Null where there is no ranking. */
export function readRanking(text: string | undefined): RankingChoice | null {
  const [name, statistic] = (text ?? "").split(",", 2);
  const order = ORDERS.find((known) => known === name);
  return order === undefined ? null : { order, statistic };
}

/** What a ranking shows. */
interface Ranked extends RankingChoice {
  ranked: Colored;
  /** By which nodes can be ranked. */
  statistics: readonly Statistic[];
}

/** By the chosen statistic, that of the colours, or the first one that there is; null where there is no ranking, or nothing to rank by. */
export function useRanked(
  store: Store,
  shown: Shown,
  open: OpenStep,
  graph: Graph,
  parameters: StepParameters | null,
  colored: Colored | null,
): Ranked | null {
  const { iteration, recording } = shown.selection;
  const choice = readRanking(store.view.value.get("ranking"));
  const statistics = useMemo(() => statisticsOf(open, iteration, recording, parameters), [open, iteration, recording, parameters]);
  const isOfColors = colored !== null && choice?.statistic === undefined;
  const own = useColoring(
    store,
    shown,
    open,
    graph,
    parameters,
    choice === null || isOfColors ? undefined : (choice.statistic ?? statistics[0]),
  );
  const ranked = isOfColors ? colored : own;
  return choice === null || ranked === null ? null : { ...choice, ranked, statistics };
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
  shown: Shown;
  ranking: Ranked;
  selected: number;
}

export function Ranking({ store, graph, shown, ranking, selected }: Props) {
  const {
    order,
    ranked: { choice, numbers, coloring },
  } = ranking;
  const place = useRef<HTMLElement>(null);
  const nodes = useMemo(() => rankNodes(numbers, order), [numbers, order]);
  const listed = nodes.slice(0, LISTED);
  const reachable = listed.includes(selected) ? selected : listed[0];
  const { recording, aggregation } = shown.selection;
  const of = isOfParameters(choice.statistic) ? "of the parameters themselves" : numbersInWords(store, recording, aggregation, shown.open);
  const title = `${statisticLabel(choice.statistic)}${choice.isDifference ? ", A \u2212 B" : ""}`;
  const close = (): void => {
    // What has the focus may be about to go.
    if (place.current?.contains(document.activeElement)) {
      place.current.parentElement?.querySelector<HTMLElement>(".graph-canvas")?.focus({ preventScroll: true });
    }
    store.setView("ranking", null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The key of the button does not work while a choice has the focus.
    if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      close();
    }
  };
  return (
    <section ref={place} class="ranking" data-testid="ranking" aria-label={`Nodes by ${title}`} onKeyDown={onKeyDown}>
      <div class="ranking-head">
        <StatisticSelect store={store} ranking={ranking} title={title} />
        <OrderButtons store={store} ranking={ranking} />
        <Button
          class="icon-button"
          testid="ranking-close"
          keys="Escape"
          label="Close the ranking"
          title="Close the ranking: key Esc"
          onClick={close}
        >
          <Icon name="close" />
        </Button>
        <p class="soft">{of}</p>
      </div>
      {nodes.length === 0 ? (
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
                  <span class="ranking-value">{choice.isDifference ? percent(value) : numberText(value, "")}</span>
                </Button>
              </li>
            );
          })}
        </ol>
      )}
      {nodes.length > LISTED && (
        <p class="soft ranking-note">
          The first {LISTED} of {grouped(nodes.length)} nodes.
        </p>
      )}
    </section>
  );
}

function OrderButtons({ store, ranking: { order, statistic } }: { store: Store; ranking: Ranked }) {
  return (
    <div class="button-group" role="group" aria-label="Order of the ranking">
      {ORDERS.map((candidate) => (
        <Button
          key={candidate}
          testid={`ranking-${candidate}`}
          pressed={candidate === order}
          title="By magnitude; NaN and infinities come first in either order"
          onClick={() => store.setView("ranking", statistic === undefined ? candidate : `${candidate},${statistic}`)}
        >
          {candidate === "smallest" ? "Smallest" : "Largest"}
        </Button>
      ))}
    </div>
  );
}

function StatisticSelect({ store, ranking: { order, ranked, statistics }, title }: { store: Store; ranking: Ranked; title: string }) {
  const { isDifference, statistic } = ranked.choice;
  return (
    <Select
      testid="ranking-statistic"
      label="Ranked by"
      value={isDifference ? "" : statistic}
      choices={[...(isDifference ? [["", title] as const] : []), ...statistics.map((each) => [each, statisticLabel(each)] as const)]}
      onChange={(chosen) => store.setView("ranking", chosen === "" ? order : `${order},${chosen}`)}
    />
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
