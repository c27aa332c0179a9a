/**
 * Zoom by space-to-depth: a plane halved `zoom` times falls into 4^zoom sub-lattices, each of which has every 2^zoom-th row and column.
 * They are numbered by the bits of row and column, the lowest bit first: with zoom 1 they begin at (0, 0), (0, 1), (1, 0), (1, 1).
 */

/** The first cell of a sub-lattice, and the distance of its rows and columns. */
export interface Lattice {
  row: number;
  column: number;
  step: number;
}

/** The sub-lattice with a number. */
export function latticeOf(number: number, zoom: number): Lattice {
  const step = 2 ** zoom;
  return { row: turned(Math.floor(number / step), zoom), column: turned(number % step, zoom), step };
}

/** The number of the sub-lattice that holds a cell. */
export function latticeWith(row: number, column: number, zoom: number): number {
  const step = 2 ** zoom;
  return turned(row % step, zoom) * step + turned(column % step, zoom);
}

/** How many of `size` places are on a lattice that begins at `first`; those of sizes that do not divide differ by one. */
export function placesOn(size: number, first: number, step: number): number {
  return Math.max(0, Math.ceil((size - first) / step));
}

/** A number with its lowest `bits` bits in the other order. */
function turned(number: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) {
    result = result * 2 + (Math.floor(number / 2 ** bit) % 2);
  }
  return result;
}
