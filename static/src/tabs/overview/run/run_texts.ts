/** How a run went, in words. The texts leave out what is not known. */

import type { Bundle } from "../../../data/bundle";
import { partsOf, stepInWords } from "../../../data/format/steps";
import type { RunOverview, Trial } from "../../../data/format/types";
import { recordedTypes } from "../../../state/selection/type_order";
import { counted, dateText, grouped } from "../../../ui/text/format";
import { settingsText } from "../../../ui/text/training_text";

/** When it began, and how long it took: `2026-01-02 03:04 UTC, for 1 min 33 s`. */
export function timeText(started: string, seconds: number | null): string {
  const begun = dateText(started);
  return [...(begun === "" ? [] : [begun]), ...(seconds === null ? [] : [`for ${durationText(seconds)}`])].join(", ");
}

/** `0.35 s`, `12 s`, `1 min 33 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(seconds: number): string {
  if (!(seconds >= 0 && seconds < Infinity)) {
    return "an unknown time";
  }
  if (seconds < 10) {
    return `${Number(seconds.toPrecision(2))} s`;
  }
  const whole = Math.round(seconds);
  const [units, sizes] = [
    ["d", "h", "min", "s"],
    [86_400, 3600, 60, 1],
  ];
  const first = sizes.findIndex((size) => whole >= size);
  const [large, small] = [sizes[first]!, sizes[first + 1]];
  const rest = small === undefined ? 0 : Math.floor((whole % large) / small);
  return `${Math.floor(whole / large)} ${units[first]}${rest === 0 ? "" : ` ${rest} ${units[first + 1]}`}`;
}

/** Whether evaluations have numbers among those of the training steps, so that the last number says more than how many trained. */
export function areEvaluationsSteps(bundle: Bundle, trial: Trial): boolean {
  const evaluations = new Set(recordedTypes(bundle, trial).flatMap(({ name, isEvaluation }) => (isEvaluation ? [name] : [])));
  const { step: numbers, type } = trial.steps;
  return numbers.some((number, k) => partsOf(number).evaluation === 0 && evaluations.has(bundle.text(type[k]!)));
}

/**
 * `1,219 trained, 35 recorded, 20 of them in this page`; if nobody counted those that were trained, what is known: up to which step at
 * least. With evaluations among the numbers, `5,700 training steps, numbered together with the evaluations; 96 steps recorded`.
 */
export function stepsText({ trained, recorded }: RunOverview, inPage: number, last: number | null, withEvaluations = false): string {
  const part = inPage < recorded ? `, ${grouped(inPage)} of them in this page` : "";
  if (trained !== null && withEvaluations) {
    return `${counted(trained, "training step")}, numbered together with the evaluations; ${counted(recorded, "step")} recorded${part}`;
  }
  const known =
    trained === null ? (last === null ? null : `trained at least up to ${stepInWords(last, grouped)}`) : `${grouped(trained)} trained`;
  return `${[...(known === null ? [] : [known]), `${grouped(recorded)} recorded`].join(", ")}${part}`;
}

/** `4,801, 320 of them trainable`; empty where there are none. */
export function parametersText({ parameters, trainable }: RunOverview): string {
  return parameters === 0 ? "" : `${grouped(parameters)}${trainable < parameters ? `, ${grouped(trainable)} of them trainable` : ""}`;
}

const KINDS: Readonly<Record<string, string>> = { F: "float", BF: "bfloat", I: "int", U: "uint", C: "complex" };

/** `BF16` as PyTorch calls it. */
export function dtypeName(dtype: string): string {
  const [, kind = "", bits = ""] = /^(F|BF|I|U|C)([0-9]+)$/.exec(dtype) ?? [];
  return kind === "" ? dtype.toLowerCase() : `${KINDS[kind]}${bits}`;
}

/** `cuda, float32 and bfloat16`. */
export function hardwareText({ devices, dtypes }: RunOverview): string {
  return [devices, dtypes.map(dtypeName)]
    .filter((names) => names.length > 0)
    .map((names) => names.join(" and "))
    .join(", ");
}

/** `Adam: lr 0.001, weight_decay 0`. */
export function optimizerText({ name, groups, options }: RunOverview["optimizers"][number]): string {
  const all = `${name}: ${settingsText({ options })}`;
  return groups > 1 ? `${all} (the first of ${counted(groups, "group")})` : all;
}
