/** The place that a note points at, as a form holds it. */

import type { StoryNote } from "../../data/format/story";
import type { Store } from "../../state/store";
import type { Choice } from "../../ui/controls/select";

export type PointKind = "none" | "node" | "cell" | "curve";

export interface PointTexts {
  kind: PointKind;
  /** A name, or an index. */
  name: string;
  step: string;
}

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
    const name = kind === "node" ? (store?.selection.peek().node ?? "") : "";
    return { kind, name, step: kind === "curve" ? String(store?.selection.peek().step ?? "") : "" };
  }
  return "node" in point
    ? { kind: "node", name: point.node, step: "" }
    : "cell" in point
      ? { kind: "cell", name: point.cell.join(", "), step: "" }
      : { kind: "curve", name: point.curve, step: String(point.step) };
}

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
  return name === "" || step.trim() === "" || !(Math.abs(Number(step)) < 2 ** 53) ? undefined : { curve: name, step: Number(step) };
}
