/** The part of the address behind `#`: readable, complete, and read without ever throwing. */

import { ONLY_RANK, type Selection } from "../selection/selection";
import { NO_OPTIONS, VIEW_KEYS, type ViewKey, type ViewOptions } from "./view_options";

export const TABS = ["overview", "tensors", "modules", "flow", "network", "notes", "graphs", "visualization", "about"] as const;
export type Tab = (typeof TABS)[number];

/** What an address says; all of it may be missing. */
export interface Link {
  tab?: Tab;
  selection: Partial<Selection>;
  view?: ViewOptions;
  /** Notes, encoded. */
  story?: string;
}

const VERSION = "1";

/** Tabs of earlier versions, and where what they showed is now. */
const FORMER_TABS: ReadonlyMap<string, Tab> = new Map([["findings", "overview"]]);

/** Keys of the address, in order. */
const KEYS: Readonly<Record<keyof Selection, string>> = {
  trial: "trial",
  rank: "rank",
  recording: "rec",
  stepType: "type",
  step: "step",
  iteration: "it",
  node: "node",
  role: "role",
  aggregation: "agg",
};

const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;
/** Also of an evaluation, which is written as `136.000001`. */
const STEP_NUMBER = /^((0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?|-0\.[0-9]{1,6})$/;

/** Writes an address, without `#`. `story` are notes, encoded. */
export function writeLink(
  tab: Tab,
  selection: Partial<Selection> | null,
  view: ViewOptions = NO_OPTIONS,
  story: string | null = null,
): string {
  const parts = [`v=${VERSION}`, `tab=${tab}`];
  if (selection !== null) {
    parts.push(writeSelection(selection));
  }
  for (const key of VIEW_KEYS) {
    const value = view.get(key);
    if (value !== undefined) {
      parts.push(`${key}=${encode(value)}`);
    }
  }
  if (story !== null) {
    parts.push(`story=${story}`);
  }
  return parts.join("&");
}

/** The part of an address that says what is selected. */
export function writeSelection(selection: Partial<Selection>): string {
  const attributes = (Object.keys(KEYS) as (keyof Selection)[]).filter((attribute) => selection[attribute] !== undefined);
  const named = attributes.filter((attribute) => attribute !== "rank" || selection.rank !== ONLY_RANK);
  return named.map((attribute) => `${KEYS[attribute]}=${encode(String(selection[attribute]))}`).join("&");
}

/** A lone half of a character pair cannot be encoded and is replaced, as in a recording. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD"));
}

/** Reads an address with or without `#`. What is not understood is left out; null where there is nothing of ours. */
export function readLink(hash: string): Link | null {
  const values = readPairs(hash.replace(/^#/, ""));
  if (values.get("v") !== VERSION) {
    return null;
  }
  const link: Link = { selection: readSelection(values) };
  const named = values.get("tab") ?? "";
  const tab = FORMER_TABS.get(named) ?? TABS.find((name) => name === named);
  if (tab !== undefined) {
    link.tab = tab;
  }
  const view = new Map(VIEW_KEYS.flatMap((key): [ViewKey, string][] => (values.has(key) ? [[key, values.get(key) ?? ""]] : [])));
  if (view.size > 0) {
    link.view = view;
  }
  const story = values.get("story");
  if (story !== undefined) {
    link.story = story;
  }
  return link;
}

/** Whether a link leaves all of it to the page. */
export function namesNothing({ tab, selection, view }: Link): boolean {
  return tab === undefined && view === undefined && Object.keys(selection).length === 0;
}

/** Whether a link says which tab is open, and leaves the rest to the page. */
export function namesOnlyTab({ tab, selection, view }: Link): boolean {
  return tab !== undefined && view === undefined && Object.keys(selection).length === 0;
}

/** The pairs of `key=value&key=value`, as far as they can be read. */
export function readPairs(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    const value = equals < 0 ? null : decode(part.slice(equals + 1));
    if (value !== null) {
      values.set(part.slice(0, equals), value);
    }
  }
  return values;
}

export function readSelection(values: ReadonlyMap<string, string>): Partial<Selection> {
  const selection: Partial<Selection> = {};
  for (const attribute of ["trial", "rank", "recording", "stepType", "node", "role", "aggregation"] as const) {
    const value = values.get(KEYS[attribute]);
    if (value !== undefined) {
      selection[attribute] = value;
    }
  }
  const iteration = values.get(KEYS.iteration);
  if (iteration !== undefined && WHOLE_NUMBER.test(iteration)) {
    selection.iteration = Number(iteration);
  }
  const step = values.get(KEYS.step);
  if (step !== undefined && STEP_NUMBER.test(step)) {
    selection.step = Number(step);
  }
  return selection;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
