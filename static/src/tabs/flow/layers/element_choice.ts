/** What a click or a drag on the cells of a layer means, where a cell shows one channel of several. */

import { indexOf } from "../../../data/arrays/index_in_shape";
import type { Flow, FlowsOfTrial } from "../../../data/records/flows";
import { boxBetween, type FlowSelection } from "../../../state/tab_options/flow_selection";
import type { Grid } from "./grid";

/** The start and the end of a click or a drag, as the elements that are shown there. */
export interface Dragged {
  from: number;
  to: number;
}

/** The cells of a layer for one sample, and the numbers that they show. */
interface ShownCells {
  flow: Flow;
  layer: number;
  sample: number;
  grid: Grid;
  numbers: Float32Array | null;
}

/** The box between two cells, in the channel of the first. */
export function boxAt(layer: number, shape: readonly number[], grid: Grid, { from, to }: Dragged): FlowSelection {
  return boxBetween(layer, shape, from, atCellOf(grid, shape, to, from), grid.step);
}

/** The element at the cell of one that is in the channel of another. */
export function atCellOf(grid: Grid, shape: readonly number[], element: number, other: number): number {
  const channel = (candidate: number): string => indexOf(candidate, shape).slice(0, -2).join();
  return (
    grid.elementsAt(grid.cellOf(element)).find((candidate) => channel(candidate) === channel(other)) ?? sameChannel(shape, element, other)
  );
}

/** The element at the place of one that is in the channel of another. */
function sameChannel(shape: readonly number[], element: number, other: number): number {
  const plane = shape.slice(-2).reduce((product, size) => product * size, 1);
  return Math.floor(other / plane) * plane + (element % plane);
}

/**
 * The element that is meant by one that is shown: itself where it has flows, or else the strongest one at its cell that has some.
 *
 * `numbers` say which is the strongest. If none has flows, the element itself.
 */
export async function meantBy(
  flows: Pick<FlowsOfTrial, "haveFlows">,
  { flow, layer, sample, grid, numbers }: ShownCells,
  element: number,
): Promise<{ element: number; hasFlows: boolean }> {
  const [hasFlows] = await flows.haveFlows(flow, layer, sample, [element]);
  if (hasFlows) {
    return { element, hasFlows };
  }
  const strength = (candidate: number): number =>
    numbers === null ? 0 : Number.isNaN(numbers[candidate]!) ? Infinity : Math.abs(numbers[candidate]!);
  const others = grid
    .elementsAt(grid.cellOf(element))
    .filter((candidate) => candidate !== element)
    .sort((a, b) => strength(b) - strength(a) || a - b);
  const known = await flows.haveFlows(flow, layer, sample, others);
  const place = known.indexOf(true);
  return place < 0 ? { element, hasFlows: false } : { element: others[place]!, hasFlows: true };
}
