/** What colours and lines of the graph mean, and which nodes are drawn: those of some types, or with a prefix. */

import { batch } from "@preact/signals";
import { type Graph, TENSOR_TYPES, type TensorType } from "../../../data/format/types";
import { BadgeLegend } from "../../../kits/graph/badge_legend";
import { TYPE_LETTERS } from "../../../kits/graph/placement";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import type { DifferingEdge } from "./compare/differing_edges";
import { type ComparedGraphs, MarkLegend } from "./compare/graph_comparison";
import type { ItemBadges } from "./item_badges";
import { type Filter, writeHidden } from "./layout/filter";
import { prefixTreeOf } from "./layout/prefixes";

interface Props {
  store: Store;
  graph: Graph;
  filter: Filter;
}

interface LegendProps extends Props {
  compared: ComparedGraphs | null;
  differences: readonly DifferingEdge[];
  badges: ItemBadges;
}

export function Legend({ store, graph, filter: { hidden }, compared, differences, badges }: LegendProps) {
  const present = TENSOR_TYPES.filter((type) => graph.nodes.type.includes(type));
  const toggle = (type: TensorType): void =>
    store.setView("hide", writeHidden(hidden.includes(type) ? hidden.filter((other) => other !== type) : [...hidden, type]));
  return (
    <ul class="legend" aria-label="Legend">
      {present.map((type) => (
        <li key={type}>
          <Button
            class="legend-type"
            testid={`legend-${type}`}
            pressed={!hidden.includes(type)}
            title={hidden.includes(type) ? `Show nodes of this type: ${type}` : `Hide nodes of this type: ${type}`}
            onClick={() => toggle(type)}
          >
            <span class={`legend-badge type-${type}`} aria-hidden="true">
              {TYPE_LETTERS[type]}
            </span>
            {type}
          </Button>
        </li>
      ))}
      <BadgeLegend counts={badges.counts} what="node" onNext={badges.goToNext} />
      <li>
        <span class="legend-side" aria-hidden="true" />
        dotted: begins (left) or ends (right) here
      </li>
      {graph.without_gradient.length > 0 && (
        <li data-testid="legend-without-gradient">
          <span class="legend-dashes" aria-hidden="true" />
          dashed: values, but no gradient
        </li>
      )}
      <MarkLegend compared={compared} edges={differences} />
    </ul>
  );
}

/** Prefixes that are offered at most while one is being typed. */
const SUGGESTIONS = 50;

/** Only nodes whose names begin so are drawn. */
export function PrefixField({ store, graph, filter: { prefix } }: Props) {
  const offered = prefixTreeOf(graph)
    .prefix.slice(1)
    .map((known) => `${known}.`)
    .filter((known) => known.startsWith(prefix) && known !== prefix);
  // What is asked for is to be seen, whatever was collapsed before.
  const show = (names: string): void =>
    batch(() => {
      store.setView("only", names || null);
      store.setView("fold", null);
    });
  return (
    <div class="graph-option">
      <label for="graph-prefix">Prefix</label>
      <input
        id="graph-prefix"
        class="prefix-field"
        type="text"
        list="graph-prefixes"
        data-testid="graph-prefix"
        placeholder="all names"
        autocomplete="off"
        spellcheck={false}
        value={prefix}
        onInput={(event) => show(event.currentTarget.value)}
      />
      <datalist id="graph-prefixes">
        {offered.slice(0, SUGGESTIONS).map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      {prefix !== "" && (
        <Button class="link" testid="graph-prefix-clear" onClick={() => show("")}>
          clear
        </Button>
      )}
    </div>
  );
}
