/** Statistics first, then every value, as a table of which only the rows in view exist. */

import { useRef, useState } from "preact/hooks";
import type { Value } from "../../../data/arrays/numbers";
import { swatchOf } from "../../../ui/color_scale";
import { Button } from "../../../ui/controls/button";
import { VirtualRows } from "../../../ui/controls/virtual_rows";
import { Failure } from "../../../ui/notices/failure";
import { counted, fixed, indexText, placeOfIndex, scientific } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { shownValues } from "../selected_values";
import { OrderControl, useSorting } from "./sorting";
import { ValueActions } from "./value_actions";

const ROW_HEIGHT = 26;

/** With more values than these, one can go to one by its index. */
const GO_TO_FROM = 20;

/** A value that is not loaded yet. */
const NOT_YET = "\u2026";

export function ValueTable(pane: PaneProps) {
  const { store, shown, open, record } = pane;
  // Read so that this is rendered again when more has been loaded.
  void store.version.value;
  const { selection } = shown;
  const { tensors } = open.content.layout;
  const [goTo, setGoTo] = useState<{ row: number } | null>(null);
  const range = useRef<[number, number]>([0, 0]);
  const { aggregation, numbers: neurons, shape, dtype: valueDtype, isLeftOut } = shownValues(pane);
  const statistics = open.content.numbers.statistics(record, aggregation);
  const kind = tensors.kind[record.tensor];
  const sorting = useSorting(pane, aggregation, neurons.length);
  const { places } = sorting;

  const chunks = store.bundle.chunks;
  const request = (start: number, end: number): void => {
    range.current = [start, end];
    chunks.request(neededFor(start, end));
  };
  const neededFor = (start: number, end: number): number[] => {
    const [first, last] = clamp([start, end], record.items.length, neurons.length);
    return [...open.content.numbers.overviewChunks(record, aggregation), ...(places === null ? neurons.chunks(first, last) : [])];
  };
  const error =
    sorting.error ??
    neededFor(...range.current)
      .map((id) => chunks.failure(id))
      .find((reason) => reason !== undefined);
  if (error !== undefined) {
    return <Failure store={store} error={error} what="the values" />;
  }
  const renderRow = (row: number, top: number) => {
    if (row < record.items.length) {
      return <StatisticRow key={row} row={row} top={top} item={record.items[row]!} value={statistics.at(row)} dtype={record.precision} />;
    }
    const place = row - record.items.length;
    const k = places?.[place] ?? place;
    return (
      <NeuronRow
        key={row}
        row={row}
        top={top}
        k={k}
        value={places === null ? neurons.at(k) : sorting.values?.at(k)}
        shape={shape}
        dtype={valueDtype}
      />
    );
  };
  return (
    <div class="numbers">
      <div class="table-bar">
        <GoTo
          shape={shape}
          without={open.trial.rank === null ? "recorded values are shown per rank" : "the values were not recorded"}
          isLeftOut={isLeftOut}
          count={kind === "neuron" && !isLeftOut ? neurons.length : kind === "single_value" ? 1 : null}
          onGo={(place) => setGoTo({ row: (places?.indexOf(place) ?? place) + record.items.length })}
        />
        {neurons.length > 1 && <OrderControl store={store} sorting={sorting} />}
        <ValueActions {...pane} places={places} />
      </div>
      <VirtualRows
        count={record.items.length + neurons.length}
        rowHeight={ROW_HEIGHT}
        label="Values of the selected tensor"
        testId="values-table"
        resetKey={`${selection.trial}/${selection.node}/${selection.role}/${sorting.order}`}
        goTo={goTo}
        header={<Header />}
        renderRow={renderRow}
        onRange={request}
      />
    </div>
  );
}

/** From rows of the table to values. */
function clamp([start, end]: readonly [number, number], items: number, count: number): [number, number] {
  return [Math.max(0, Math.min(start - items, count)), Math.max(0, Math.min(end - items, count))];
}

function Header() {
  return (
    <div class="value-row value-header" role="row" aria-rowindex={1}>
      <span role="columnheader">Item</span>
      <span role="columnheader">Index</span>
      <span role="columnheader" title={"Viridis from \u22121 to 1"}>
        Color
      </span>
      <span role="columnheader" class="number">
        Value
      </span>
      <span role="columnheader" class="number">
        Scientific
      </span>
    </div>
  );
}

