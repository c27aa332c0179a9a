/** The shown tensor, A, beside the same one of another trial, step or sample, B. */

import { useMemo, useState } from "preact/hooks";
import type { Numbers } from "../../../data/arrays/lanes";
import type { Value } from "../../../data/arrays/numbers";
import type { Second } from "../../../state/comparison/second_view";
import { Button } from "../../../ui/controls/button";
import { Cell, HeaderRow, VirtualRows } from "../../../ui/controls/virtual_rows";
import { NotReady } from "../../../ui/notices/loading";
import { brief, counted, exactText, indexText, numberText } from "../../../ui/text/format";
import { ofSamples } from "../numbers_in_words";
import type { PaneProps } from "../pane";
import { secondValues } from "../second_pane";
import { shownValues } from "../selected_values";
import { CellsOfB, COMPARED, NOT_YET } from "./compared_cells";
import { byDifference, compare, type Difference } from "./difference";
import { DifferingTensors } from "./differing_tensors";
import { KindList } from "./kind_list";
import { PinBar } from "./pin_bar";
import { TrialTable } from "./trial_table";

const ROW_HEIGHT = 26;

/** Rows that are in sight at once. */
const MOST_ROWS = 14;

export function ComparePane(props: PaneProps) {
  const { store } = props;
  const second = store.second.value;
  return (
    <div class="compare">
      <PinBar store={store} />
      {second === null ? (
        <p class="empty" data-testid="compare-empty">
          Keep this view as B. Then select another trial, step or sample to compare it with B.
          {store.bundle.index.trials.length > 1 && " Or choose a trial below."}
        </p>
      ) : second.state === "ready" ? (
        <Compared {...props} second={second.value} />
      ) : (
        <NotReady store={store} loaded={second} what="the second view" />
      )}
      <TrialTable {...props} />
    </div>
  );
}

/** B can be changed where nothing was recorded for the tensor of A. */
export function CompareWithoutRecord({ store }: Omit<PaneProps, "record">) {
  return (
    <div class="compare">
      <PinBar store={store} />
      <p class="empty" data-testid="values-empty">
        Nothing was recorded for this tensor in A.
      </p>
    </div>
  );
}

function Compared({ second, ...props }: PaneProps & { second: Second }) {
  const { store, shown, open } = props;
  const isSameRecord = second.open === open && second.selection.recording === shown.selection.recording;
  return (
    <>
      {isSameRecord ? (
        <p class="compare-summary soft" data-testid="same-step">
          A and B are of the same step: its tensors are the same.
        </p>
      ) : (
        <>
          <KindList store={store} />
          {second.open !== null && <DifferingTensors {...props} second={second} other={second.open} />}
        </>
      )}
      {second.record === undefined || second.open === null ? (
        <p class="empty" data-testid="compare-missing">
          {second.missing ?? "Nothing was recorded for this tensor in B."}
        </p>
      ) : (
        <ComparedValues {...props} />
      )}
    </>
  );
}

