/** Flows between two layers as compressed rows: given ones, links to neighbours, and estimates where only gradients are known. */

import { type Links, type Matrix, PLANES } from "./checking";

/** A row per element of the source: `starts` `[N + 1]`, and for each flow its target, ascending in a row, and its nonzero value. */
export interface Rows {
  starts: Int32Array<ArrayBuffer>;
  others: Int32Array<ArrayBuffer>;
  flows: Float32Array<ArrayBuffer>;
}

export function rowsOfMatrix({ shape, numbers }: Matrix): Rows {
  const columns = shape[1]!;
  return rowsOf(shape[0]!, (row, add) => {
    for (let k = 0; k < columns; k++) {
      add(k, numbers[row * columns + k]!);
    }
  });
}

export function rowsOfLinks({ sources, targets }: Links, size: number): Rows {
  let next = 0;
  return rowsOf(size, (row, add) => {
    for (; sources[next] === row; next++) {
      add(targets[next]!, 1);
    }
  });
}

/**
 * The flows of the least norm among those that satisfy the chain rule: `s_i t_j^2 / sum of t^2`. None if all `t` are zero.
 */
export function chainRuleEstimate(source: Float64Array, target: Float64Array): Rows {
  // Divided by the largest first, since squares overflow and vanish.
  const largest = target.reduce((most, gradient) => Math.max(most, Math.abs(gradient)), 0) || 1;
  const squares = target.map((gradient) => (gradient / largest) ** 2);
  return products(source, squares, sumOf(squares));
}

/**
 * What vnittest shows: `sign(s_i) (1 / t_j) / sum of 1 / |t_k|`, over the `t` that are not zero. It does not satisfy the chain rule: how
 * large a gradient of the source is plays no part, and small gradients of the target get more.
 */
export function vnittestEstimate(source: Float64Array, target: Float64Array): Rows {
  const inverse = target.map((gradient) => (gradient === 0 ? 0 : 1 / gradient));
  return products(source.map(Math.sign), inverse, sumOf(inverse.map(Math.abs)));
}

function products(ofSource: Float64Array, ofTarget: Float64Array, divisor: number): Rows {
  const shares = ofTarget.map((part) => part / (divisor === 0 ? 1 : divisor));
  return rowsOf(ofSource.length, (row, add) => {
    const part = ofSource[row]!;
    for (let k = 0; k < shares.length; k++) {
      add(k, part * shares[k]!);
    }
  });
}

/** The explicit mode: if its gradient is not zero, plane `j` of a pixel leads to its neighbour `j` inside with value 1. */
export function linksToNeighbours(source: Float64Array, shape: readonly number[], targetShape: readonly number[]): Rows {
  const [height, width] = [shape[1]!, shape[2]!];
  const [rows, columns] = [targetShape.at(-2)!, targetShape.at(-1)!];
  const staysInPlane = targetShape.length === 3 && targetShape[0] === PLANES;
  return rowsOf(source.length, (element, add) => {
    const plane = Math.floor(element / (height * width));
    const row = (Math.floor(element / width) % height) + Math.floor(plane / 3) - 1;
    const column = (element % width) + (plane % 3) - 1;
    if (Math.abs(source[element]!) > 0 && row >= 0 && row < rows && column >= 0 && column < columns) {
      add(((staysInPlane ? plane : 0) * rows + row) * columns + column, 1);
    }
  });
}

/** What each row adds, in ascending order; zeros are left out. */
function rowsOf(count: number, visit: (row: number, add: (target: number, flow: number) => void) => void): Rows {
  const [others, flows]: [number[], number[]] = [[], []];
  const starts = new Int32Array(count + 1);
  const add = (target: number, flow: number): void => {
    const narrow = Math.fround(flow);
    if (narrow !== 0) {
      others.push(target);
      flows.push(narrow);
    }
  };
  for (let row = 0; row < count; row++) {
    visit(row, add);
    starts[row + 1] = flows.length;
  }
  return { starts, others: Int32Array.from(others), flows: Float32Array.from(flows) };
}

/** The same flows by their targets. */
export function transposed({ starts, others, flows }: Rows, size: number): Rows {
  const turned = { starts: new Int32Array(size + 1), others: new Int32Array(others.length), flows: new Float32Array(flows.length) };
  others.forEach((target) => turned.starts[target + 1]!++);
  for (let k = 0; k < size; k++) {
    turned.starts[k + 1]! += turned.starts[k]!;
  }
  const next = turned.starts.slice();
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let k = starts[row]!; k < starts[row + 1]!; k++) {
      const place = next[others[k]!]!++;
      turned.others[place] = row;
      turned.flows[place] = flows[k]!;
    }
  }
  return turned;
}

/** What each row adds up to. */
export function sumsOfRows({ starts, flows }: Rows): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(starts.length - 1);
  for (let row = 0; row < sums.length; row++) {
    for (let k = starts[row]!; k < starts[row + 1]!; k++) {
      sums[row]! += flows[k]!;
    }
  }
  return sums;
}

/** The strongest finite flows of each sign, at most `most` of either, by descending magnitude. */
export function strongestOf(
  { starts, others, flows }: Rows,
  most: number,
): { sources: Int32Array<ArrayBuffer>; targets: Int32Array<ArrayBuffer>; flows: Float32Array<ArrayBuffer> } {
  const chosen = [1, -1].flatMap((sign) => {
    const magnitudes = flows
      .filter((flow) => flow * sign > 0 && Number.isFinite(flow))
      .map(Math.abs)
      .sort();
    const least = magnitudes[Math.max(0, magnitudes.length - most)] ?? Infinity;
    const positions: number[] = [];
    flows.forEach((flow, k) => {
      if (flow * sign >= least && Number.isFinite(flow)) {
        positions.push(k);
      }
    });
    return positions.sort((a, b) => Math.abs(flows[b]!) - Math.abs(flows[a]!) || a - b).slice(0, most);
  });
  chosen.sort((a, b) => Math.abs(flows[b]!) - Math.abs(flows[a]!) || a - b);
  return {
    sources: Int32Array.from(chosen, (place) => rowAt(starts, place)),
    targets: Int32Array.from(chosen, (place) => others[place]!),
    flows: Float32Array.from(chosen, (place) => flows[place]!),
  };
}

/** The row that holds a place: the last one that begins at it or before. */
function rowAt(starts: Int32Array, place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= place) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

function sumOf(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
