/** What the address says about a gradient flow, and the ways to change it. */

import { useMemo } from "preact/hooks";
import { type Flow, samplesOf } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { type LayerView, readLayerViews, writeLayerViews } from "../../state/tab_options/flow_layers";
import { type FlowOptions, readFlowOptions, writeFlowOptions } from "../../state/tab_options/flow_options";
import { elementsSelected, type FlowSelection, readFlowSelection } from "../../state/tab_options/flow_selection";

const NONE: readonly number[] = [];

export interface FlowSettings {
  options: FlowOptions;
  selection: FlowSelection | null;
  /** The selection as it stands in the address. */
  selectionText: string;
  /** The selected elements of the layer of the selection. */
  elements: readonly number[];
  views: readonly LayerView[];
  change: (changed: Partial<FlowOptions>) => void;
  changeView: (layer: number, changed: Partial<LayerView>) => void;
}

export function useFlowSettings(store: Store, flow: Flow): FlowSettings {
  const address = store.view.value;
  const [optionsText, selectionText, layersText] = [address.get("flows"), address.get("flowat"), address.get("layers")];
  const shapes = useMemo(() => flow.layers.map((layer) => layer.shape), [flow]);
  const options = useMemo(() => within(readFlowOptions(optionsText), flow), [optionsText, flow]);
  const selection = useMemo(() => readFlowSelection(selectionText, shapes), [selectionText, shapes]);
  const elements = useMemo(() => (selection === null ? NONE : elementsSelected(selection, shapes[selection.layer]!)), [selection, shapes]);
  const views = useMemo(() => readLayerViews(layersText, shapes), [layersText, shapes]);
  return {
    options,
    selection,
    selectionText: selectionText ?? "",
    elements,
    views,
    change: (changed) => store.setView("flows", writeFlowOptions({ ...options, ...changed })),
    changeView: (layer, changed) => {
      const next = views.map((view, k) => (k === layer ? { ...view, ...changed } : view));
      store.setView("layers", writeLayerViews(next, shapes));
    },
  };
}

/** A sample that the flow does not have is its first. */
function within(options: FlowOptions, flow: Flow): FlowOptions {
  return options.sample < samplesOf(flow) ? options : { ...options, sample: 0 };
}
