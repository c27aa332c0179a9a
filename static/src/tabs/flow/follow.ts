/** Which flows are drawn: those from and into the selection, through all layers, or the strongest of all; and what is left out. */

import { elementsOf, type Flow, type FlowLinks, type FlowsOfTrial } from "../../data/records/flows";
import type { FlowOptions, Sign } from "../../state/tab_options/flow_options";

/** A flow that is drawn: from an element of the source layer of a pair to one of its target layer. */
export interface Link {
  pair: number;
  source: number;
  target: number;
  flow: number;
}

/** Flows that are counted and not drawn one by one: those above zero and those below, NaN and infinities apart. */
export interface Bundled {
  count: number;
  positive: number;
  negative: number;
  nonFinite: number;
}

/** What is left out at an element, on its side of a pair; with `element` null, at none that is drawn. */
interface LeftOut extends Bundled {
  pair: number;
  side: "source" | "target";
  element: number | null;
}

/** What of an element's gradient is not in its flows of a pair. */
export interface Residual {
  pair: number;
  source: number;
  residual: number;
}

export interface Followed {
  links: readonly Link[];
  leftOut: readonly LeftOut[];
  residuals: readonly Residual[];
  /** Sums of flows between the selection and every element of a layer; beyond the next layers, of what is drawn. Null without flows. */
  heat: readonly (Float32Array | null)[];
  /** Everything that leads from the selection into another layer or from one into it, drawn or not, by pair. */
  sums: ReadonlyMap<number, Bundled>;
}

export interface Start {
  layer: number;
  elements: readonly number[];
}

/** What of the flows is known; `FlowsOfTrial` is one. */
export type FlowSource = Pick<FlowsOfTrial, "linksFrom" | "linksInto" | "strongestLinks" | "residuals">;

/** Follows the flows from a start, forward and backward; without one, takes the strongest. */
export async function follow(source: FlowSource, flow: Flow, options: FlowOptions, start: Start | null): Promise<Followed> {
  const follower = new Follower(source, flow, options);
  if (start === null) {
    await follower.strongest();
  } else {
    await follower.forward(start);
    await follower.backward(start);
  }
  return follower.result;
}

class Follower {
  private readonly links: Link[] = [];
  private readonly leftOut: LeftOut[] = [];
  private readonly residuals: Residual[] = [];
  private readonly heat: (Float32Array | null)[];
  private readonly sums = new Map<number, Bundled>();

  constructor(
    private readonly source: FlowSource,
    private readonly flow: Flow,
    private readonly options: FlowOptions,
  ) {
    this.heat = flow.layers.map(() => null);
  }

  get result(): Followed {
    const { links, leftOut, residuals, heat, sums } = this;
    return { links, leftOut, residuals, heat, sums };
  }

  async strongest(): Promise<void> {
    const { flow, options } = this;
    await this.eachPair(
      flow.pairs.map((_, pair) => pair),
      async (pair) => {
        const all = await this.source.strongestLinks(flow, pair, options.sample);
        const drawn = strongestOf(all.flows, options).map((k) => linkAt(all, pair, k));
        const sums = flow.pairs[pair]!.sums[options.sample]!;
        const left = { count: sums.count - drawn.length, nonFinite: sums.nonFinite, positive: sums.positive, negative: sums.negative };
        for (const { flow: strength } of drawn) {
          left[strength > 0 ? "positive" : "negative"] -= strength;
        }
        this.links.push(...drawn);
        if (left.count > 0) {
          // What rounding leaves of a sum of which everything is drawn is nothing.
          this.leftOut.push({
            ...left,
            positive: Math.max(0, left.positive),
            negative: Math.min(0, left.negative),
            pair,
            side: "source",
            element: null,
          });
        }
        await this.addResiduals(pair, [...new Set(drawn.map((link) => link.source))]);
      },
    );
  }

  async forward({ layer, elements }: Start): Promise<void> {
    const reached = new Map([[layer, elements]]);
    for (let from = layer; from < this.flow.layers.length; from++) {
      const sources = reached.get(from) ?? [];
      await this.eachPair(sources.length === 0 ? [] : this.pairs((pair) => pair.from === from), async (pair) => {
        const all = await this.source.linksFrom(this.flow, pair, this.options.sample, sources);
        const drawn = this.take(all, pair, "source", from === layer);
        const { to } = this.flow.pairs[pair]!;
        reached.set(to, [...new Set([...(reached.get(to) ?? []), ...drawn.map((link) => link.target)])]);
        await this.addResiduals(pair, from === layer ? sources : [...new Set(drawn.map((link) => link.source))]);
      });
    }
  }

