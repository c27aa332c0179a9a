/** Checks vnittest's files: layers in order, their gradients, the flows between. As `comgra_export/importers/vnittest/checking.py`. */

import { ForeignDataError } from "../pickles/errors";
import { NumpyArray, productOf } from "../pickles/numpy_array";
import { PickledDict, PickledTuple } from "../pickles/pickle_globals";

/** How many planes a layer has in the explicit mode: one per neighbour of a pixel and the pixel itself, row by row. */
export const PLANES = 9;
/** More flows than this in all take more memory than a page should. */
export const MOST_FLOWS = 8_000_000;

const GRADIENTS = "activation_gradients";
const FLOWS = "gradient_flows";
const MOST_LAYERS = 1000;

/** What the files hold, unchecked. */
interface RawFiles {
  flowInfo: unknown;
  input: NumpyArray | null;
  target: NumpyArray | null;
}

/** Numbers row by row. */
export interface Matrix {
  shape: readonly number[];
  numbers: Float64Array;
}

interface VnittestLayer {
  name: string;
  shape: readonly number[];
  gradients: NumpyArray | null;
}

/** Flows of value 1: positions in the flattened layers, each pair once, ascending. */
export interface Links {
  sources: readonly number[];
  targets: readonly number[];
}

/** Positions of layers, the source before the target. Null flows are estimated as vnittest does. */
export interface VnittestPair {
  source: number;
  target: number;
  flows: { matrix: Matrix } | { links: Links } | null;
}

export interface VnittestData {
  isExplicit: boolean;
  layers: readonly VnittestLayer[];
  pairs: readonly VnittestPair[];
  input: NumpyArray | null;
  target: NumpyArray | null;
  /** What was left out, and why. */
  gaps: readonly Gap[];
}

export interface Gap {
  layer: string | null;
  reason: string;
}

/** Throws `ForeignDataError` where nothing can be used. */
export function checkFiles(files: RawFiles): VnittestData {
  const gaps: Gap[] = [];
  const leaveOut = (reason: string, layer: string | null = null): void => void gaps.push({ layer, reason });
  const info = files.flowInfo instanceof PickledDict ? new Map(files.flowInfo.items) : new Map<unknown, unknown>();
  const [given, between] = [info.get(GRADIENTS), info.get(FLOWS)];
  if (!(given instanceof PickledDict) || !(between instanceof PickledDict)) {
    throw new ForeignDataError(
      `flow_info.pkl is not one of vnittest's: it should hold a dict with the keys ${GRADIENTS} and ${FLOWS}, both dicts.`,
    );
  }
  if (given.items.length > MOST_LAYERS || between.items.length > MOST_LAYERS) {
    throw new ForeignDataError(`flow_info.pkl has more than ${MOST_LAYERS} layers or pairs of layers, and is not read.`);
  }
  for (const [name, picture] of [
    ["input", files.input],
    ["target", files.target],
  ] as const) {
    if (picture === null) {
      leaveOut(`there is no ${name}_representation.npy, which vnittest needs; the rest is here.`);
    }
  }
  const gradients = gradientsOf(given, leaveOut);
  const flows = pairsOf(between, leaveOut);
  const shapes = new Map([...gradients].map(([name, array]): [string, readonly number[]] => [name, array.shape]));
  for (const { names, value } of flows.values()) {
    const matrix = matrixShape(value);
    names.forEach((name, k) => {
      if (matrix !== null && !shapes.has(name) && matrix[k]! > 0) {
        shapes.set(name, [matrix[k]!]);
      }
    });
  }
  const ordered = layersInOrder(
    [...gradients.keys()],
    [...flows.values()].map(({ names }) => names),
  );
  for (const name of ordered.filter((a) => !shapes.has(a))) {
    leaveOut("nothing says how many elements it has: it has no gradients, and no matrix of flows. It was left out.", name);
  }
  const layers = ordered
    .filter((name) => shapes.has(name))
    .map((name): VnittestLayer => ({ name, shape: shapes.get(name)!, gradients: gradients.get(name) ?? null }));
  if (layers.length === 0) {
    throw new ForeignDataError("flow_info.pkl holds no layer that can be used.");
  }
  const place = new Map(layers.map(({ name }, k) => [name, k]));
  const pairs: VnittestPair[] = [];
  for (const {
    names: [from, to],
    value,
  } of flows.values()) {
    const [source, target] = [place.get(from), place.get(to)];
    if (source === undefined || target === undefined) {
      continue;
    }
    const given = source > target ? "lead back to an earlier layer" : flowsBetween(value, layers[source]!, layers[target]!);
    if (typeof given === "string") {
      leaveOut(`the flows from ${from} to ${to} ${given}; they were left out.`);
    } else {
      pairs.push({ source, target, flows: given });
    }
  }
  pairs.sort((a, other) => a.source - other.source || a.target - other.target);
  const isExplicit = files.input === null ? layers.every(({ shape }) => hasPlanes(shape)) : hasPlanes(files.input.shape);
  return { isExplicit, layers, pairs, input: shown(files.input), target: shown(files.target), gaps };
}

export function hasPlanes(shape: readonly number[]): boolean {
  return shape.length === 3 && shape[0] === PLANES;
}

function shown(picture: NumpyArray | null): NumpyArray | null {
  return picture !== null && picture.shape.length > 0 && picture.size > 0 ? picture : null;
}

