/** What the tab shows: the calls of the iteration, the call that is looked into, and its level. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Calls, Graph, Layout, Network, Trial } from "../../../data/format/types";
import { type Badge, sortedBadges } from "../../../state/badges/badges";
import { notKnownInWords } from "../../../state/badges/not_known";
import { badgeOf, badgesByModule, tensorBadges } from "../../../state/badges/step_badges";
import { findingsOf } from "../../../state/findings/found";
import type { OpenStep } from "../../../state/selection/open_step";
import { countedSteps } from "../../../state/selection/options";
import type { Shown, Store } from "../../../state/store";
import { wantedModule } from "../../../state/tab_options/module_place";
import { type Flow, flowOf, OUTERMOST, type Port } from "./call_graph";
import { type ShownLevel, shownLevel, withBadges } from "./displayed_level";
import { callKey, rowOf } from "./keys";
import { type LevelNode, levelOf } from "./level";
import { StepsUnion, type UnionResult } from "./union_steps";

/** What is known before anything is drawn. */
export interface Material {
  trial: Trial;
  shown: Shown;
  open: OpenStep;
  network: Network;
  /** Null where no calls were seen in the iteration. */
  calls: Calls | null;
  graph: Graph | null;
}

export interface Scene {
  material: Material;
  layout: Layout;
  /** Null where no calls were seen in the iteration. */
  flow: Flow | null;
  /** The key of the open call; empty: outside all. */
  openKey: string;
  /** The key of the node that is selected; empty: none. */
  at: string;
  /** Its row, `OUTERMOST`, or null where it was not made in this iteration. */
  row: number | null;
  level: ShownLevel | null;
  /** The nodes of the level in this iteration. */
  nodes: readonly LevelNode[];
  /** Why not all is known that a tensor was computed from, by its position in the graph. */
  notKnown: ReadonlyMap<number, string>;
  /** How far the union is, where it is wanted. */
  union: UnionResult | null;
}

export const UNION = "1";

export function useScene(store: Store, material: Material): Scene {
  const { trial, shown, open, network, calls, graph } = material;
  const { layout } = open.content;
  const { iteration, stepType } = shown.selection;
  const flow = useMemo(
    () => (calls === null ? null : flowOf(calls, graph, layout, network, iteration)),
    [calls, graph, layout, network, iteration],
  );
  const view = store.view.value;
  const isUnion = view.get("union") === UNION;
  const wanted = view.get("module");
  const first = useMemo(() => firstOpen(network, flow), [network, flow]);
  const place = useMemo(() => placeOf(flow, wanted ?? first), [flow, wanted, first]);
  const { openKey } = place;
  const row = useMemo(() => (flow === null ? null : rowOf(flow, openKey)), [flow, openKey]);
  const single = useMemo(() => (flow === null || row === null ? null : shownLevel(flow, row, layout)), [flow, row, layout]);
  const nodes = useMemo(() => (flow === null || row === null ? [] : levelOf(flow, row).nodes), [flow, row]);
  const steps = useMemo(
    () => (isUnion ? new StepsUnion(store.bundle, trial, countedSteps(store.bundle, trial, stepType), openKey) : null),
    [store, trial, stepType, openKey, isUnion],
  );
  const version = store.version.value;
  const [turn, setTurn] = useState(0);
  const union = useMemo(() => steps?.read(network) ?? null, [steps, network, version, turn]);
  useEffect(() => {
    const timer = union?.hasMore === true ? setTimeout(() => setTurn(turn + 1)) : undefined;
    return () => clearTimeout(timer);
  }, [union]);
  const level = union === null ? single : union.level;
  const notKnown = useMemo(() => (graph === null ? new Map<number, string>() : notKnownInWords(graph)), [graph]);
  const marked = useLevelBadges(store, material, flow, level, nodes, notKnown);
  return {
    material,
    layout,
    flow,
    openKey,
    at: view.get("at") ?? place.at,
    nodes,
    row,
    level: marked,
    notKnown,
    union,
  };
}

/** The level with the badges of the step that is shown, and of findings. */
function useLevelBadges(
  store: Store,
  { open, graph }: Material,
  flow: Flow | null,
  level: ShownLevel | null,
  nodes: readonly LevelNode[],
  notKnown: Scene["notKnown"],
) {
  const [tensors, document] = [tensorBadges(store, open), findingsOf(store)];
  const ofModules = useMemo(() => badgesByModule(open.content.layout, tensors, document, graph), [open, tensors, document, graph]);
  return useMemo(() => {
    const ofPort = ({ record }: Port): Badge[] => {
      const { tensor, row } = flow?.records[record] ?? { tensor: -1, row: -1 };
      return [...(tensors.get(tensor) ?? []).map(badgeOf), ...(notKnown.has(row) ? ["not-known" as const] : [])];
    };
    const ofNodes = new Map(nodes.map(({ key, ports }) => [key, sortedBadges(ports.flatMap(ofPort))]));
    return level && withBadges(level, ofModules, ofNodes);
  }, [flow, level, nodes, ofModules, tensors, notKnown]);
}

/** The key of the call that an address means, and what is selected in it where the address does not say it. */
function placeOf(flow: Flow | null, key: string): { openKey: string; at: string } {
  const name = wantedModule(key);
  const row = name === null || flow === null ? -1 : flow.calls.findIndex((call) => call.name === name);
  return name === null
    ? { openKey: key, at: "" }
    : row < 0
      ? { openKey: callKey(0, name), at: "" }
      : { openKey: keyAround(flow!, row), at: callKey(0, name) };
}

/**
 * A single watched module is open at the beginning: the only one without another around it. If only parts of it were called, as those of a
 * GAN are, there is nothing to see in it, and what is open is what is around them.
 */
export function firstOpen(network: Network, flow: Flow | null): string {
  const roots = network.modules.flatMap(({ parent }, module) => (parent < 0 ? [module] : []));
  const [root] = roots;
  if (root === undefined || roots.length > 1) {
    return "";
  }
  const isCalled = flow === null || flow.calls.length === 0 || flow.calls.some(({ module }) => module === root);
  return isCalled ? callKey(0, network.modules[root]!.name) : "";
}

/** The key of the call around a call, empty where there is none. */
export function keyAround(flow: Flow, row: number): string {
  const around = flow.calls[flow.calls[row]?.parent ?? OUTERMOST];
  return around === undefined ? "" : callKey(around.number, around.name);
}
