/** Gradient flows: where the numbers of each lie in its lane is known from a list, and only those that are asked for are loaded. */

import type { ChunkStore } from "../arrays/chunks";
import { DamagedBundleError } from "../format/errors";
import { FLOW_CHUNK_BYTES, type FlowRole, type FlowRows, type StoredFlow } from "../format/types";

const WIDTH = 4;
const PER_CHUNK = FLOW_CHUNK_BYTES / WIDTH;

export interface FlowLayer {
  name: string;
  /** Of one sample. */
  shape: readonly number[];
  role: FlowRole;
  hasValues: boolean;
  hasGradients: boolean;
}

/** How many flows there are, the sum of those above zero and of those below, the largest magnitude, and how many are NaN or infinite. */
interface FlowSums {
  count: number;
  positive: number;
  negative: number;
  largest: number;
  nonFinite: number;
}

interface FlowPair {
  /** Positions of layers. */
  from: number;
  to: number;
  /** An entry per sample. */
  sums: readonly FlowSums[];
  allComputed: boolean;
  hasResiduals: boolean;
}

export interface Flow {
  step: number;
  iteration: number;
  name: string;
  method: string;
  /** Positions in the batch; none where the layers have no batch dimension. */
  samples: readonly number[];
  layers: readonly FlowLayer[];
  pairs: readonly FlowPair[];
}

/** Flows between elements, which are places within one sample. */
export interface FlowLinks {
  sources: Int32Array;
  targets: Int32Array;
  flows: Float32Array;
}

/** How many elements a layer has in one sample. */
export function elementsOf({ shape }: { shape: readonly number[] }): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** How many samples a flow has. */
export function samplesOf({ samples }: { samples: readonly number[] }): number {
  return Math.max(1, samples.length);
}

/** How many there are in all samples together. */
export function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The gradient flows of a trial. Loaded data is a copy; a cache keeps chunks. Promises reject with `DamagedBundleError` and the like. */
export class FlowsOfTrial {
  readonly list: readonly Flow[];
  private readonly stored: ReadonlyMap<Flow, StoredFlow>;

  constructor(
    stored: readonly StoredFlow[],
    private readonly chunks: ChunkStore,
  ) {
    this.stored = new Map(stored.map((flow) => [describe(flow), flow]));
    this.list = [...this.stored.keys()];
  }

  /** Activations or gradients of a layer; null where they are not known. */
  async layerNumbers(flow: Flow, layer: number, sample: number, what: "values" | "gradients"): Promise<Float32Array | null> {
    const stored = this.of(flow);
    return this.ofSample(stored, stored.layers[layer]![what], layer, sample, asFloats);
  }

  /** What of the gradients of the source layer does not come through the target layer; null where it is not known. */
  async residuals(flow: Flow, pair: number, sample: number): Promise<Float32Array | null> {
    const stored = this.of(flow);
    return this.ofSample(stored, stored.pairs[pair]!.residuals, stored.pairs[pair]!.from, sample, asFloats);
  }

  /** 1 for every element of the target layer into which the flows are known; null where they are known for all. */
  async computed(flow: Flow, pair: number, sample: number): Promise<Int32Array | null> {
    const stored = this.of(flow);
    return this.ofSample(stored, stored.pairs[pair]!.computed, stored.pairs[pair]!.to, sample, asIntegers);
  }

  /** What elements of the source layer reach. */
  async linksFrom(flow: Flow, pair: number, sample: number, sources: readonly number[]): Promise<FlowLinks> {
    const stored = this.of(flow);
    const { from, to, by_source: rows } = stored.pairs[pair]!;
    const { elements, others, flows } = await this.rows(stored, pair, rows, from, to, sample, sources);
    return { sources: elements, targets: others, flows };
  }

  /** What feeds elements of the target layer. */
  async linksInto(flow: Flow, pair: number, sample: number, targets: readonly number[]): Promise<FlowLinks> {
    const stored = this.of(flow);
    const { from, to, by_target: rows } = stored.pairs[pair]!;
    const { elements, others, flows } = await this.rows(stored, pair, rows, to, from, sample, targets);
    return { sources: others, targets: elements, flows };
  }

  /** Says for elements of a layer whether flows come from each or go into it. It loads none of the flows themselves. */
  async haveFlows(flow: Flow, layer: number, sample: number, elements: readonly number[]): Promise<boolean[]> {
    const stored = this.of(flow);
    const first = sample * elementsOf(stored.layers[layer]!);
    const starts = stored.pairs.flatMap(({ from, to, by_source: bySource, by_target: byTarget }) =>
      from === layer ? [bySource.starts] : to === layer ? [byTarget.starts] : [],
    );
    return Promise.all(
      elements.map(async (element) => {
        const bounds = await Promise.all(starts.map(async (start) => asIntegers(await this.read(stored, start + first + element, 2))));
        return bounds.some(([begins, ends]) => begins! < ends!);
      }),
    );
  }

