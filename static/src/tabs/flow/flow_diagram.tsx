/** The diagram of a gradient flow, with its key, what is selected in numbers, and its flows as a list. */

import { useMemo } from "preact/hooks";
import type { Flow } from "../../data/records/flows";
import type { LoadedFlow } from "./flow_loading";
import type { FlowSettings } from "./flow_settings";
import { residualInWords } from "./flow_text";
import { LinksList } from "./links_list";
import { type Pointed, SankeyView } from "./sankey/sankey_view";
import { FlowSummary } from "./summary";
import type { Selecting } from "./use_selecting";

interface Props {
  flow: Flow;
  followed: NonNullable<LoadedFlow["followed"]>;
  settings: FlowSettings;
  selecting: Selecting;
  numbers: LoadedFlow["numbers"];
  /** Says what is under the pointer; null where nothing is. */
  onSay: (words: string | null) => void;
  onPoint: (pointed: Pointed | null) => void;
}

export function FlowDiagram({ flow, followed, settings, selecting, numbers, onSay, onPoint }: Props) {
  const { selection, elements } = settings;
  const { start } = followed;
  const selected = useMemo(() => start && { layer: start.layer, elements: new Set(start.elements) }, [start]);
  const residuals = residualInWords(flow);
  return (
    <>
      <SankeyView
        flow={flow}
        followed={followed}
        selected={selected}
        onSay={onSay}
        onPoint={onPoint}
        onSelect={selecting.selectElement}
        onClear={selecting.clear}
      />
      <p class="flow-key soft" aria-hidden="true">
        <span class="flow-key-positive">above zero</span> <span class="flow-key-negative">below zero</span>{" "}
        <span class="flow-key-rest">all other flows, summed</span>
        {residuals.length > 0 && (
          <>
            {" "}
            <span class="flow-key-residual">residual</span>
          </>
        )}
      </p>
      {residuals.map((sentence) => (
        <p class="flow-key soft" key={sentence} data-testid="flow-residual">
          {sentence}
        </p>
      ))}
      {selection !== null && (
        <FlowSummary flow={flow} followed={followed} selection={selection} elements={elements} numbers={numbers?.[selection.layer]} />
      )}
      <LinksList flow={flow} followed={followed} onSelect={selecting.selectElement} />
    </>
  );
}
