/** The second view, B, beside the printed one: what it is, how the graphs differ, and numbers beside each other. */

import type { Value } from "../../data/arrays/numbers";
import type { Graph } from "../../data/format/types";
import { PINNABLE, type Pin } from "../../state/comparison/pin";
import type { Second } from "../../state/comparison/second_view";
import { ATTRIBUTE_NAMES } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { differenceOf } from "../../tabs/tensors/compare/difference";
import { kindsSentence } from "../../tabs/tensors/compare/kind_list";
import { attributeText } from "../../tabs/tensors/compare/pin_bar";
import { sentenceOf, useComparedGraphs } from "../../tabs/tensors/graph/compare/graph_comparison";
import type { PaneProps } from "../../tabs/tensors/pane";
import { shownValues } from "../../tabs/tensors/selected_values";
import { NumberRow, TableHead } from "../../ui/controls/table_frame";
import { counted, grouped, indexText, numberText } from "../../ui/text/format";

const SIDES = ["A", "B", "A \u2212 B"];

interface Props {
  pane: PaneProps;
  /** The graph of A. */
  graph: Graph | undefined;
  pin: Pin;
  /** Rows of values that are printed, where the comparison is what is shown. */
  most: number;
}

export function PrintedComparison({ pane, graph, pin, most }: Props) {
  const { store } = pane;
  const second = store.second.value;
  return (
    <>
      <p data-testid="print-second">
        A is the selection above. B has{" "}
        {PINNABLE.filter((attribute) => pin[attribute] !== undefined).map((attribute, k) => (
          <span key={attribute}>
            {k > 0 && ", "}
            {ATTRIBUTE_NAMES[attribute]}{" "}
            <strong>
              <bdi>{attributeText(store, attribute, String(pin[attribute]))}</bdi>
            </strong>
          </span>
        ))}
        ; the rest is as in A.
      </p>
      {store.kinds.value !== null && <p>{kindsSentence(store.kinds.value)}</p>}
      {graph !== undefined && <GraphSentence store={store} pane={pane} graph={graph} />}
      {second === null || second.state !== "ready" ? (
        <p>
          {second?.state === "failed"
            ? `B could not be loaded: ${second.error.message}`
            : "B is not loaded yet. The page\u2019s own Print button waits for it."}
        </p>
      ) : (
        <Numbers pane={pane} second={second.value} most={most} />
      )}
    </>
  );
}

function GraphSentence({ store, pane, graph }: { store: Store; pane: PaneProps; graph: Graph }) {
  const compared = useComparedGraphs(store, graph, pane.open.hasGraph[pane.shown.selection.iteration] === true);
  return compared === null ? null : <p>{sentenceOf(compared)}</p>;
}

/** Statistics, and the first values where they can be compared one by one. */
function Numbers({ pane, second, most }: { pane: PaneProps; second: Second; most: number }) {
  const { open, record } = pane;
  const other = second.record;
  if (other === undefined || second.open === null) {
    return <p>{second.missing ?? "Nothing was recorded for this tensor in B."}</p>;
  }
  const { numbers, aggregation, shape, dtype } = shownValues(pane);
  const otherAggregation = aggregationOf(second);
  const [a, b] = [open.content.numbers.statistics(record, aggregation), second.open.content.numbers.statistics(other, otherAggregation)];
  const values = second.open.content.numbers.neurons(other, otherAggregation);
  const count = values.length === numbers.length ? Math.min(most, numbers.length) : 0;
  return (
    <>
      <table class="print-statistics" data-testid="print-comparison">
        <TableHead columns={["", ...SIDES]} numbers={SIDES} />
        <tbody>
          {record.items.map(
            (item, k) =>
              other.items.includes(item) && (
                <Row key={item} name={item} a={a.at(k)} b={b.at(other.items.indexOf(item))} dtype={record.precision} />
              ),
          )}
          {Array.from({ length: count }, (_, k) => (
            <Row key={k} name={`[${indexText(k, shape)}]`} a={numbers.at(k)} b={values.at(k)} dtype={dtype} />
          ))}
        </tbody>
      </table>
      {count > 0 && count < numbers.length && (
        <p class="soft">
          The first {grouped(count)} of {counted(numbers.length, "value")}.
        </p>
      )}
      {most > 0 && values.length !== numbers.length && (
        <p class="soft">
          A has {counted(numbers.length, "value")} and B {counted(values.length, "value")}: they are not compared individually.
        </p>
      )}
    </>
  );
}

function Row({ name, a, b, dtype }: { name: string; a: Value | undefined; b: Value | undefined; dtype: string }) {
  const text = (value: Value | undefined): string => (value === undefined ? "not loaded" : numberText(value, dtype));
  return (
    <NumberRow name={name} numbers={[text(a), text(b), a === undefined || b === undefined ? "" : numberText(differenceOf(a, b), dtype)]} />
  );
}

/** The place of the aggregation of B. */
export function aggregationOf(second: Second): number {
  return Math.max(0, second.offer?.aggregations.indexOf(second.selection.aggregation) ?? 0);
}
