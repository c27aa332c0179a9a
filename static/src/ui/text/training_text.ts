/** What is known of a step, its gradients and its parameters, in words. */

import type { GradientFacts, Network, OptimizerGroup, Setting, Shard, StepFacts } from "../../data/format/types";
import { brief, counted } from "./format";

/** `Adam 0.001; SGD 0.1, 0.01`: per optimizer the learning rate of every group, once where all are equal. */
export function learningRatesText(rates: readonly (readonly number[])[], network: Network | null): string {
  const texts = rates.map((ofGroups, k) => {
    const name = network?.optimizers?.[k]?.name ?? (rates.length > 1 ? `optimizer ${k + 1}` : "");
    const distinct = new Set(ofGroups).size === 1 ? ofGroups.slice(0, 1) : ofGroups;
    return `${name} ${distinct.map(brief).join(", ")}`.trim();
  });
  return texts.join("; ");
}

/** The factors by which losses of the step had been multiplied, each once. */
export function lossScales(facts: StepFacts): string {
  const scales = facts.gradients.map((gradients) => gradients.loss_scale).filter((scale) => scale !== null);
  return [...new Set(scales)].map(brief).join(", ");
}

/** Operations that scale or cut, as gradient clipping does. */
const CLIPPING = /mul|clamp|clip/;

/** Sentences about the gradients of a group; some are only about those of parameters. */
export function gradientSentences(facts: GradientFacts, isParameter: boolean): string[] {
  const { backward_passes: passes, loss_scale: scale, changed_in_place_by: changes, averaged_over_ranks: averaged } = facts;
  const sentences: string[] = [];
  if (passes !== null) {
    sentences.push(
      passes === 0
        ? "No backward pass of this step came before it."
        : passes === 1
          ? "From one backward pass."
          : `Sum of ${counted(passes, "backward pass", "backward passes")} of this step.`,
    );
  }
  if (scale !== null) {
    sentences.push(`The loss scale of ${brief(scale)} is divided out.`);
  }
  if (isParameter && averaged !== null) {
    sentences.push(averaged ? "Averaged over the ranks." : "From this rank alone, not averaged over the ranks.");
  }
  if (isParameter && changes !== null) {
    const as = changes.some((name) => CLIPPING.test(name)) ? " (as clipping does)" : "";
    sentences.push(
      changes.length === 0
        ? "Not changed between the backward pass and the recording."
        : `Changed in place after the backward pass by: ${changes.join(", ")}${as}.`,
    );
  }
  return sentences;
}

/** `part 1 of 4 of [20, 5]`. */
export function shardText({ shape, index, count }: Shard): string {
  return `part ${index + 1} of ${count} of [${shape.join(", ")}]`;
}

/** Position of a parameter in the network, and of the one that it shares its values with, or of itself. */
interface ParameterPlace {
  position: number;
  shared: number;
}

/** Where a parameter is by its name; null where the network has none of this name. */
export function placeOfParameter(network: Network, name: string): ParameterPlace | null {
  const position = network.parameters.findIndex((parameter) => parameter.name === name);
  const original = network.parameters[position]?.alias_of ?? null;
  const shared = original === null ? position : network.parameters.findIndex((parameter) => parameter.name === original);
  return position < 0 ? null : { position, shared: shared < 0 ? position : shared };
}

/** Whether a parameter of this name is known to be held by no optimizer. */
export function isOutsideOptimizers(network: Network, name: string): boolean {
  const place = placeOfParameter(network, name);
  return (
    network.optimizers !== null && place !== null && !network.optimizers.some(({ groups }) => groups.some((group) => holds(group, place)))
  );
}

function holds({ parameters }: OptimizerGroup, { position, shared }: ParameterPlace): boolean {
  return parameters.includes(position) || parameters.includes(shared);
}

/** Sentences about a parameter that do not depend on its numbers. */
export function parameterSentences(network: Network, place: ParameterPlace, rates: readonly (readonly number[])[] | null): string[] {
  const parameter = network.parameters[place.position];
  const sentences: string[] = [];
  const others = network.parameters.filter(
    (other) => other !== parameter && (other.alias_of === parameter?.name || other.name === parameter?.alias_of),
  );
  if (others.length > 0) {
    sentences.push(`The same tensor as ${others.map((other) => `\u201c${other.name}\u201d`).join(", ")}.`);
  }
  if (parameter?.requires_grad === false) {
    sentences.push("Frozen: it requires no gradient.");
  }
  if (network.optimizers !== null) {
    const holders = network.optimizers.flatMap((optimizer, k) =>
      optimizer.groups.flatMap((group, number) => {
        const groups = optimizer.groups.length > 1 ? `, group ${number + 1} of ${optimizer.groups.length}` : "";
        return holds(group, place) ? [`Held by ${optimizer.name}${groups}: ${settingsText(group, rates?.[k]?.[number])}.`] : [];
      }),
    );
    sentences.push(...(holders.length > 0 ? holders : ["No tracked optimizer holds it."]));
  }
  return sentences;
}

/** The settings of a group that say something: `lr 0.001, weight_decay 0`; the learning rate is that of the step where it is known. */
export function settingsText(group: Pick<OptimizerGroup, "options">, learningRate?: number): string {
  const options = Object.entries(group.options).filter(
    ([name, value]) => value !== null && value !== false && (name !== "lr" || learningRate === undefined),
  );
  const texts = options.map(([name, value]) => (value === true ? name : `${name} ${typeof value === "number" ? brief(value) : value}`));
  const all = learningRate === undefined ? texts : [`learning rate ${brief(learningRate)} on this step`, ...texts];
  return all.length === 0 ? "no settings known" : all.join(", ");
}

/** A value as Python writes it, numbers with few digits. */
export function settingText(value: Setting): string {
  const words = new Map<Setting, string>([
    [null, "None"],
    [true, "True"],
    [false, "False"],
  ]);
  return words.get(value) ?? (typeof value === "number" ? brief(value) : String(value));
}