interface RowProps {
  row: number;
  top: number;
  dtype: string;
}

function StatisticRow({ row, top, item, value, dtype }: RowProps & { item: string; value: Value | undefined }) {
  return (
    <div
      class="value-row statistic"
      role="row"
      aria-rowindex={row + 2}
      data-testid="value-row"
      data-item={item}
      style={{ top: `${top}px` }}
    >
      <span role="cell">
        {item}
        {item === "mean" && <OrderHint />}
      </span>
      <span role="cell" />
      <ValueCells value={value} dtype={dtype} />
    </div>
  );
}

function NeuronRow({ row, top, k, value, shape, dtype }: RowProps & { k: number; value: Value | undefined; shape: readonly number[] }) {
  return (
    <div
      class="value-row"
      role="row"
      aria-rowindex={row + 2}
      data-testid="value-row"
      data-item="neuron"
      data-index={k}
      style={{ top: `${top}px` }}
    >
      <span role="cell" class="soft">
        neuron
      </span>
      <span role="cell" class="index">
        {indexText(k, shape)}
      </span>
      <ValueCells value={value} dtype={dtype} />
    </div>
  );
}

const MARKS = { none: "", above: "\u25b2", below: "\u25bc", nan: "\u00d7" } as const;

function ValueCells({ value, dtype }: { value: Value | undefined; dtype: string }) {
  if (value === undefined) {
    return (
      <>
        <span role="cell" />
        <span role="cell" class="number soft">
          {NOT_YET}
        </span>
        <span role="cell" />
      </>
    );
  }
  const { color, mark } = swatchOf(Number(value));
  return (
    <>
      <span role="cell">
        <span
          class={`swatch swatch-${mark}`}
          style={{ backgroundColor: color ?? "" }}
          title={mark === "above" || mark === "below" ? "Outside the scale from \u22121 to 1" : ""}
        >
          {MARKS[mark]}
        </span>
      </span>
      <span role="cell" class="number" data-testid="fixed" title={String(value)}>
        {fixed(value, dtype)}
      </span>
      <span role="cell" class="number soft" data-testid="scientific">
        {scientific(value, dtype)}
      </span>
    </>
  );
}

/** Says in which order numbers are aggregated. */
function OrderHint() {
  const [open, setOpen] = useState(false);
  return (
    <span class="hint">
      <Button
        class="hint-button"
        testid="order-hint"
        label="Order of aggregation"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
      >
        ?
      </Button>
      <span class={open ? "hint-text hint-open" : "hint-text"} role="tooltip">
        First over the values of each sample, then over the batch. So &ldquo;mean&rdquo; under &ldquo;Maximum absolute value over the
        batch&rdquo; is the largest magnitude among the samples&rsquo; means, not a mean of maxima.
      </span>
    </span>
  );
}

interface GoToProps {
  shape: readonly number[];
  without: string;
  isLeftOut: boolean;
  count: number | null;
  onGo: (place: number) => void;
}

/** How many values there are (null: none, for the reason `without`), and where they are many a field to go to one by its index. */
function GoTo({ shape, without, isLeftOut, count, onGo }: GoToProps) {
  const [text, setText] = useState("");
  const place = placeOfIndex(text, shape);
  const wrong = text.trim() !== "" && place === null;
  return (
    <form
      class="go-to"
      onSubmit={(event) => {
        event.preventDefault();
        if (place !== null) {
          onGo(place);
        }
      }}
    >
      <span class="soft" data-testid="value-count">
        {count === null ? `Statistics only: ${isLeftOut ? "these values were left out of this bundle" : without}` : counted(count, "value")}
      </span>
      {count !== null && count > GO_TO_FROM && (
        <input
          type="text"
          data-testid="go-to-index"
          aria-label="Go to the value with this index"
          placeholder={`Go to index ${shape.map(() => "0").join(", ")}`}
          aria-invalid={wrong}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <span class="field-wrong" aria-live="polite">
        {wrong && `an index is ${shape.map((size) => `0\u2013${Math.max(0, size - 1)}`).join(", ")}`}
      </span>
    </form>
  );
}
