/** All trials by a statistic of the selected tensor; each can be shown, or compared with the one that is shown. */

import { useMemo, useState } from "preact/hooks";
import { stepLabel } from "../../../data/format/steps";
import { NO_BATCH_AGGREGATION } from "../../../data/records/record_offsets";
import { writeLink } from "../../../state/address/url";
import {
  listedTrials,
  readTrialValues,
  sortedTrialValues,
  TRIAL_ORDERS,
  type TrialOrder,
  type TrialValue,
} from "../../../state/comparison/trial_values";
import { SYMPTOM } from "../../../state/findings/found";
import { rankOf } from "../../../state/selection/options";
import { ONLY_RANK } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import { type ListOptions, readListOptions, writeListOptions } from "../../../state/tab_options/comparison_lists";
import { Button } from "../../../ui/controls/button";
import { Select } from "../../../ui/controls/select";
import { TableFrame } from "../../../ui/controls/table_frame";
import { counted, nodeLabel, numberText } from "../../../ui/text/format";
import { numbersInWords } from "../numbers_in_words";
import type { PaneProps } from "../pane";
import { LACKING, NOT_YET } from "./compared_cells";
import { SINGLE_VALUE } from "./tensor_differences";

/** With more trials than these, their data is loaded only when the table is asked for. */
const MOST_OPEN = 8;

/** Rows that are listed. */
const LISTED = 500;

const TITLES: Readonly<Record<TrialOrder, string>> = { trial: "Trial", step: "Step", value: "" };

export function TrialTable(pane: PaneProps) {
  const { store, shown } = pane;
  const trials = useMemo(() => listedTrials(store.bundle, shown.selection.rank), [store.bundle, shown.selection.rank]);
  const [isOpen, setOpen] = useState(trials.length <= MOST_OPEN);
  // If there are two trials, the other one stands beside A already.
  return trials.length < (store.pin.value === null ? 2 : 3) ? null : (
    <details class="trial-table" data-testid="trials" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {nodeLabel(shown.selection.node)} in all {counted(trials.length, "trial")}
      </summary>
      {isOpen && <Trials pane={pane} trials={trials} />}
    </details>
  );
}

function Trials({ pane: { store, shown, open, record }, trials }: { pane: PaneProps; trials: readonly TrialValue["trial"][] }) {
  const { selection } = shown;
  const options = readListOptions(store.view.value.get("lists"));
  const change = (changed: Partial<ListOptions>): void => store.setView("lists", writeListOptions({ ...options, ...changed }));
  const { trialStatistic: chosen, trialOrder: order, isDescending } = options;
  const item = chosen !== null && record.items.includes(chosen) ? chosen : record.items[0]!;
  const { tensors } = open.content.layout;
  const version = store.version.value;
  const { values, missing } = useMemo(
    () =>
      readTrialValues(store.bundle, trials, {
        selection,
        item,
        name: tensors.name[record.tensor]!,
        iteration: tensors.iteration[record.tensor]!,
      }),
    [store.bundle, trials, selection, item, record, version],
  );
  store.bundle.chunks.request(missing);
  const sorted = sortedTrialValues(values, order, isDescending);
  const sortBy = (column: TrialOrder): void => change({ trialOrder: column, isDescending: column === order && !isDescending });
  return (
    <>
      <div class="compare-summary">
        <Select
          testid="trial-statistic"
          label="Statistic of the tensor"
          value={item}
          choices={record.items.map((name) => [name, name === SINGLE_VALUE ? "value" : name] as const)}
          onChange={(trialStatistic) => change({ trialStatistic })}
        />
        <span class="soft">
          {numbersInWords(store, selection.recording, record.hasBatch ? selection.aggregation : NO_BATCH_AGGREGATION, open)}
        </span>
      </div>
      <TableFrame name="All trials">
        <table data-testid="trial-values">
          <thead>
            <tr>
              {TRIAL_ORDERS.map((column) => (
                <th
                  key={column}
                  scope="col"
                  class={column === "trial" ? "" : "number"}
                  aria-sort={column !== order ? "none" : isDescending ? "descending" : "ascending"}
                >
                  <Button class="link" testid={`sort-trials-${column}`} onClick={() => sortBy(column)}>
                    {TITLES[column] || (item === SINGLE_VALUE ? "value" : item)}
                    {column === order && <span aria-hidden="true"> {isDescending ? "\u25bc" : "\u25b2"}</span>}
                  </Button>
                </th>
              ))}
              <th scope="col">Compare</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, LISTED).map((each) => (
              <Row key={each.trial.name} store={store} shown={shown.selection.trial} {...each} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {sorted.length > LISTED && <p class="soft">and {counted(sorted.length - LISTED, "more trial")}</p>}
    </>
  );
}

function Row({ store, shown, trial, step, value }: TrialValue & { store: Store; shown: string }) {
  const { selection, view } = { selection: store.selection.value, view: store.view.value };
  const rank = rankOf(store.bundle, trial);
  const isNearest = step !== null && step !== selection.step;
  const compare = (): void => store.setPin({ trial: trial.name, ...(rank !== ONLY_RANK && { rank }), ...(isNearest && { step }) });
  const side = trial.name === shown ? "A" : trial.name === store.pin.value?.trial ? "B" : null;
  return (
    <tr data-testid="trial-value" aria-current={side === "A" ? "true" : undefined}>
      <td>
        <a href={`#${writeLink("tensors", { ...selection, trial: trial.name, rank, ...(step !== null && { step }) }, view)}`}>
          <bdi>{trial.name}</bdi>
        </a>
        {trial.worst >= SYMPTOM && (
          <span role="img" aria-label="has findings" title="Has findings">
            {" \u26a0"}
          </span>
        )}
      </td>
      <td class="number" title={isNearest ? "The nearest step that was recorded" : undefined}>
        {step === null ? LACKING : stepLabel(step)}
        {isNearest && " (nearest)"}
      </td>
      <td class="number">{value === undefined ? NOT_YET : value === null ? LACKING : numberText(value, "")}</td>
      <td>
        {side !== null ? (
          <span class="legend-mark">{side}</span>
        ) : (
          <Button testid="compare-trial" label={`Compare with ${trial.name}`} onClick={compare}>
            Compare
          </Button>
        )}
      </td>
    </tr>
  );
}
