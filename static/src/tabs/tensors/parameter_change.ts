/** The numbers that a step has about a parameter: what it was before, and how it changed. */

import type { Bundle, StepContent } from "../../data/bundle";
import type { Network, StepFacts } from "../../data/format/types";
import { brief, grouped } from "../../ui/text/format";
import { placeOfParameter } from "../../ui/text/training_text";

/** Euclidean norms; undefined while they are not loaded. */
export interface ParameterChange {
  norm: number | undefined;
  updateNorm: number | undefined;
  /** How far the gradient is from what the backward passes of this step added up to; NaN where that is not known. */
  leftOver: number | undefined;
  /** From how many elements, of how many, both norms were estimated, and the relative error of that of the update; null: from all. */
  estimate: { elements: number; of: number; error: number | null } | null;
}

/** Looks up a parameter, and asks for its numbers where they are not loaded; null where the step has none about it. */
export function parameterChange(
  bundle: Bundle,
  { numbers }: StepContent,
  network: Network,
  facts: StepFacts,
  name: string,
): ParameterChange | null {
  const place = placeOfParameter(network, name);
  const list = bundle.parameterList(facts.parameter_list);
  if (place === null || list.state !== "ready" || list.value === null) {
    return null;
  }
  const { parameter, estimated } = list.value;
  const all = numbers.parameters;
  const k = [parameter.indexOf(place.position), parameter.indexOf(place.shared)].find((row) => row >= 0);
  if (k === undefined || all.length !== 3 * parameter.length) {
    return null;
  }
  const places = [k, parameter.length + k, 2 * parameter.length + k];
  bundle.chunks.request(places.flatMap((number) => all.chunks(number, number + 1)));
  const [norm, updateNorm, leftOver] = places.map((number) => {
    const value = all.at(number);
    return value === undefined ? undefined : Number(value);
  });
  const row = estimated.parameter.indexOf(parameter[k]!);
  const of = network.parameters[place.position]!.shape.reduce((product, size) => product * size, 1);
  const estimate = row < 0 ? null : { elements: estimated.elements[row]!, of, error: estimated.error[row]! };
  return { norm, updateNorm, leftOver, estimate };
}

/** How the norms were estimated, in words. */
export function estimateSentence({ estimate, updateNorm }: ParameterChange): string {
  if (estimate === null) {
    return "";
  }
  const { elements, of, error } = estimate;
  const sentence = `Both norms are estimated from ${grouped(elements)} of ${grouped(of)} elements.`;
  if (updateNorm === 0) {
    return `${sentence} None of these has changed; others may have.`;
  }
  return error === null ? sentence : `${sentence} The error of the update is about ${brief(100 * error)} %.`;
}
