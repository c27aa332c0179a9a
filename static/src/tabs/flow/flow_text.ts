/** Flows in words: elements, sums, methods. */

import type { Flow } from "../../data/records/flows";
import type { FlowSelection } from "../../state/tab_options/flow_selection";
import { countSelected } from "../../state/tab_options/flow_selection";
import { brief, counted, grouped, indexText } from "../../ui/text/format";
import type { Bundled } from "./follow";
import type { LayerNumbers } from "./layers/heat";
import type { Ribbon, Sankey, SankeyNode } from "./sankey/sankey";

const MINUS = "\u2212";

/** With its sign, which does not depend on colours. */
export function signed(value: number): string {
  return withSign(Number.isFinite(value) ? value : 0, brief(value).replace(/^-/, MINUS));
}

const MOST_DIGITS = 9;

/** A float32 with its sign and as few digits as tell it from all others. */
export function signedExactly(value: number): string {
  for (let digits = 1; Number.isFinite(value) && digits < MOST_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) {
      return withSign(value, String(short));
    }
  }
  return Number.isFinite(value) ? withSign(value, String(value)) : signed(value);
}

function withSign(value: number, text: string): string {
  return `${value > 0 ? "+" : ""}${text.replace(/^-/, MINUS)}`;
}

/** `conv1 [3, 0, 7]`. */
export function elementName({ layers }: Flow, layer: number, element: number): string {
  const { name, shape } = layers[layer]!;
  return shape.length === 0 ? name : `${name} [${indexText(element, shape)}]`;
}

/** `conv1 [3, 0-4, 7]`. */
export function selectionName({ layers }: Flow, selection: FlowSelection): string {
  const spans = selection.spans.map(({ first, last, step }) =>
    first === last ? String(first) : `${first}\u2013${last}${step === 1 ? "" : ` every ${step}`}`,
  );
  const count = countSelected(selection);
  const box = spans.length === 0 ? "" : ` [${spans.join(", ")}]`;
  return `${layers[selection.layer]!.name}${box}${count === 1 ? "" : ` (${counted(count, "element")})`}`;
}

/** That a box lies in one channel; empty where it does not need to be said. */
export function boxRemark({ layers }: Flow, { layer, spans }: FlowSelection): string {
  const { shape } = layers[layer]!;
  const leading = spans.slice(0, -2);
  const isBox = countSelected({ layer, spans }) > 1 && leading.every(({ first, last }) => first === last);
  const places = leading.flatMap(({ first }, axis) =>
    shape[axis] === 1 ? [] : [shape.length === 3 ? `channel ${first}` : `position ${first} of dimension ${axis}`],
  );
  return isBox && places.length > 0 ? `The box lies in ${places.join(" and ")}, and in no other.` : "";
}

/** Why another element of a cell is selected than the one shown, or that none there has flows. Empty if the first has some. */
export function insteadRemark(
  flow: Flow,
  layer: number,
  shown: number,
  meant: { element: number; hasFlows: boolean },
  what: string,
): string {
  if (!meant.hasFlows) {
    return "No flow enters or leaves any channel at this cell.";
  }
  if (meant.element === shown) {
    return "";
  }
  const strongest = indexText(meant.element, flow.layers[layer]!.shape);
  const clicked = elementName(flow, layer, shown);
  return `${clicked}, which has the strongest ${what} here, has no flows. [${strongest}] is the strongest that has some.`;
}

/** `1,234 flows, sum +0.3 / -0.2`, or `0 flows`. */
export function sumsInWords({ count, positive, negative, nonFinite }: Bundled, what = "flow"): string {
  if (count === 0) {
    return counted(0, what);
  }
  const special = nonFinite === 0 ? "" : `, ${grouped(nonFinite)} of them NaN or infinite`;
  return `${counted(count, what)}, sum ${signed(positive)} / ${negative === 0 ? `${MINUS}0` : signed(negative)}${special}`;
}

export function ribbonInWords(flow: Flow, { nodes }: Sankey, ribbon: Ribbon): string {
  const [source, target] = [nodes[ribbon.source]!, nodes[ribbon.target]!];
  const [from, to] = [nodeName(flow, source), nodeName(flow, target)];
  if (ribbon.kind === "residual") {
    return `${from}: ${signedExactly(ribbon.flow)} of its gradient is not in its flows into ${flow.layers[target.layer]!.name}`;
  }
  return ribbon.bundled === null
    ? `${from} \u2192 ${to}: ${signedExactly(ribbon.flow)}`
    : `${from} \u2192 ${to}: ${sumsInWords(ribbon.bundled, "other flow")}`;
}

export function nodeName(flow: Flow, { kind, layer, element }: SankeyNode): string {
  const { name } = flow.layers[layer]!;
  return kind === "element"
    ? elementName(flow, layer, element)
    : kind === "residual"
      ? `residual of what flows into ${name}`
      : `others of ${name}`;
}

/** What residuals are, where the flow has some: no sentence or one. */
export function residualInWords({ pairs, samples, method }: Flow): string[] {
  if (!pairs.some(({ hasResiduals }) => hasResiduals)) {
    return [];
  }
  const ways = [
    "on paths around that layer",
    ...(samples.length === 0 ? [] : ["through other samples of the batch"]),
    ...(pairs.every(({ allComputed }) => allComputed) ? [] : ["through elements into which flows were not computed"]),
  ];
  const how = method === "exact" ? `. It comes ${[...ways.slice(0, -2), ways.slice(-2).join(" or ")].join(", ")}, or is rounding` : "";
  return [`Residual: the part of an element\u2019s gradient that its flows into the next layer do not carry${how}.`];
}

/** How the flows were found, in words; what a later version may write is shown as it is. */
export function methodInWords(method: string): string {
  const known: Readonly<Record<string, string>> = {
    exact: "Exact: how much of the gradient of each source comes through each target.",
    given: "The script supplied these flows.",
    chain_rule_estimate: "An estimate that satisfies the chain rule, not the true flow.",
    vnittest_estimate: "An estimate by vnittest\u2019s formula, which does not satisfy the chain rule. It is not the true flow.",
    vnittest_neighbours:
      "As vnittest draws them: a flow of 1 from each channel of a cell, where its gradient is not zero, to one of its nine neighbours.",
  };
  return Object.hasOwn(known, method) ? known[method]! : `Method: ${method}.`;
}

/** What is known of an element; null and undefined: not known. */
interface KnownOfElement extends Partial<LayerNumbers> {
  flow: Float32Array | null | undefined;
  computed: Int32Array | null | undefined;
}

export function elementInWords(flow: Flow, layer: number, element: number, known: KnownOfElement): string {
  const part = (name: string, array: Float32Array | null | undefined): string[] =>
    array === null || array === undefined ? [] : [`${name} ${signedExactly(array[element]!)}`];
  const parts = [
    ...part("gradient", known.gradients),
    ...part("activation", known.values),
    ...part("flow", known.flow),
    ...(known.computed?.[element] === 0 ? ["flows into it were not computed"] : []),
  ];
  return `${elementName(flow, layer, element)}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}
