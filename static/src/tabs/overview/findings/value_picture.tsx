/** The values of a tensor at a step as a small histogram, with what is among them in words. */

import { useEffect } from "preact/hooks";
import { allOf, type Numbers } from "../../../data/arrays/lanes";
import type { Value } from "../../../data/arrays/numbers";
import type { FoundEvidence } from "../../../data/format/findings";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import type { HistogramRecord } from "../../../data/records/histograms";
import type { TensorRecord } from "../../../data/records/record_offsets";
import type { StepNumbers } from "../../../data/records/step_numbers";
import { useNear } from "../../../kits/history/use_near";
import type { Store } from "../../../state/store";
import { allChunks, loaded } from "../../../ui/scheduling/until_loaded";
import { brief, share, sizeOf } from "../../../ui/text/format";
import { BARS, barsOfHistogram, barsOfValues, placeOf, sharedAxis } from "./distribution";
import { EvidenceCurve } from "./evidence_curve";
import { RangePicture } from "./range_picture";

interface Props {
  store: Store;
  trial: Trial;
  evidence: FoundEvidence;
  /** Values that are shown beside these, on the same axis. */
  beside?: FoundEvidence | null;
}

/** What a picture shows. */
interface Distributed {
  /** Counts in bars from one value to another; all of them are 0 where only the extremes are known. */
  barsBetween: (from: number, to: number) => Float64Array;
  /** NaN where no value is finite. */
  low: number;
  high: number;
  /** How many values are as `SPECIAL` says, and how many there are. */
  special: readonly Value[];
  size: number;
  /** NaN where it is not known. */
  mean: number;
}

const SPECIAL = ["NaN", "+inf", "-inf", "zeros"] as const;
const ZEROS = SPECIAL.indexOf("zeros");

/** The values of larger tensors are not read for a small picture. */
const MOST_VALUES = 2 ** 16;
const WIDTH = 280;
const HEIGHT = 64;
const PAD = 4;

/** Read once it is near: what is far down, or folded, costs nothing. */
export function ValuePicture(props: Props) {
  const [frame, isNear] = useNear();
  return <div ref={frame}>{isNear === true && <Picture {...props} />}</div>;
}

function Picture({ store, trial, evidence, beside = null }: Props) {
  // Read so that this is rendered again when the numbers have been loaded.
  void store.version.value;
  const { chunks } = store.bundle;
  const { needs, read } = sourceOf(store, trial, evidence);
  const distributed = read();
  const other = beside === null ? null : sourceOf(store, trial, beside).read();
  useEffect(() => {
    if (distributed === null) {
      chunks.request([...needs]);
    }
  }, [evidence, distributed === null, needs.length]);
  if (distributed === null) {
    return null;
  }
  const { barsBetween, low, high, special, size, mean } = distributed;
  const axis = other === null ? null : sharedAxis(distributed, other);
  const { from, to } = axis ?? { from: low, to: high };
  const bars = barsBetween(from, to);
  const hasBars = bars.some((count) => count > 0);
  const range = Number.isNaN(low) ? "no finite value" : low === high ? `all ${brief(low)}` : `${brief(low)} to ${brief(high)}`;
  const known = hasBars || Number.isNaN(mean) || low === high ? [] : [`mean ${brief(mean)}`];
  const words = [range, ...known, ...special.flatMap((count, k) => (Number(count) > 0 ? [`${SPECIAL[k]} ${share(count, size)}`] : []))];
  const said = `${evidence.name} at ${stepInWords(evidence.step)}: ${words.join(", ")}`;
  const notFinite = special.slice(0, ZEROS).reduce((sum: number, count) => sum + Number(count), 0) / size;
  const picture = (
    <span class="sparkline" data-testid="value-picture">
      {hasBars ? (
        <Bars bars={bars} zero={axis === null ? null : placeOf(0, from, to)} label={`Histogram of ${said}`} />
      ) : (
        <RangePicture low={low} high={high} from={from} to={to} mean={mean} notFinite={notFinite} label={`Range of ${said}`} />
      )}
      <span class="sparkline-range">
        {words.map((text) => (
          <span key={text}>{text}</span>
        ))}
        {axis !== null && hasBars && (
          <span data-testid="shared-axis">
            both drawn from {brief(from)} to {brief(to)}
            {from <= 0 && to >= 0 && ", gray line: 0"}
          </span>
        )}
      </span>
    </span>
  );
  // How it went says more about a single value than a bar.
  return size === 1 && low === high ? (
    <EvidenceCurve store={store} trial={trial} evidence={evidence} item="mean" instead={picture} />
  ) : (
    picture
  );
}

