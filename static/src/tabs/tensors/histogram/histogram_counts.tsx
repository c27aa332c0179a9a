/** What a histogram leaves out, and its bins as a table. */

import type { Facts } from "../../../data/records/step_numbers";
import type { Census } from "../../../kits/heatmap/value_census";
import { NumberRow, TableFrame, TableHead } from "../../../ui/controls/table_frame";
import { brief, grouped, share } from "../../../ui/text/format";
import type { Histogram } from "./bins";

/** The last bin includes its upper edge. */
export function binText({ edges, counts, whole }: Histogram, bin: number): string {
  return whole ? brief(edges[bin]!) : `${brief(edges[bin]!)} to ${brief(edges[bin + 1]!)}${bin === counts.length - 1 ? ", included" : ""}`;
}

/** How many values were counted. */
function sizeOfCensus({ finite, nan, positiveInfinity, negativeInfinity }: Census): number {
  return finite + nan + positiveInfinity + negativeInfinity;
}

/** What no bar shows, exactly. Beside it what is known of the whole batch, where there is one. */
interface CountsProps {
  census: Census;
  /** That of B, if two views are compared. */
  other: Census | undefined;
  facts: Facts | null | undefined;
  /** How many values the whole batch has; null where that is not known. */
  whole: number | null;
}

export function Counts({ census, other, facts, whole: ofBatch }: CountsProps) {
  const kinds = [
    ["NaN", census.nan, facts?.nan, other?.nan],
    ["+inf", census.positiveInfinity, facts?.positiveInfinity, other?.positiveInfinity],
    ["\u2212inf", census.negativeInfinity, facts?.negativeInfinity, other?.negativeInfinity],
    ["zeros", census.zeros, facts?.zeros, other?.zeros],
  ] as const;
  const names = kinds.map(([name]) => name);
  return (
    <TableFrame name="NaN, infinities and zeros">
      <table class="counts" data-testid="histogram-counts">
        <TableHead columns={["Exactly", ...names]} numbers={names} />
        <tbody>
          <NumberRow name="here" numbers={kinds.map(([, here]) => share(here, sizeOfCensus(census)))} />
          {other !== undefined && <NumberRow name="in B" numbers={kinds.map(([, , , inB]) => share(inB ?? 0, sizeOfCensus(other)))} />}
          {facts !== null && (
            <NumberRow
              name="in the whole batch"
              numbers={kinds.map(([, , whole]) => (whole === undefined ? "\u2026" : share(whole, ofBatch)))}
            />
          )}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** The same for those who do not see the bars. */
export function BinTable({ histogram, other }: { histogram: Histogram; other: Histogram | undefined }) {
  const columns = other === undefined ? ["Count"] : ["A", "B"];
  return (
    <details class="bin-table">
      <summary>The bins as a table</summary>
      <TableFrame name="Bins of the histogram">
        <table data-testid="histogram-bins">
          <TableHead columns={["Values", ...columns]} numbers={columns} />
          <tbody>
            {Array.from(histogram.counts, (count, bin) => (
              <tr key={bin}>
                <td>{binText(histogram, bin)}</td>
                <td class="number">{grouped(count)}</td>
                {other !== undefined && <td class="number">{grouped(other.counts[bin]!)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </details>
  );
}
