/** A gradient flow: its diagram and its layers, which show and select the same. */

import { useMemo, useState } from "preact/hooks";
import type { Flow, FlowsOfTrial } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { InSheet } from "../../ui/controls/sheet";
import { Failure } from "../../ui/notices/failure";
import { FlowDiagram } from "./flow_diagram";
import { FlowFigure } from "./flow_figure";
import { FlowLayers } from "./flow_layers";
import { useLoadedFlow } from "./flow_loading";
import { useFlowSettings } from "./flow_settings";
import { elementInWords, methodInWords, selectionName } from "./flow_text";
import { hasFlows, type Pointed } from "./sankey/sankey_view";
import { FlowToolbar } from "./toolbar";
import { useSelecting } from "./use_selecting";

interface Props {
  store: Store;
  flows: FlowsOfTrial;
  /** Those of the step. */
  here: readonly Flow[];
  flow: Flow;
}

export function FlowAtStep({ store, flows, here, flow }: Props) {
  const settings = useFlowSettings(store, flow);
  const { options, selection, elements } = settings;
  const selecting = useSelecting(store, flows, flow, settings);
  const [said, setSaid] = useState<string | null>(null);
  const [lastPointed, setPointed] = useState<(Pointed & { flow: Flow }) | null>(null);
  // What was pointed at in another flow may not be there in this one.
  const pointed = lastPointed?.flow === flow ? lastPointed : null;
  const loaded = useLoadedFlow(store, flows, flow, settings, pointed);
  const { error, followed, numbers, computed } = loaded;
  const largest = useMemo(() => Math.max(0, ...flow.pairs.map((pair) => pair.sums[options.sample]!.largest)), [flow, options.sample]);
  if (error !== undefined) {
    return <Failure store={store} error={error} what="the gradient flow" />;
  }
  const point = (next: Pointed | null): void => setPointed(next === null ? null : { ...next, flow });
  const pointAt = (layer: number, element: number | null): void => {
    point(element === null ? null : { layer, element });
    const heat = followed?.start === loaded.start ? followed?.heat[layer] : null;
    setSaid(
      element === null ? null : elementInWords(flow, layer, element, { ...numbers?.[layer], flow: heat, computed: computed?.[layer] }),
    );
  };
  return (
    <>
      <InSheet testid="flow-tools" label="Flow" sign="Tools">
        <FlowToolbar
          flows={here}
          flow={flow}
          options={options}
          largest={largest}
          hasSelection={selection !== null}
          onFlow={(name) => store.setView("flow", name === here[0]?.name ? null : name)}
          onChange={settings.change}
          onClear={selecting.clear}
        />
      </InSheet>
      <p class="flow-method soft" data-testid="flow-method">
        {methodInWords(flow.method)}
      </p>
      <div class="flow-diagram-bar">
        <p class="flow-said" role="status" data-testid="flow-said">
          {selecting.refused ?? said ?? diagramInWords(flow, selection === null ? null : selectionName(flow, selection))}
        </p>
        {followed !== undefined && hasFlows(followed) && (
          <FlowFigure store={store} flow={flow} followed={followed} options={options} selection={selection} elements={elements} />
        )}
      </div>
      {flow.pairs.length > 0 && followed !== undefined && (
        <FlowDiagram
          flow={flow}
          followed={followed}
          settings={settings}
          selecting={selecting}
          numbers={numbers}
          onSay={setSaid}
          onPoint={point}
        />
      )}
      <FlowLayers flow={flow} settings={settings} selecting={selecting} loaded={loaded} pointed={pointed} onPoint={pointAt} />
    </>
  );
}

function diagramInWords({ pairs }: Flow, selected: string | null): string {
  if (selected !== null) {
    return `From and into ${selected}.`;
  }
  return pairs.length === 0 ? "" : "The strongest flows between the layers. Click an element to see what it reaches and what feeds it.";
}