  /** The strongest flows of a sample, descending; those of each sign are the strongest of that sign. */
  async strongestLinks(flow: Flow, pair: number, sample: number): Promise<FlowLinks> {
    const stored = this.of(flow);
    const { from, to, strongest } = stored.pairs[pair]!;
    const before = total(strongest.count.slice(0, sample));
    const count = strongest.count[sample] ?? 0;
    const [sources, targets, flows] = await Promise.all(
      [strongest.sources, strongest.targets, strongest.flows].map((start) => this.read(stored, start + before, count)),
    );
    return {
      sources: within(asIntegers(sources!), elementsOf(stored.layers[from]!)),
      targets: within(asIntegers(targets!), elementsOf(stored.layers[to]!)),
      flows: asFloats(flows!),
    };
  }

  private of(flow: Flow): StoredFlow {
    const stored = this.stored.get(flow);
    if (stored === undefined) {
      throw new RangeError("This flow does not belong to the trial.");
    }
    return stored;
  }

  private async ofSample<T>(
    stored: StoredFlow,
    start: number,
    layer: number,
    sample: number,
    as: (bytes: ArrayBuffer) => T,
  ): Promise<T | null> {
    const count = elementsOf(stored.layers[layer]!);
    return start < 0 ? null : as(await this.read(stored, start + sample * count, count));
  }

  /** The rows of different elements of a layer: each element as often as it has flows, what is at the other end, and the flows. */
  private async rows(
    stored: StoredFlow,
    pair: number,
    rows: FlowRows,
    layer: number,
    other: number,
    sample: number,
    elements: readonly number[],
  ): Promise<{ elements: Int32Array; others: Int32Array; flows: Float32Array }> {
    const first = sample * elementsOf(stored.layers[layer]!);
    const most = total(stored.pairs[pair]!.count);
    const bounds = await Promise.all(
      elements.map(async (element) => asIntegers(await this.read(stored, rows.starts + first + element, 2))),
    );
    const sizes = bounds.map(([start, end]) => (start! >= 0 && start! <= end! && end! <= most ? end! - start! : refuse()));
    if (total(sizes) > most) {
      // Rows that overlap could ask for any amount of memory.
      refuse();
    }
    const links = { elements: new Int32Array(total(sizes)), others: new Int32Array(total(sizes)), flows: new Float32Array(total(sizes)) };
    let place = 0;
    await Promise.all(
      elements.map(async (element, k) => {
        const [at, size, start] = [place, sizes[k]!, bounds[k]![0]!];
        place += size;
        links.elements.fill(element, at, at + size);
        const [others, flows] = await Promise.all([
          this.read(stored, rows.others + start, size),
          this.read(stored, rows.flows + start, size),
        ]);
        links.others.set(within(asIntegers(others), elementsOf(stored.layers[other]!)), at);
        links.flows.set(asFloats(flows), at);
      }),
    );
    return links;
  }

  /** Elements of the lane, copied. */
  private async read(stored: StoredFlow, start: number, count: number): Promise<ArrayBuffer> {
    const copy = new Uint8Array(count * WIDTH);
    const parts: Promise<void>[] = [];
    for (let k = start; k < start + count; ) {
      const end = Math.min(start + count, k - (k % PER_CHUNK) + PER_CHUNK);
      const [from, to, at] = [(k % PER_CHUNK) * WIDTH, ((k % PER_CHUNK) + end - k) * WIDTH, (k - start) * WIDTH];
      parts.push(this.chunks.bytes(stored.lane4 + Math.floor(k / PER_CHUNK)).then((bytes) => copy.set(bytes.subarray(from, to), at)));
      k = end;
    }
    await Promise.all(parts);
    return copy.buffer;
  }
}

function describe({ layers, pairs, step, iteration, name, method, samples }: StoredFlow): Flow {
  return {
    step,
    iteration,
    name,
    method,
    samples,
    layers: layers.map((layer) => ({
      name: layer.name,
      shape: layer.shape,
      role: layer.role,
      hasValues: layer.values >= 0,
      hasGradients: layer.gradients >= 0,
    })),
    pairs: pairs.map((pair) => ({
      from: pair.from,
      to: pair.to,
      sums: pair.count.map((count, k) => ({
        count,
        positive: pair.positive[k]!,
        negative: pair.negative[k]!,
        largest: pair.largest[k]!,
        nonFinite: pair.non_finite[k]!,
      })),
      allComputed: pair.computed < 0,
      hasResiduals: pair.residuals >= 0,
    })),
  };
}

// All platforms with a browser are little-endian, as the lanes are.
function asIntegers(bytes: ArrayBuffer): Int32Array {
  return new Int32Array(bytes);
}

function asFloats(bytes: ArrayBuffer): Float32Array {
  return new Float32Array(bytes);
}

function within(places: Int32Array, count: number): Int32Array {
  return places.every((place) => place >= 0 && place < count) ? places : refuse();
}

function refuse(): never {
  throw new DamagedBundleError("The numbers of a gradient flow contradict one another. Export the page again.");
}