/** `zero` is its place among the bars, null where it is not marked. */
function Bars({ bars, zero, label }: { bars: Float64Array; zero: number | null; label: string }) {
  const most = Math.max(...bars);
  const width = (WIDTH - 2 * PAD) / BARS;
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {[...bars].map((count, k) => {
        // What is there at all can be seen.
        const height = count > 0 ? Math.max(1, ((HEIGHT - PAD) * count) / most) : 0;
        return <rect key={k} class="evidence-bar" x={PAD + k * width} y={HEIGHT - height} width={width - 0.75} height={height} />;
      })}
      {zero !== null && zero >= 0 && zero <= BARS && (
        <line class="evidence-zero" x1={PAD + zero * width} x2={PAD + zero * width} y1="0" y2={HEIGHT} />
      )}
    </svg>
  );
}

/** Waits for what the picture needs. */
export async function loadPicture(store: Store, trial: Trial, evidence: FoundEvidence): Promise<void> {
  const { bundle } = store;
  await loaded(store, () => bundle.step(trial, trial.steps.step.indexOf(evidence.step)));
  await loaded(store, () => bundle.histograms(trial));
  await allChunks(store, sourceOf(store, trial, evidence).needs);
}

interface Source {
  /** The chunks that are needed. */
  needs: readonly number[];
  /** Null while they are not loaded, and where nothing is known. */
  read: () => Distributed | null;
}

const NOTHING: Source = { needs: [], read: () => null };

/** The values, if they were recorded, or else the tensor's histogram at the step, or else what is counted of it. */
function sourceOf({ bundle }: Store, trial: Trial, evidence: FoundEvidence): Source {
  const { name, iteration, group, step } = evidence;
  const opened = bundle.step(trial, trial.steps.step.indexOf(step));
  if (opened.state !== "ready") {
    return NOTHING;
  }
  const { layout, table, numbers } = opened.value;
  const { tensors } = layout;
  const tensor = tensors.name.findIndex((known, k) => known === name && tensors.iteration[k] === iteration);
  const record = table.byGroup.get(group)?.get(tensor);
  if (record === undefined) {
    return NOTHING;
  }
  const values = numbers.recorded(record);
  const size = sizeOf(tensors.shape[tensor]!);
  if (values.length > 0 && values.length <= MOST_VALUES) {
    return ofNumbers(numbers, record, values, size);
  }
  const histograms = bundle.histograms(trial);
  if (histograms.state === "loading") {
    return NOTHING;
  }
  const known = histograms.state === "ready" ? (histograms.value?.records(name, iteration) ?? []) : [];
  return ofHistogram(known, evidence) ?? ofNumbers(numbers, record, null, size);
}

/** What is counted of the tensor, and bars of the samples that were recorded, if there are any. */
function ofNumbers(numbers: StepNumbers, record: TensorRecord, values: Numbers | null, size: number): Source {
  return {
    needs: [...numbers.overviewChunks(record, 0), ...(values === null ? [] : values.chunks(0, values.length))],
    read: () => {
      const facts = numbers.facts(record);
      const all = values === null ? [] : allOf(values);
      if (facts === undefined || all === undefined) {
        return null;
      }
      const [low, high] = [Number(facts.smallest), Number(facts.largest)];
      const { nan, positiveInfinity, negativeInfinity, zeros } = facts;
      const place = record.items.indexOf("mean");
      const mean = place < 0 ? NaN : Number(numbers.statistics(record, 0).at(place));
      const special = [nan, positiveInfinity, negativeInfinity, zeros];
      return { barsBetween: (from, to) => barsOfValues(all, from, to), low, high, special, size, mean };
    },
  };
}

/** Null where the tensor has no histogram at the step. */
function ofHistogram(histograms: readonly HistogramRecord[], { group, step }: FoundEvidence): Source | null {
  const record = histograms.find((known) => known.group === group && known.steps.includes(step));
  return record === undefined
    ? null
    : {
        needs: record.chunks,
        read: () => {
          const histogram = record.read()?.[record.steps.indexOf(step)];
          if (histogram === undefined) {
            return null;
          }
          const { smallest: low, largest: high, nan, positiveInfinities, negativeInfinities, allZeros, size } = histogram;
          return {
            barsBetween: (from, to) => barsOfHistogram(histogram, from, to),
            low,
            high,
            special: [nan, positiveInfinities, negativeInfinities, allZeros],
            size,
            mean: NaN,
          };
        },
      };
}
