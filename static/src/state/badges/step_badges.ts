/** The badges of what a step shows: of its tensors, of the nodes of a graph, and of modules. */

import type { StepContent } from "../../data/bundle";
import { groupedBy } from "../../data/collections";
import type { FindingsDocument } from "../../data/format/findings";
import type { Graph, Layout } from "../../data/format/types";
import { allFindings, findingsByNode, SYMPTOM } from "../findings/found";
import type { OpenStep } from "../selection/open_step";
import { FORWARD } from "../selection/selection";
import type { Store } from "../store";
import { BADGE_WORDS, type Badge, sortedBadges } from "./badges";
import { notKnownInWords } from "./not_known";
import { type NumberBadge, numberBadges, type TensorBadges } from "./number_badges";

/** The rule that finds parameters which no step changes. */
const NEVER_UPDATED = "never-updated";

/** A badge, and why: `NaN in the values`, or the title of a finding. */
export interface BadgeReason {
  badge: Badge;
  text: string;
}

const NONE: TensorBadges = new Map();
const known = new WeakMap<StepContent, TensorBadges>();

/** The badges of the tensors of a step, by their numbers; none while these are not loaded, but then they are asked for. */
export function tensorBadges({ bundle, version }: Store, { content, trial }: OpenStep): TensorBadges {
  // Read so that who shows them is rendered again when the counts have been loaded.
  void version.value;
  const badges = known.get(content) ?? numberBadges(content, trial.rank === null);
  if (badges === null) {
    const { counts } = content.numbers;
    bundle.chunks.request(counts.chunks(0, counts.length));
    return NONE;
  }
  known.set(content, badges);
  return badges;
}

/** The badges of a graph's nodes, by node, the worst first: those of its tensors in all recording types, and of findings; last that not all is known. */
export function badgesByNode(
  { offers }: OpenStep,
  iteration: number,
  graph: Graph,
  tensors: TensorBadges,
  document: FindingsDocument | null,
): ReadonlyMap<number, readonly BadgeReason[]> {
  const reasons = new Map<number, BadgeReason[]>();
  for (const [node, findings] of findingsByNode(document, graph)) {
    const stays = findings.some(({ rule }) => rule === NEVER_UPDATED);
    reasons.set(node, [
      ...findings.map(({ title }) => ({ badge: "finding" as const, text: `Finding: ${title}` })),
      ...(stays ? [{ badge: "never-updated" as const, text: BADGE_WORDS["never-updated"] }] : []),
    ]);
  }
  const numbered = tensors.size === 0 ? [] : offers.of(iteration).filter(({ tensor }) => tensors.has(tensor));
  const places = new Map(numbered.length === 0 ? [] : graph.nodes.name.map((name, node) => [name, node]));
  for (const [name, own] of groupedBy(numbered, ({ node }) => node)) {
    const node = places.get(name)!;
    reasons.set(node, [...(reasons.get(node) ?? []), ...reasonsOf(own.flatMap(({ tensor }) => tensors.get(tensor)!))]);
  }
  for (const [tensor, text] of notKnownInWords(graph)) {
    const node = graph.tensors.node[tensor]!;
    reasons.set(node, [...(reasons.get(node) ?? []), { badge: "not-known", text }]);
  }
  return reasons;
}

/** Gradients have badges of their own. */
export function badgeOf({ kind, recording }: NumberBadge): Badge {
  return recording === FORWARD ? kind : `${kind}-gradient`;
}

/** Each badge once, with all that it holds for. */
function reasonsOf(badges: readonly NumberBadge[]): BadgeReason[] {
  const byBadge = groupedBy(badges, badgeOf);
  return sortedBadges(byBadge.keys()).map((badge) => {
    const own = byBadge.get(badge)!;
    const recordings = new Set(own.map(({ recording }) => recording));
    const where = [...recordings].map((recording) => (recording === FORWARD ? "the values" : recording)).join(", ");
    return { badge, text: `${BADGE_WORDS[own[0]!.kind]} in ${where}` };
  });
}

/** What a name of a tensor or of a part of a module has behind the name of that module. */
const BEHIND_MODULE = /\.|: | \(call /g;

/** The badges of modules, by their names: of all that is in them, down to the last tensor and parameter, and of those in the graph that are not fully known. */
export function badgesByModule(
  { tensors }: Layout,
  ofTensors: TensorBadges,
  document: FindingsDocument | null,
  graph: Graph | null,
): ReadonlyMap<string, readonly Badge[]> {
  const badges = new Map<string, Set<Badge>>();
  const add = (module: string, own: readonly Badge[]): void => {
    const all = badges.get(module) ?? new Set();
    own.forEach((badge) => all.add(badge));
    badges.set(module, all);
  };
  const addAround = (name: string, own: readonly Badge[]): void => {
    for (const { index } of name.matchAll(BEHIND_MODULE)) {
      add(name.slice(0, index), own);
    }
  };
  for (const [tensor, own] of ofTensors) {
    addAround(tensors.name[tensor]!, own.map(badgeOf));
  }
  for (const name of graph === null ? [] : namesOfNotKnown(graph, tensors)) {
    addAround(name, ["not-known"]);
  }
  for (const { severity, rule, places } of document === null ? [] : allFindings(document)) {
    for (const { name } of severity >= SYMPTOM ? places : []) {
      const own: readonly Badge[] = rule === NEVER_UPDATED ? ["finding", "never-updated"] : ["finding"];
      add(name, own);
      addAround(name, own);
    }
  }
  return new Map([...badges].map(([module, own]) => [module, sortedBadges(own)]));
}

/** The names of what a graph does not fully know, behind the module that registered it: its own name need not say where it is. */
function namesOfNotKnown({ not_known: notKnown, tensors }: Graph, layout: Layout["tensors"]): string[] {
  const keyOf = (name: string, iteration: number): string => `${iteration}/${name}`;
  const moduleOf = new Map(
    notKnown.tensor.length === 0 ? [] : layout.name.map((name, k) => [keyOf(name, layout.iteration[k]!), layout.module[k]]),
  );
  return notKnown.tensor.flatMap((position) => {
    const name = tensors.record_name[position]!;
    const module = moduleOf.get(keyOf(name, tensors.record_iteration[position]!)) ?? null;
    return module === null ? [name] : [name, `${module}.${name}`];
  });
}
