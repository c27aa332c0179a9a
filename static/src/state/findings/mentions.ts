/** What a text mentions: tensors, parameters, modules and steps, which can be gone to, and how many more there are. */

import type { Bundle } from "../../data/bundle";
import { oncePer } from "../../data/collections";
import type { FoundProblem } from "../../data/format/findings";
import { readStep } from "../../data/format/steps";
import type { Graph, Network, Trial } from "../../data/format/types";
import { writeLink } from "../address/url";
import { NO_OPTIONS, withOption } from "../address/view_options";
import { rankOf } from "../selection/options";
import { wantedKey } from "../tab_options/module_place";
import { linkToPlace, linkToStep, linkToStepOf } from "./links";

/** A part of a text, and what it may be: something in backticks or quotes, a word, a step, or a number of others. */
export interface Piece {
  content: string;
  kind: "text" | "code" | "quoted" | "word" | "step" | "others";
}

const MENTION =
  /`(?<code>[^`]+)`|'(?<quoted>[^'\n]+)'|(?<step>\b[Ee]valuation \d+ (?:after step \d+|before training)\b|\b[Ss]teps? \d+\b)|(?<others>\b\d+ (?:other tensors?|others?|more)\b)|(?<word>(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_.*-]*[\p{L}\p{N}_*])/gu;

/** The text in pieces; together they are the text, but for backticks around code. */
export function piecesWithMentions(text: string): Piece[] {
  const pieces: Piece[] = [];
  const add = (content: string, kind: Piece["kind"]): void => {
    const last = pieces.at(-1);
    if (kind === "text" && last?.kind === "text") {
      last.content += content;
    } else if (content !== "") {
      pieces.push({ content, kind });
    }
  };
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    add(text.slice(end, match.index), "text");
    const [kind, content] = Object.entries(match.groups!).find(([, part]) => part !== undefined)!;
    if (kind === "quoted") {
      add("'", "text");
      add(content!, "quoted");
      add("'", "text");
    } else {
      add(content!, kind as Piece["kind"]);
    }
    end = match.index + match[0].length;
  }
  add(text.slice(end), "text");
  return pieces;
}

/** Shorter words are more likely to be words than names. */
const SHORTEST_WORD = 3;

const namesIn = oncePer((graph: Graph): ReadonlySet<string> => new Set(graph.tensors.record_name));
const modulesIn = oncePer((network: Network): ReadonlySet<string> => new Set(network.modules.map(({ name }) => name)));

/** What a text means: the step that its names are of, beside the one that is shown, and what its steps are about. */
interface Meant {
  step: number;
  shown: number;
  finding?: FoundProblem | undefined;
}

/**
 * What the pieces of a text lead to, in a trial at a step; null for each that leads nowhere, or whose names are not loaded yet. Words are
 * looked up in the graphs of the step that is shown, so that a long text asks for no others.
 */
export function linksOf(bundle: Bundle, trial: Trial, at: Meant, pieces: readonly Piece[]): (string | null)[] {
  const isTensorAt = (step: number, name: string): boolean => {
    const graphs = bundle.graphs(trial, Math.max(0, trial.steps.step.indexOf(step)));
    return graphs.state === "ready" && graphs.value.some((graph) => graph !== null && namesIn(graph).has(name));
  };
  const { step } = at;
  const place = (name: string) => ({ kind: "tensor" as const, name, iteration: null, source: null });
  const tensorLink = (name: string, view = NO_OPTIONS): string | null => linkToPlace(bundle, trial, place(name), { step, view });
  const isMeant = ({ kind }: Piece): boolean => kind === "code" || kind === "quoted";
  const first = pieces.find((piece) => isMeant(piece) && isTensorAt(step, piece.content))?.content;
  return pieces.map((piece) => {
    const { kind, content } = piece;
    switch (kind) {
      case "text":
        return null;
      case "step":
        return at.finding === undefined
          ? linkToStep(bundle, trial, readStep(content)!)
          : linkToStepOf(bundle, trial, readStep(content)!, at.finding);
      case "others":
        return first === undefined ? null : tensorLink(first, withOption(NO_OPTIONS, "ranking", "largest,abs_max"));
      default:
        if (kind === "word" && content.length < SHORTEST_WORD) {
          return null;
        }
        return isTensorAt(isMeant(piece) ? step : at.shown, content) ? tensorLink(content) : linkToModule(bundle, trial, step, content);
    }
  });
}

/** What a name of a tensor, a parameter or a module leads to. */
export function linkToName(bundle: Bundle, trial: Trial, step: number, name: string): string | null {
  return linksOf(bundle, trial, { step, shown: step }, [{ content: name, kind: "code" }])[0]!;
}

/** The address of a module's first call; null where no calls were recorded, or there is no module of this name. */
export function linkToModule(bundle: Bundle, trial: Trial, step: number, name: string): string | null {
  const network = bundle.network(trial);
  const isModule = network.state === "ready" && modulesIn(network.value).has(name);
  if (!isModule || trial.steps.call_set.every((calls) => calls < 0)) {
    return null;
  }
  const selection = { trial: trial.name, rank: rankOf(bundle, trial), step };
  return `#${writeLink("modules", selection, withOption(NO_OPTIONS, "module", wantedKey(name)))}`;
}
