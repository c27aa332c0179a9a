/** The place along each dimension of element `k`, row by row; empty for a single number. */
export function indexOf(k: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = k;
  for (const size of [...shape].reverse()) {
    index.unshift(size === 0 ? 0 : rest % size);
    rest = size === 0 ? 0 : Math.floor(rest / size);
  }
  return index;
}
