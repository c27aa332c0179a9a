/** What the address says besides the selection: how it is shown. Every view reads and writes its own keys, as text. */

/** The keys, in the order of the address. A view that needs another one adds it here. */
export const VIEW_KEYS = [
  /** Which pane shows the values. */
  "pane",
  /** The statistic that the nodes of the graph are coloured by. */
  "color",
  /** In which order the nodes are listed by it. */
  "ranking",
  /** What the graph traces from the selection, and to which node. */
  "trace",
  "to",
  /** Which groups of nodes the graph collapses, and which nodes it leaves out: types, and all names but those with this beginning. */
  "fold",
  "hide",
  "only",
  /** The selection that the shown one is compared with, and how what differs is listed. */
  "pin",
  "lists",
  /** How a picture of values is coloured: its scale, its extent, and the place on the axes that it leaves out. */
  "scale",
  "extent",
  "page",
  /** In which order samples stand side by side, and the values in the table. */
  "samples",
  "order",
  /** How many digits the numbers in the table have. */
  "digits",
  /** Which curves are shown over time. */
  "time",
  /** Tensors whose curves are shown side by side. */
  "pins",
  /** The call of a module that is looked into, what is selected in it, what is not folded there, and whether it is shown over all steps. */
  "module",
  "at",
  "unfold",
  "union",
  /** Modules whose panels stay in sight. */
  "panels",
  /** How these show what there is over time. */
  "history",
  /** The gradient flow that is shown, what is selected in it, which flows are drawn, and how its layers are laid out. */
  "flow",
  "flowat",
  "flows",
  "layers",
  /** Which parts of drawings are in view, by their names. Only notes of a story have them. */
  "zoom",
  /** How the curves of the Graphs tab are drawn, which of them, and the colours of trials. */
  "curves",
] as const;
export type ViewKey = (typeof VIEW_KEYS)[number];

export type ViewOptions = ReadonlyMap<ViewKey, string>;

export const NO_OPTIONS: ViewOptions = new Map();

/** The options with one of them changed; without it where `value` is null. */
export function withOption(options: ViewOptions, key: ViewKey, value: string | null): ViewOptions {
  const changed = new Map(options);
  if (value === null) {
    changed.delete(key);
  } else {
    changed.set(key, value);
  }
  return changed;
}
