/** A gradient flow: its diagram and its layers, which show and select the same. */

import { useMemo, useRef, useState } from "preact/hooks";
import { type Flow, type FlowsOfTrial, samplesOf } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { type LayerView, readLayerViews, writeLayerViews } from "../../state/tab_options/flow_layers";
import { type FlowOptions, readFlowOptions, writeFlowOptions } from "../../state/tab_options/flow_options";
import {
  boxBetween,
  countSelected,
  elementsSelected,
  type FlowSelection,
  MOST_SELECTED,
  readFlowSelection,
  writeFlowSelection,
} from "../../state/tab_options/flow_selection";
import { Failure } from "../../ui/notices/failure";
import { grouped } from "../../ui/text/format";
import { NOTHING_REACHED, reachedFrom } from "./computed_elements";
import { FlowFigure } from "./flow_figure";
import { boxRemark, elementName, insteadRemark, methodInWords, residualInWords, selectionName, signedExactly } from "./flow_text";
import { follow } from "./follow";
import { loadComputed, loadNumbers } from "./layer_numbers";
import { atCellOf, boxAt, type Dragged, meantBy } from "./layers/element_choice";
import { type Grid, originOf } from "./layers/grid";
import { type Heat, heatOf, type LayerNumbers } from "./layers/heat";
import { LayerCard } from "./layers/layer_card";
import { LinksList } from "./links_list";
import { hasFlows, type Pointed, SankeyView } from "./sankey/sankey_view";
import { shortNames } from "./sankey/short_names";
import { FlowSummary } from "./summary";
import { FlowToolbar } from "./toolbar";
import { useAsync } from "./use_async";

/** What fits into a line above the cells of a layer. */
const LONGEST_NAME = 28;

const NONE: readonly number[] = [];
const NOT_LOADED: LayerNumbers = { values: undefined, gradients: undefined };
const NO_ELEMENTS: ReadonlySet<number> = new Set();

interface Props {
  store: Store;
  flows: FlowsOfTrial;
  /** Those of the step. */
  here: readonly Flow[];
  flow: Flow;
}

