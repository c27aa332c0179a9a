/** What is known of values whose distribution was not recorded: from where to where they lie, their mean, and how many are not finite. */

interface Props {
  /** NaN where no value is finite. */
  low: number;
  high: number;
  /** What the picture covers besides zero. */
  from: number;
  to: number;
  /** NaN where it is not known. */
  mean: number;
  /** The part of the values that is NaN or infinite, from 0 to 1. */
  notFinite: number;
  label: string;
}

const WIDTH = 280;
const HEIGHT = 28;
const PAD = 4;
const BAR = { y: 8, height: 12 } as const;

export function RangePicture({ low, high, mean, notFinite, label, ...covered }: Props) {
  const [from, to] = [Math.min(covered.from, 0), Math.max(covered.to, 0)];
  const x = (value: number): number => PAD + ((WIDTH - 2 * PAD) * (value - from)) / (to - from || 1);
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} data-testid="range-picture">
      {Number.isFinite(low) ? (
        <>
          <rect class="evidence-range" x={x(low)} width={Math.max(1, x(high) - x(low))} {...BAR} />
          <line class="evidence-zero" x1={x(0)} x2={x(0)} y1="2" y2={HEIGHT - 2} />
          {Number.isFinite(mean) && <line class="evidence-mean" x1={x(mean)} x2={x(mean)} y1="4" y2={HEIGHT - 4} />}
        </>
      ) : (
        <rect class="evidence-bad" x={PAD} width={(WIDTH - 2 * PAD) * notFinite} {...BAR} />
      )}
    </svg>
  );
}
