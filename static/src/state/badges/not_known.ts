/** Tensors of which the recording does not know all that they were computed from, in words. */

import type { Graph } from "../../data/format/types";

const REASONS: Readonly<Record<string, string>> = {
  unseen: "no call that the recorder saw made it. It was there before, or it was made by code that the recorder does not see",
  outside: "it was made from plain values, after values had left PyTorch as an array or a list",
  autograd: "the recorder knows part of it from autograd alone, which leaves out what carries no gradient",
};

/** The tensors of a graph, by position, that may depend on more than it shows, each with a sentence that says why. */
export function notKnownInWords({ not_known: { tensor, reason }, to }: Graph): ReadonlyMap<number, string> {
  const withSources = new Set(tensor.length === 0 ? [] : to);
  return new Map(
    tensor.map((position, k) => {
      const what = withSources.has(position) ? "It may depend on more than the graph shows" : "How it was computed is not known";
      const why = REASONS[reason[k] ?? ""];
      return [position, why === undefined ? `${what}.` : `${what}: ${why}.`];
    }),
  );
}
