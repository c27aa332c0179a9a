/** Selects elements of a flow's layers: those that a person clicks, or the strongest at their cell that have flows. */

import { useRef, useState } from "preact/hooks";
import type { Flow, FlowsOfTrial } from "../../data/records/flows";
import type { Store } from "../../state/store";
import { boxBetween, countSelected, type FlowSelection, MOST_SELECTED, writeFlowSelection } from "../../state/tab_options/flow_selection";
import { grouped } from "../../ui/text/format";
import type { FlowSettings } from "./flow_settings";
import { insteadRemark } from "./flow_text";
import { atCellOf, boxAt, type Dragged, meantBy } from "./layers/element_choice";
import type { Grid } from "./layers/grid";
import type { Heat } from "./layers/heat";

export interface Selecting {
  /** Why the last box was not selected; null where it was. */
  refused: string | null;
  /** Why another element than the one that was clicked is selected; empty where it is that one. */
  instead: string;
  clear: () => void;
  selectElement: (layer: number, element: number) => void;
  selectDragged: (layer: number, dragged: Dragged, grid: Grid, heat: Heat) => Promise<void>;
}

export function useSelecting(store: Store, flows: FlowsOfTrial, flow: Flow, { options, selectionText }: FlowSettings): Selecting {
  const [refused, setRefused] = useState<string | null>(null);
  const [instead, setInstead] = useState<{ at: string; words: string } | null>(null);
  /** Counts what was selected, so that only the last takes effect. */
  const latest = useRef(0);
  const select = (next: FlowSelection | null, words = ""): void => {
    latest.current += 1;
    const isTooLarge = next !== null && countSelected(next) > MOST_SELECTED;
    setRefused(isTooLarge ? `A box may hold ${grouped(MOST_SELECTED)} elements; this one has ${grouped(countSelected(next))}.` : null);
    if (!isTooLarge) {
      store.setView("flowat", next === null ? null : writeFlowSelection(next));
      setInstead(next === null || words === "" ? null : { at: writeFlowSelection(next), words });
    }
  };
  const selectDragged = async (layer: number, { from, to }: Dragged, grid: Grid, heat: Heat): Promise<void> => {
    const { shape } = flow.layers[layer]!;
    const box = boxAt(layer, shape, grid, { from, to });
    if (grid.elementsAt(grid.cellOf(from)).length < 2) {
      select(box);
      return;
    }
    latest.current += 1;
    const turn = latest.current;
    // A failure to load is shown by what needs the data for its drawing.
    const meant = await meantBy(flows, { flow, layer, sample: options.sample, grid, numbers: heat.numbers }, from).catch(() => ({
      element: from,
      hasFlows: true,
    }));
    if (turn === latest.current) {
      const end = countSelected(box) > 1 ? atCellOf(grid, shape, to, meant.element) : meant.element;
      const next = meant.element === from ? box : boxAt(layer, shape, grid, { from: meant.element, to: end });
      select(next, insteadRemark(flow, layer, from, meant, heat.what));
    }
  };
  return {
    refused,
    instead: instead?.at === selectionText ? instead.words : "",
    clear: () => select(null),
    selectElement: (layer, element) => select(boxBetween(layer, flow.layers[layer]!.shape, element, element)),
    selectDragged,
  };
}