export function FlowAtStep({ store, flows, here, flow }: Props) {
  const view = store.view.value;
  const [optionsText, selectionText, layersText] = [view.get("flows"), view.get("flowat"), view.get("layers")];
  const shapes = useMemo(() => flow.layers.map((layer) => layer.shape), [flow]);
  const names = useMemo(
    () =>
      shortNames(
        flow.layers.map(({ name }) => name),
        LONGEST_NAME,
      ),
    [flow],
  );
  const options = useMemo(() => within(readFlowOptions(optionsText), flow), [optionsText, flow]);
  const selection = useMemo(() => readFlowSelection(selectionText, shapes), [selectionText, shapes]);
  const elements = useMemo(() => (selection === null ? NONE : elementsSelected(selection, shapes[selection.layer]!)), [selection, shapes]);
  const views = useMemo(() => readLayerViews(layersText, shapes), [layersText, shapes]);
  const origin = useMemo(() => originOf(views), [views]);
  const [said, setSaid] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  /** Why another element than the one that was clicked is selected, as long as it is. */
  const [instead, setInstead] = useState<{ at: string; words: string } | null>(null);
  /** Counts what was selected, so that only the last takes effect. */
  const latest = useRef(0);
  const [lastPointed, setPointed] = useState<(Pointed & { flow: Flow }) | null>(null);
  // What was pointed at in another flow may not be there in this one.
  const pointed = lastPointed?.flow === flow ? lastPointed : null;
  const pointedAlone = useMemo(() => new Set(pointed === null ? [] : [pointed.element]), [pointed]);

  const start = useMemo(() => (selection === null ? null : { layer: selection.layer, elements }), [selection, elements]);
  const { sample, coloring } = options;
  // How the layers are coloured changes nothing about what is followed.
  const followedInputs = [flow, sample, options.threshold, options.sign, options.strongest, start];
  const followed = useAsync(store, async () => ({ ...(await follow(flows, flow, options, start)), flow, start }), followedInputs);
  const numbers = useAsync(store, async () => ({ flow, layers: await loadNumbers(flows, flow, sample, coloring) }), [
    flow,
    sample,
    coloring === "values",
  ]);
  const computed = useAsync(store, async () => ({ flow, layers: await loadComputed(flows, flow, sample) }), [flow, sample]);
  const from = pointed !== null ? { layer: pointed.layer, elements: [pointed.element] } : coloring === "flow" ? null : start;
  const reached = useAsync(store, async () => (from === null ? NOTHING_REACHED : reachedFrom(flows, flow, options, from)), [
    flow,
    sample,
    options.threshold,
    options.sign,
    pointed?.layer,
    pointed?.element,
    start,
    coloring === "flow",
  ]);

  const select = (next: FlowSelection | null, words = ""): void => {
    latest.current += 1;
    const isTooLarge = next !== null && countSelected(next) > MOST_SELECTED;
    setRefused(isTooLarge ? `A box may hold ${grouped(MOST_SELECTED)} elements, and this one has ${grouped(countSelected(next))}.` : null);
    if (!isTooLarge) {
      store.setView("flowat", next === null ? null : writeFlowSelection(next));
      setInstead(next === null || words === "" ? null : { at: writeFlowSelection(next), words });
    }
  };
  const selectElement = (layer: number, element: number): void => select(boxBetween(layer, shapes[layer]!, element, element));
  const selectDragged = async (layer: number, { from, to }: Dragged, grid: Grid, heat: Heat): Promise<void> => {
    const shape = shapes[layer]!;
    const box = boxAt(layer, shape, grid, { from, to });
    if (grid.elementsAt(grid.cellOf(from)).length < 2) {
      select(box);
      return;
    }
    latest.current += 1;
    const turn = latest.current;
    // What cannot be loaded is said where it is needed to be drawn.
    const meant = await meantBy(flows, flow, layer, sample, grid, heat.numbers, from).catch(() => ({ element: from, hasFlows: true }));
    if (turn === latest.current) {
      const isBox = countSelected(box) > 1;
      const next =
        meant.element === from
          ? box
          : boxAt(layer, shape, grid, { from: meant.element, to: isBox ? atCellOf(grid, shape, to, meant.element) : meant.element });
      select(next, insteadRemark(flow, layer, from, meant, heat.what));
    }
  };
  const change = (changed: Partial<FlowOptions>): void => store.setView("flows", writeFlowOptions({ ...options, ...changed }));
  const changeView = (layer: number, changed: Partial<LayerView>): void =>
    store.setView(
      "layers",
      writeLayerViews(
        views.map((one, k) => (k === layer ? { ...one, ...changed } : one)),
        shapes,
      ),
    );

  // What was worked out of another flow does not fit these layers.
  const shown = followed.value?.flow === flow ? followed.value : undefined;
  const selected = useMemo(
    () => (shown?.start ? { layer: shown.start.layer, elements: new Set(shown.start.elements) } : null),
    [shown?.start],
  );
  const failed = [followed, numbers, computed, reached].find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) {
    return <Failure store={store} error={failed.error} what="the gradient flow" />;
  }
  const known = numbers.value?.flow === flow ? numbers.value.layers : undefined;
  const masks = computed.value?.flow === flow ? computed.value.layers : undefined;
  const explained = residualInWords(flow);
  const largest = Math.max(0, ...flow.pairs.map((pair) => pair.sums[sample]!.largest));
  const between = selection === null ? "" : selectionName(flow, selection);
  const pointAt = (layer: number, element: number | null): void => {
    setPointed(element === null ? null : { layer, element, flow });
    setSaid(
      element === null
        ? null
        : inWords(
            flow,
            layer,
            element,
            known?.[layer],
            shown?.start === start ? (shown?.heat[layer] ?? null) : null,
            masks?.[layer] ?? null,
          ),
    );
  };
  return (
    <>
      <FlowToolbar
        flows={here}
        flow={flow}
        options={options}
        largest={largest}
        hasSelection={selection !== null}
        onFlow={(name) => store.setView("flow", name === here[0]?.name ? null : name)}
        onChange={change}
        onClear={() => select(null)}
      />
      <p class="flow-method soft" data-testid="flow-method">
        {methodInWords(flow.method)}
      </p>
      <div class="flow-diagram-bar">
        <p class="flow-said" role="status" data-testid="flow-said">
          {refused ??
            said ??
            (selection !== null
              ? `From and into ${between}.`
              : flow.pairs.length === 0
                ? ""
                : "The strongest flows between the layers. Click an element to see what it reaches and what feeds it.")}
        </p>
        {shown !== undefined && hasFlows(shown) && (
          <FlowFigure store={store} flow={flow} followed={shown} options={options} selection={selection} elements={elements} />
        )}
      </div>
      {flow.pairs.length > 0 && shown !== undefined && (
        <>
          <SankeyView
            flow={flow}
            followed={shown}
            selected={selected}
            onSay={setSaid}
            onPoint={(next) => setPointed(next === null ? null : { ...next, flow })}
            onSelect={selectElement}
            onClear={() => select(null)}
          />
          <p class="flow-key soft" aria-hidden="true">
            <span class="flow-key-positive">above zero</span> <span class="flow-key-negative">below zero</span>{" "}
            <span class="flow-key-rest">other flows, together</span>
            {explained.length > 0 && (
              <>
                {" "}
                <span class="flow-key-residual">residual</span>
              </>
            )}
          </p>
          {explained.map((sentence) => (
            <p class="flow-key soft" key={sentence} data-testid="flow-residual">
              {sentence}
            </p>
          ))}
          {selection !== null && (
            <FlowSummary flow={flow} followed={shown} selection={selection} elements={elements} numbers={known?.[selection.layer]} />
          )}
          <LinksList flow={flow} followed={shown} onSelect={selectElement} />
        </>
      )}
      <ul
        class="flow-layers"
        data-testid="flow-layers"
        data-state={followed.isOld || numbers.isOld ? "waiting" : "ready"}
        data-selected={selectionText ?? ""}
      >
        {flow.layers.map((_, layer) => (
          <LayerCard
            key={layer}
            flow={flow}
            layer={layer}
            shortName={names[layer]!}
            view={views[layer]!}
            origin={origin}
            heat={heatOf(coloring, known?.[layer] ?? NOT_LOADED, shown?.heat[layer] ?? null)}
            selected={selection?.layer === layer ? elements : NONE}
            reached={layer === pointed?.layer ? pointedAlone : (reached.value?.get(layer) ?? NO_ELEMENTS)}
            computed={masks?.[layer] ?? null}
            between={`flow ${selection !== null && layer > selection.layer ? "from" : "into"} ${between}`}
            remark={
              selection?.layer !== layer
                ? ""
                : [boxRemark(flow, selection), instead !== null && instead.at === selectionText ? instead.words : ""]
                    .filter((words) => words !== "")
                    .join(" ")
            }
            onPoint={(element) => pointAt(layer, element)}
            onDrag={(dragged, grid, heat) => void (dragged === null ? select(null) : selectDragged(layer, dragged, grid, heat))}
            onElement={(element) => selectElement(layer, element)}
            onView={(changed) => changeView(layer, changed)}
          />
        ))}
      </ul>
    </>
  );
}

/** A sample that the flow does not have is its first. */
function within(options: FlowOptions, flow: Flow): FlowOptions {
  return options.sample < samplesOf(flow) ? options : { ...options, sample: 0 };
}

/** All that is known of an element. */
function inWords(
  flow: Flow,
  layer: number,
  element: number,
  numbers: LayerNumbers | undefined,
  heat: Float32Array | null,
  computed: Int32Array | null,
): string {
  const part = (name: string, array: Float32Array | null | undefined): string[] =>
    array === null || array === undefined ? [] : [`${name} ${signedExactly(array[element]!)}`];
  const parts = [
    ...part("gradient", numbers?.gradients),
    ...part("activation", numbers?.values),
    ...part("flow", heat),
    ...(computed?.[element] === 0 ? ["flows into it were not computed"] : []),
  ];
  return `${elementName(flow, layer, element)}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}