function gradientsOf(given: PickledDict, leaveOut: (reason: string, layer?: string) => void): Map<string, NumpyArray> {
  const arrays = new Map<string, NumpyArray>();
  for (const [key, value] of given.items) {
    if (key instanceof PickledTuple) {
      leaveOut(`${GRADIENTS} has a key that is a tuple, which names no layer; it was left out.`);
    } else if (!(value instanceof NumpyArray) || value.shape.length === 0 || value.size === 0) {
      leaveOut("its gradients are not an array of numbers; they were left out.", String(key));
    } else {
      arrays.set(String(key), value);
    }
  }
  return arrays;
}

interface NamedFlows {
  names: readonly [string, string];
  value: unknown;
}

function pairsOf(between: PickledDict, leaveOut: (reason: string) => void): Map<string, NamedFlows> {
  const named = new Map<string, NamedFlows>();
  for (const [key, value] of between.items) {
    const names = key instanceof PickledTuple ? key.members.map(String) : [];
    if (names.length !== 2) {
      leaveOut(`${FLOWS} has a key that is not a pair of layers; it was left out.`);
    } else if (names[0] === names[1]) {
      leaveOut(`${FLOWS} has flows from ${names[0]} to itself; they were left out.`);
    } else {
      named.set(JSON.stringify(names), { names: names as [string, string], value });
    }
  }
  return named;
}

/** Lists each layer once, after its predecessors, then in the natural order of names. In a circle, the first name comes next. */
export function layersInOrder(named: readonly string[], pairs: readonly (readonly [string, string])[]): string[] {
  const natural = new Intl.Collator("en", { numeric: true }).compare;
  const left = [...new Set([...named, ...pairs.flat()])].sort(natural);
  const waitsFor = new Map(
    left.map((name) => [name, new Set(pairs.filter(([source, target]) => target === name && source !== name).map(([source]) => source))]),
  );
  const order: string[] = [];
  while (left.length > 0) {
    const next = left.find((name) => waitsFor.get(name)!.size === 0) ?? left[0]!;
    left.splice(left.indexOf(next), 1);
    order.push(next);
    waitsFor.forEach((sources) => sources.delete(next));
  }
  return order;
}

function matrixShape(value: unknown): readonly number[] | null {
  const shape = value instanceof NumpyArray ? value.shape : [];
  return shape.length === 2 ? shape : null;
}

/** The flows, or what is wrong with them as the rest of a sentence. */
function flowsBetween(value: unknown, source: VnittestLayer, target: VnittestLayer): VnittestPair["flows"] | string {
  if (value === null) {
    return null;
  }
  if (value instanceof PickledDict) {
    const entries = new Map(value.items);
    const [sources, targets] = [
      positionsOf(entries.get("indices_in"), source.shape),
      positionsOf(entries.get("indices_out"), target.shape),
    ];
    if (entries.size !== 2 || sources === null || targets === null || sources.length !== targets.length) {
      return "are no indices_in and indices_out of the same length, flat or as rows and columns";
    }
    const size = productOf(target.shape);
    const pairs = [...new Set(sources.map((element, k) => element * size + targets[k]!))].sort((a, other) => a - other);
    return { links: { sources: pairs.map((pair) => Math.floor(pair / size)), targets: pairs.map((pair) => pair % size) } };
  }
  if (!(value instanceof NumpyArray) || matrixShape(value) === null) {
    return "are not a matrix";
  }
  const sizes = [productOf(source.shape), productOf(target.shape)];
  if (value.shape[0] !== sizes[0] || value.shape[1] !== sizes[1]) {
    return `are [${value.shape.join(", ")}], but ${source.name} has ${sizes[0]} elements and ${target.name} ${sizes[1]}`;
  }
  return { matrix: { shape: value.shape, numbers: value.numbers() } };
}

/** Positions in a flattened layer, out of flat ones, or of rows and columns in a layer of one plane; null where they are none. */
function positionsOf(value: unknown, shape: readonly number[]): number[] | null {
  const parts = value instanceof PickledTuple ? value.members : value;
  if (parts instanceof NumpyArray && parts.shape.length === 2 && parts.shape[0] === 2 && shape.length > 1) {
    const numbers = [...parts.numbers()];
    return inPlane(numbers.slice(0, numbers.length / 2), numbers.slice(numbers.length / 2), shape);
  }
  if (Array.isArray(parts) && parts.length === 2 && parts.every((part) => typeof part !== "number") && shape.length > 1) {
    const [rows, columns] = parts.map(flatNumbers);
    return rows === null || columns === null ? null : inPlane(rows!, columns!, shape);
  }
  const flat = flatNumbers(parts);
  return flat?.every((place) => Number.isInteger(place) && place >= 0 && place < productOf(shape)) ? flat : null;
}

function inPlane(rows: readonly number[], columns: readonly number[], shape: readonly number[]): number[] | null {
  const [height, width] = [shape.at(-2)!, shape.at(-1)!];
  const isInside = (places: readonly number[], size: number): boolean =>
    places.every((place) => Number.isInteger(place) && place >= 0 && place < size);
  return productOf(shape.slice(0, -2)) === 1 && rows.length === columns.length && isInside(rows, height) && isInside(columns, width)
    ? rows.map((row, k) => row * width + columns[k]!)
    : null;
}

/** The numbers of a list of them or of an array; null where it is none. */
function flatNumbers(value: unknown): number[] | null {
  if (value instanceof NumpyArray) {
    return [...value.numbers()];
  }
  const parts = value instanceof PickledTuple ? value.members : value;
  const numbers = Array.isArray(parts)
    ? parts.map((part: unknown) => (part instanceof NumpyArray && part.size === 1 ? part.numbers()[0] : part))
    : null;
  return numbers?.every((number) => typeof number === "number") ? numbers : null;
}