  async backward({ layer, elements }: Start): Promise<void> {
    const feeding = new Map([[layer, elements]]);
    for (let to = layer; to > 0; to--) {
      const targets = feeding.get(to) ?? [];
      await this.eachPair(targets.length === 0 ? [] : this.pairs((pair) => pair.to === to), async (pair) => {
        const all = await this.source.linksInto(this.flow, pair, this.options.sample, targets);
        const drawn = this.take(all, pair, "target", to === layer);
        const { from } = this.flow.pairs[pair]!;
        feeding.set(from, [...new Set([...(feeding.get(from) ?? []), ...drawn.map((link) => link.source)])]);
      });
    }
  }

  private pairs(which: (pair: { from: number; to: number }) => boolean): number[] {
    return this.flow.pairs.flatMap((pair, k) => (which(pair) ? [k] : []));
  }

  private async eachPair(pairs: readonly number[], act: (pair: number) => Promise<void>): Promise<void> {
    for (const pair of pairs) {
      await act(pair);
    }
  }

  /** Draws what is strong enough of some flows, and counts the rest at the elements where they were looked for. */
  private take(all: FlowLinks, pair: number, side: "source" | "target", isFirst: boolean): Link[] {
    const places = strongestOf(all.flows, this.options);
    const drawn = places.map((k) => linkAt(all, pair, k));
    this.links.push(...drawn);
    const { from, to } = this.flow.pairs[pair]!;
    const far = side === "source" ? to : from;
    const others = side === "source" ? all.targets : all.sources;
    this.heat[far] ??= new Float32Array(elementsOf(this.flow.layers[far]!));
    const heat = this.heat[far];
    others.forEach((other, k) => {
      heat[other]! += all.flows[k]!;
    });
    if (isFirst) {
      this.sums.set(pair, bundled(all.flows));
    }
    this.countRest(all, places, pair, side);
    return drawn;
  }

  private countRest(all: FlowLinks, drawn: readonly number[], pair: number, side: "source" | "target"): void {
    const own = side === "source" ? all.sources : all.targets;
    const isDrawn = new Uint8Array(own.length);
    drawn.forEach((k) => (isDrawn[k] = 1));
    const hasNode = new Set(drawn.map((k) => own[k]!));
    const left = new Map<number | null, LeftOut>();
    own.forEach((element, k) => {
      if (isDrawn[k] === 1) {
        return;
      }
      const at = hasNode.has(element) ? element : null;
      let rest = left.get(at);
      if (rest === undefined) {
        rest = { pair, side, element: at, ...NOTHING };
        left.set(at, rest);
      }
      add(rest, all.flows[k]!);
    });
    this.leftOut.push(...left.values());
  }

  private async addResiduals(pair: number, sources: readonly number[]): Promise<void> {
    const residuals = sources.length === 0 ? null : await this.source.residuals(this.flow, pair, this.options.sample);
    if (residuals !== null) {
      this.residuals.push(...sources.map((source) => ({ pair, source, residual: residuals[source]! })));
    }
  }
}

const NOTHING: Bundled = { count: 0, positive: 0, negative: 0, nonFinite: 0 };

function add(sum: Bundled, flow: number): void {
  sum.count += 1;
  if (!Number.isFinite(flow)) {
    sum.nonFinite += 1;
  } else if (flow > 0) {
    sum.positive += flow;
  } else {
    sum.negative += flow;
  }
}

function bundled(flows: Float32Array): Bundled {
  const sum = { ...NOTHING };
  flows.forEach((flow) => add(sum, flow));
  return sum;
}

/** Places of the strongest of some flows that are finite, of a sign that is shown, and not below the threshold; descending. */
export function strongestOf(flows: Float32Array, { sign, threshold, strongest }: FlowOptions): number[] {
  let least = threshold;
  if (flows.length > strongest) {
    // Numbers alone are sorted quickly, however many there are.
    const sizes = flows.map((flow) => (isShown(flow, sign, threshold) ? Math.abs(flow) : 0)).sort();
    least = Math.max(least, sizes[sizes.length - strongest]!);
  }
  const places: number[] = [];
  for (let k = 0; k < flows.length; k++) {
    if (isShown(flows[k]!, sign, least)) {
      places.push(k);
    }
  }
  places.sort((a, b) => Math.abs(flows[b]!) - Math.abs(flows[a]!) || a - b);
  return places.slice(0, strongest);
}

function linkAt({ sources, targets, flows }: FlowLinks, pair: number, k: number): Link {
  return { pair, source: sources[k]!, target: targets[k]!, flow: flows[k]! };
}

export function isShown(flow: number, sign: Sign, threshold: number): boolean {
  return Number.isFinite(flow) && flow !== 0 && Math.abs(flow) >= threshold && (sign === "both" || flow > 0 === (sign === "positive"));
}
