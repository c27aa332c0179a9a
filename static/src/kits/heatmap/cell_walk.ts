/** Arrow keys walk over cells. */

/** How far down and to the right a key leads. */
export const DIRECTIONS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

interface Cells {
  rows: number;
  columns: number;
}

/** The value of the next cell in a direction, past cells without one; -1 at the border. */
export function nextValue(
  { rows, columns }: Cells,
  from: { row: number; column: number },
  [down, right]: readonly [number, number],
  valueAt: (row: number, column: number) => number,
): number {
  for (let { row, column } = from; ; ) {
    row += down;
    column += right;
    if (row < 0 || column < 0 || row >= rows || column >= columns) {
      return -1;
    }
    const next = valueAt(row, column);
    if (next >= 0) {
      return next;
    }
  }
}