/** Statistics first, then every value, as A, B and by how much they differ. */
function ComparedValues(pane: PaneProps) {
  const { store, shown, open, record } = pane;
  // Read so that this is rendered again when more has been loaded.
  void store.version.value;
  const [sorted, setSorted] = useState(false);
  const ofA = shownValues(pane);
  const ofB = secondValues(store, ofA)!;
  const { aggregation, shape, dtype } = ofA;
  const otherRecord = ofB.pane.record;
  const otherAggregation = ofB.aggregation;
  const over = ofSamples(pane, aggregation === otherAggregation);
  const statistics = { a: open.content.numbers.statistics(record, aggregation), b: ofB.statistics };
  const values = { a: ofA.numbers, b: ofB.numbers };
  const sameShape = values.a.length === values.b.length;
  const count = Math.min(values.a.length, values.b.length);
  const items = record.items.filter((item) => otherRecord.items.includes(item));
  const chunks = store.bundle.chunks;
  const loadAll = (numbers: Numbers): number[] => numbers.chunks(0, numbers.length);
  chunks.request([...loadAll(statistics.a), ...loadAll(statistics.b), ...loadAll(values.a), ...loadAll(values.b)]);
  const version = store.version.value;
  const difference = useMemo(() => compare(values.a, values.b), [record, otherRecord, aggregation, otherAggregation, version]);
  const order = useMemo(
    () => (sorted ? byDifference(values.a, values.b) : undefined),
    [sorted, record, otherRecord, aggregation, otherAggregation, version],
  );
  const renderRow = (row: number, top: number) => {
    const item = items[row];
    if (item !== undefined) {
      const [a, b] = [statistics.a.at(record.items.indexOf(item)), statistics.b.at(otherRecord.items.indexOf(item))];
      return <Row key={row} row={row} top={top} item={item} index={over} a={a} b={b} dtype={record.precision} />;
    }
    const k = order?.[row - items.length] ?? row - items.length;
    return (
      <Row key={row} row={row} top={top} item="neuron" index={indexText(k, shape)} a={values.a.at(k)} b={values.b.at(k)} dtype={dtype} />
    );
  };
  return (
    <section aria-label="Values of the selected tensor">
      <div class="compare-summary">
        <span data-testid="difference">{summaryOf(difference, sameShape, values.a.length, values.b.length, shape)}</span>
        {count > 1 && (
          <Button pressed={sorted} testid="sort-differences" onClick={() => setSorted(!sorted)}>
            Largest difference first
          </Button>
        )}
      </div>
      <VirtualRows
        count={items.length + count}
        rowHeight={ROW_HEIGHT}
        mostRows={MOST_ROWS}
        label="Values of A and B"
        testId="compare-table"
        resetKey={`${shown.selection.node}/${shown.selection.role}/${sorted}`}
        goTo={null}
        header={<HeaderRow class="compare-row" columns={["Item", "Index", ...COMPARED]} numbers={COMPARED} />}
        renderRow={renderRow}
        onRange={() => undefined}
      />
    </section>
  );
}

/** What the values have in common, as a sentence. */
function summaryOf(difference: Difference | undefined, sameShape: boolean, ofA: number, ofB: number, shape: readonly number[]): string {
  if (!sameShape) {
    return `A has ${counted(ofA, "value")} and B ${counted(ofB, "value")}: only their statistics can be compared.`;
  }
  if (ofA === 0) {
    return "Only statistics were recorded.";
  }
  if (difference === undefined) {
    return `Comparing${NOT_YET}`;
  }
  if (difference.equal === difference.count) {
    return `All ${counted(difference.count, "value")} are equal.`;
  }
  const differing = difference.count - difference.equal;
  const parts = [`${counted(differing, "value")} of ${difference.count} ${differing === 1 ? "differs" : "differ"}`];
  if (difference.at >= 0 && difference.largest > 0) {
    parts.push(`by at most ${brief(difference.largest)} (at ${indexText(difference.at, shape)}), on average ${brief(difference.mean)}`);
  }
  const notFinite = difference.notFinite > 0 ? `; ${counted(difference.notFinite, "value")} finite in only one of the two` : "";
  return `${parts.join(" ")}${notFinite}.`;
}

interface RowProps {
  row: number;
  top: number;
  item: string;
  index: string;
  a: Value | undefined;
  b: Value | undefined;
  dtype: string;
}

function Row({ row, top, item, index, a, b, dtype }: RowProps) {
  return (
    <div
      class={item === "neuron" ? "compare-row" : "compare-row statistic"}
      role="row"
      aria-rowindex={row + 2}
      data-testid="compare-row"
      style={{ top: `${top}px` }}
    >
      <Cell class={item === "neuron" ? "soft" : ""}>{item}</Cell>
      <Cell class="index">{index}</Cell>
      <Cell class="number" title={a === undefined ? "" : exactText(a, dtype)}>
        {a === undefined ? NOT_YET : numberText(a, dtype)}
      </Cell>
      <CellsOfB a={a} b={b} dtype={dtype} />
    </div>
  );
}
