/** Which elements of a layer are selected, as the address has it: a box of places, with a distance along the last two dimensions. */

import { indexOf } from "../../data/arrays/index_in_shape";

/** Places from `first` to `last`, both included, `step` apart. */
export interface Span {
  first: number;
  last: number;
  step: number;
}

export interface FlowSelection {
  /** Position of the layer. */
  layer: number;
  /** One per dimension of the layer. */
  spans: readonly Span[];
}

/** A box may hold this many elements. */
export const MOST_SELECTED = 4096;

/** The box between two elements; along the last two dimensions, only every `step`-th place is in it. */
export function boxBetween(layer: number, shape: readonly number[], from: number, to: number, step = 1): FlowSelection {
  const [a, b] = [indexOf(from, shape), indexOf(to, shape)];
  const spans = a.map((place, axis) => {
    const [first, last] = [Math.min(place, b[axis]!), Math.max(place, b[axis]!)];
    return { first, last, step: axis >= shape.length - 2 && first !== last ? step : 1 };
  });
  return { layer, spans };
}

/** How many elements are selected. */
export function countSelected({ spans }: FlowSelection): number {
  return spans.reduce((product, span) => product * placesOf(span), 1);
}

/** The elements, ascending. */
export function elementsSelected({ spans }: FlowSelection, shape: readonly number[]): number[] {
  let elements = [0];
  spans.forEach(({ first, step, ...span }, axis) => {
    const places = Array.from({ length: placesOf({ first, step, ...span }) }, (_, k) => first + k * step);
    elements = elements.flatMap((element) => places.map((place) => element * shape[axis]! + place));
  });
  return elements;
}

function placesOf({ first, last, step }: Span): number {
  return Math.floor((last - first) / step) + 1;
}

/** `1:0,2-4,5-9/2`: of the layer at position 1. */
export function writeFlowSelection({ layer, spans }: FlowSelection): string {
  const written = spans.map(({ first, last, step }) => `${first}${last === first ? "" : `-${last}${step === 1 ? "" : `/${step}`}`}`);
  return `${layer}:${written.join(",")}`;
}

/** Reads a selection of one of the layers; null where there is none, or where it is none of these layers. */
export function readFlowSelection(text: string | undefined, shapes: readonly (readonly number[])[]): FlowSelection | null {
  const match = /^(\d{1,4}):([\d,/-]*)$/.exec(text ?? "");
  const shape = match === null ? undefined : shapes[Number(match[1])];
  if (match === null || shape === undefined) {
    return null;
  }
  const parts = match[2] === "" ? [] : match[2]!.split(",");
  const spans = parts.map(readSpan);
  const fits =
    spans.length === shape.length &&
    spans.every((span, axis) => span !== null && span.first <= span.last && span.last < shape[axis]! && span.step >= 1);
  const selection = fits ? { layer: Number(match[1]), spans: spans as Span[] } : null;
  return selection !== null && shape.every((size) => size > 0) && countSelected(selection) <= MOST_SELECTED ? selection : null;
}

function readSpan(text: string): Span | null {
  const match = /^(\d{1,10})(?:-(\d{1,10})(?:\/(\d{1,4}))?)?$/.exec(text);
  return match === null ? null : { first: Number(match[1]), last: Number(match[2] ?? match[1]), step: Number(match[3] ?? 1) };
}
