/** The place that a note points at, as a form holds it. */

import { isSurelyStep, readStep, stepLabel } from "../../data/format/steps";
import type { StoryNote } from "../../data/format/story";
import type { Store } from "../../state/store";
import type { PointKind, PointTexts } from "../../state/story/story";
import { shownValues } from "../../tabs/tensors/selected_values";
import type { Choice } from "../../ui/controls/select";
import { placeOfIndex } from "../../ui/text/format";

/** What can be pointed at on the tab that is shown, and what is pointed at already. */
export function pointChoices(store: Store, current: PointKind): Choice[] {
  const tab = store.tab.value;
  const choices: (Choice & readonly [PointKind, string])[] = [
    ["none", "nothing"],
    ...(tab === "tensors" || current === "node" ? [["node", "a node of the graph"] as const] : []),
    ...(tab === "tensors" || current === "cell" ? [["cell", "a cell of the values"] as const] : []),
    ...(tab === "graphs" || current === "curve" ? [["curve", "a place in a curve"] as const] : []),
  ];
  return choices;
}

/** A point, or a new one of a kind, which begins at what is selected. */
export function pointTexts(point: StoryNote["point"], kind: PointKind = "none", store?: Store): PointTexts {
  if (point === null) {
    const name = kind === "node" ? (store?.selection.peek().node ?? "") : kind === "curve" ? (curveNames(store)[0] ?? "") : "";
    return { kind, name, step: kind === "curve" && store !== undefined ? writeTime(store.selection.peek().step) : "" };
  }
  return "node" in point
    ? { kind: "node", name: point.node, step: "" }
    : "cell" in point
      ? { kind: "cell", name: point.cell.join(", "), step: "" }
      : { kind: "curve", name: point.curve, step: writeTime(point.step) };
}

/** The names of the curves of the trial that is shown, as far as they are loaded. */
export function curveNames(store: Store | undefined): string[] {
  const trial = store?.trial.peek();
  const curves = trial && store?.bundle.curves(trial);
  return curves?.state === "ready" ? [...new Set(curves.value.map(({ name }) => name))] : [];
}

/** A place on a curve as it is written in a form: as a step where it surely is one, else with all digits. */
const writeTime = (time: number): string => (isSurelyStep(time) ? stepLabel(time) : String(time));

/** NaN where it is none. */
const readTime = (text: string): number => readStep(text) ?? (text.trim() === "" ? NaN : Number(text));

/** Undefined where something is missing. */
export function pointOf({ kind, name, step }: PointTexts): StoryNote["point"] | undefined {
  const cell = name.split(/[\s,;]+/).filter((part) => part !== "");
  if (kind === "none") {
    return null;
  }
  if (kind === "node") {
    return name === "" ? undefined : { node: name };
  }
  if (kind === "cell") {
    return cell.length > 0 && cell.length <= 32 && cell.every((part) => /^\d{1,15}$/.test(part)) ? { cell: cell.map(Number) } : undefined;
  }
  const time = readTime(step);
  return name === "" || !(Math.abs(time) < 2 ** 53) ? undefined : { curve: name, step: time };
}

/** What is wrong with a point in the view that is shown, as a sentence; empty where nothing is, or where it is not known. */
export function wrongPoint(store: Store, point: StoryNote["point"]): string {
  const [shown, record] = [store.shown.peek(), store.record.peek()];
  const open = shown?.open;
  if (point === null || !shown || !open) {
    return "";
  }
  if ("node" in point) {
    const isThere = open.graphs[shown.selection.iteration]?.nodes.name.includes(point.node) ?? true;
    return isThere ? "" : "The graph on display has no node with this name.";
  }
  if ("curve" in point) {
    const names = curveNames(store);
    return names.length === 0 || names.includes(point.curve) ? "" : "There is no curve with this name.";
  }
  const shape = record === undefined ? [] : shownValues({ store, shown, open, record }).shape;
  const isThere = record === undefined || placeOfIndex(point.cell.join(), shape) !== null;
  return isThere ? "" : `An index of the values that are shown is ${shape.map((size) => `0\u2013${Math.max(0, size - 1)}`).join(", ")}.`;
}
