/** Statistics first, then every value, as a table of which only the rows in view exist. */

import { useEffect, useRef, useState } from "preact/hooks";
import { NO_BATCH_AGGREGATION, type TensorRecord } from "../../../data/records/record_offsets";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { VirtualRows } from "../../../ui/controls/virtual_rows";
import { memo } from "../../../ui/memo";
import { Failure } from "../../../ui/notices/failure";
import { counted, placeOfIndex } from "../../../ui/text/format";
import { numbersInWords, ofSamples } from "../numbers_in_words";
import type { PaneProps } from "../pane";
import { type SecondValues, secondValues, statisticInB, valueInB } from "../second_pane";
import { shownValues } from "../selected_values";
import { OrderControl, useSorting } from "./sorting";
import { ValueActions } from "./value_actions";
import { barScale } from "./value_bar";
import { Header, type Look, Row } from "./value_row";

const ROW_HEIGHT = 26;

/** With more values than these, one can go to one by its index. */
const GO_TO_FROM = 20;

/** Numbers with all of their digits. */
const ALL_DIGITS = "all";

export function ValueTable(pane: PaneProps) {
  const { store, shown, open, record } = pane;
  // Read so that this is rendered again when more has been loaded.
  void store.version.value;
  const { selection } = shown;
  const [goTo, setGoTo] = useState<{ row: number } | null>(null);
  const range = useRef<[number, number]>([0, 0]);
  const values = shownValues(pane);
  const facts = open.content.numbers.facts(record);
  const { aggregation, numbers: neurons, shape, dtype: valueDtype, isLeftOut } = values;
  const statistics = open.content.numbers.statistics(record, aggregation);
  const second = secondValues(store, values);
  const kind = open.content.layout.tensors.kind[record.tensor];
  const sorting = useSorting(pane, aggregation, neurons.length);
  const { places } = sorting;
  const rowOf = (place: number): number => (places?.indexOf(place) ?? place) + record.items.length;
  const pointed = usePointed(store, shape, (place) => setGoTo({ row: rowOf(place) }), record);

  const hasAllDigits = store.view.value.get("digits") === ALL_DIGITS;
  const of = numbersInWords(store, selection.recording, record.hasBatch ? selection.aggregation : NO_BATCH_AGGREGATION, open);
  const over = ofSamples(pane, second === null || second.aggregation === aggregation);
  const look: Look = { shape, over, scale: facts === undefined ? null : barScale(facts), hasAllDigits };

  const chunks = store.bundle.chunks;
  const request = (start: number, end: number): void => {
    range.current = [start, end];
    chunks.request(neededFor(start, end));
  };
  const neededFor = (start: number, end: number): number[] => {
    const [first, last] = clamp([start, end], record.items.length, neurons.length);
    const ofB = second === null ? [] : chunksOfB(second, places === null ? [first, last] : null);
    return [...open.content.numbers.overviewChunks(record, aggregation), ...(places === null ? neurons.chunks(first, last) : []), ...ofB];
  };
  const error = sorting.error ?? chunks.failureOf(neededFor(...range.current));
  if (error !== undefined) {
    return <Failure store={store} error={error} what="the values" />;
  }
  const renderRow = (row: number, top: number) => {
    const item = record.items[row];
    if (item !== undefined) {
      const b = second && { value: statisticInB(second, item) };
      return <Row key={row} row={row} top={top} item={item} value={statistics.at(row)} b={b} dtype={record.precision} {...look} />;
    }
    const place = row - record.items.length;
    const k = places?.[place] ?? place;
    const value = places === null ? neurons.at(k) : sorting.values?.at(k);
    const b = second && { value: valueInB(second, k) };
    const cells = { row, top, k, value, b, dtype: valueDtype, isPointed: k === pointed };
    return <Row key={row} item="neuron" {...cells} {...look} />;
  };
  return (
    <div class="numbers">
      <div class="table-bar">
        <GoTo
          shape={shape}
          without={open.trial.rank === null ? "recorded values are shown per rank" : "the values were not recorded"}
          isLeftOut={isLeftOut}
          count={kind === "neuron" && !isLeftOut ? neurons.length : kind === "single_value" ? 1 : null}
          onGo={(place) => setGoTo({ row: rowOf(place) })}
        />
        <span class="soft table-of" data-testid="table-of" title={of}>
          {of}
        </span>
        {neurons.length > 1 && <OrderControl store={store} sorting={sorting} />}
        <AllDigits store={store} isOn={hasAllDigits} />
        <ValueActions {...pane} places={places} />
      </div>
      <VirtualRows
        count={record.items.length + neurons.length}
        rowHeight={ROW_HEIGHT}
        label="Values of the selected tensor"
        testId="values-table"
        resetKey={`${selection.trial}/${selection.node}/${selection.role}/${sorting.order}`}
        goTo={goTo}
        header={<Header isCompared={second !== null} {...look} />}
        renderRow={renderRow}
        onRange={request}
      />
    </div>
  );
}

const AllDigits = memo(({ store, isOn }: { store: Store; isOn: boolean }) => (
  <Button
    testid="all-digits"
    pressed={isOn}
    title="Show every number with all of its digits"
    onClick={() => store.setView("digits", isOn ? null : ALL_DIGITS)}
  >
    All digits
  </Button>
));

/** What holds the statistics of B and its values in a range; null: all of them. */
function chunksOfB({ statistics, numbers, isAlike }: SecondValues, range: readonly [number, number] | null): number[] {
  const values = isAlike ? numbers.chunks(...(range ?? [0, numbers.length])) : [];
  return [...statistics.chunks(0, statistics.length), ...values];
}

/** The place of the value that the note that is read points at, which is gone to; null where it is none of these. */
function usePointed(store: Store, shape: readonly number[], go: (place: number) => void, record: TensorRecord): number | null {
  const point = store.story.point.value;
  const pointed = point !== null && "cell" in point ? placeOfIndex(point.cell.join(), shape) : null;
  useEffect(() => {
    if (pointed !== null) {
      go(pointed);
    }
  }, [point, pointed, record]);
  return pointed;
}

/** From rows of the table to values. */
function clamp([start, end]: readonly [number, number], items: number, count: number): [number, number] {
  return [Math.max(0, Math.min(start - items, count)), Math.max(0, Math.min(end - items, count))];
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
