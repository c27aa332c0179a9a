/** The numbers of the selected tensor, printed. */

import type { PaneProps } from "../../tabs/tensors/pane";
import { shownValues } from "../../tabs/tensors/selected_values";
import { NumberRow } from "../../ui/controls/table_frame";
import { figuresAt } from "../../ui/figure/figure_registry";
import { counted, grouped, indexText, numberText } from "../../ui/text/format";
import { FigureOf, MOST_PRINTED, Section } from "./print_section";

/** The statistics, and the values as they are shown: as figures, or else as a table. */
export function PrintedValues(pane: PaneProps) {
  const { store, open, record } = pane;
  const { numbers, aggregation, shape, dtype, absent } = shownValues(pane);
  const statistics = open.content.numbers.statistics(record, aggregation);
  const figures = figuresAt("values");
  const isTable = (store.view.value.get("pane") ?? "table") === "table";
  const count = Math.min(numbers.length, MOST_PRINTED);
  const text = (value: number | bigint | undefined, type: string): string => (value === undefined ? "not loaded" : numberText(value, type));
  return (
    <Section title="Values">
      <table class="print-statistics" data-testid="print-statistics">
        <tbody>
          {record.items.map((item, k) => (
            <NumberRow key={item} name={item} numbers={[text(statistics.at(k), record.precision)]} />
          ))}
        </tbody>
      </table>
      {figures.map((figure, k) => (
        <FigureOf key={k} figure={figure} />
      ))}
      {isTable && count > 0 && (
        <>
          <p class="soft">
            {numbers.length > count
              ? `The first ${grouped(count)} of ${counted(numbers.length, "value")}`
              : counted(numbers.length, "value")}
            {shape.length > 0 && ", each after its index"}.
          </p>
          <ol class="print-values" data-testid="print-values">
            {Array.from({ length: count }, (_, k) => (
              <li key={k}>
                <span class="soft">{indexText(k, shape)}</span> {text(numbers.at(k), dtype)}
              </li>
            ))}
          </ol>
        </>
      )}
      {isTable && absent !== null && <p class="soft">{absent}.</p>}
    </Section>
  );
}
