/** What is selected, in numbers: what comes through the layers behind it, what of its gradient does not, and what feeds it. */

import type { Flow } from "../../data/records/flows";
import { countSelected, type FlowSelection } from "../../state/tab_options/flow_selection";
import { selectionName, signed, signedExactly, sumsInWords } from "./flow_text";
import type { Followed } from "./follow";
import type { LayerNumbers } from "./layers/heat";

interface Props {
  flow: Flow;
  followed: Followed;
  selection: FlowSelection;
  elements: readonly number[];
  numbers: LayerNumbers | undefined;
}

export function FlowSummary({ flow, followed, selection, elements, numbers }: Props) {
  const isOne = countSelected(selection) === 1;
  const element = elements[0] ?? 0;
  const known = (array: Float32Array | null | undefined): string | null =>
    array === null || array === undefined ? null : signedExactly(array[element]!);
  const [gradient, activation] = [known(numbers?.gradients), known(numbers?.values)];
  return (
    <div class="flow-summary" data-testid="flow-summary">
      <p>
        <strong>
          <bdi>{selectionName(flow, selection)}</bdi>
        </strong>
        {isOne && gradient !== null && <>, gradient {gradient}</>}
        {isOne && activation !== null && <>, activation {activation}</>}
      </p>
      <ul>
        {[...followed.sums].map(([pair, sums]) => {
          const { from, to } = flow.pairs[pair]!;
          const isForward = from === selection.layer;
          const residual = followed.residuals
            .filter((entry) => entry.pair === pair && isForward)
            .reduce((sum, entry) => sum + entry.residual, 0);
          const hasResidual = isForward && flow.pairs[pair]!.hasResiduals;
          return (
            <li key={pair} data-testid="flow-sum">
              {isForward ? "into " : "from "}
              <bdi>{flow.layers[isForward ? to : from]!.name}</bdi>: {sumsInWords(sums)}
              {hasResidual && <>; residual: {signed(residual)}</>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
