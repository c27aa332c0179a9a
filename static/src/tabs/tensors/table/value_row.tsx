/** A row of the table of values: an item, its index, a bar, the number, and what B has there. */

import type { Value } from "../../../data/arrays/numbers";
import { Hint } from "../../../ui/controls/hint";
import { Cell, HeaderRow } from "../../../ui/controls/virtual_rows";
import { exactText, indexText, numberText } from "../../../ui/text/format";
import { CellsOfB, COMPARED } from "../compare/compared_cells";
import { BarLegend, type BarScale, ValueBar } from "./value_bar";

const COLUMNS = ["Item", "Index", "Bar", "Value"];
const COMPARED_COLUMNS = ["Item", "Index", "Bar", ...COMPARED];
/** A value that is not loaded yet. */
const NOT_YET = "\u2026";

/** How all numbers of a table are shown. */
export interface Look {
  shape: readonly number[];
  /** How the statistics of samples became one number. */
  over: string;
  scale: BarScale | null;
  hasAllDigits: boolean;
}

/** The names of the columns. The bars have their legend above them. */
export function Header({ isCompared, scale, hasAllDigits }: Pick<Look, "scale" | "hasAllDigits"> & { isCompared: boolean }) {
  return (
    <HeaderRow
      class={rowClass({ "with-b": isCompared, "all-digits": hasAllDigits })}
      columns={isCompared ? COMPARED_COLUMNS : COLUMNS}
      numbers={isCompared ? COMPARED : ["Value"]}
      contents={scale === null || isCompared ? {} : { Bar: <BarLegend scale={scale} /> }}
    />
  );
}

/** The classes of a row of the table. */
function rowClass(kinds: Readonly<Record<string, boolean>>): string {
  return ["value-row", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" ");
}

interface RowProps extends Look {
  row: number;
  top: number;
  item: string;
  /** Place of the value; undefined for a statistic. */
  k?: number;
  /** Whether the note that is read points at it. */
  isPointed?: boolean;
  value: Value | undefined;
  /** What B has there; null if nothing is compared. */
  b: { value: Value | null | undefined } | null;
  dtype: string;
}

export function Row({ row, top, item, k, isPointed = false, value, b, dtype, shape, over, scale, hasAllDigits }: RowProps) {
  const isStatistic = k === undefined;
  return (
    <div
      class={rowClass({ statistic: isStatistic, pointed: isPointed, "with-b": b !== null, "all-digits": hasAllDigits })}
      role="row"
      aria-rowindex={row + 2}
      data-testid="value-row"
      data-item={item}
      data-index={k}
      style={{ top: `${top}px` }}
    >
      <Cell class={isStatistic ? "" : "soft"}>
        {item}
        {item === "mean" && (
          <Hint of="the order of aggregation" testid="order-hint">
            First over the values of each sample, then over the batch. So &ldquo;mean&rdquo; under &ldquo;Maximum absolute value over the
            batch&rdquo; is the largest magnitude among the samples&rsquo; means, not a mean of maxima.
          </Hint>
        )}
      </Cell>
      <Cell class="index" title={isStatistic ? over : ""}>
        {isStatistic ? over : indexText(k, shape)}
      </Cell>
      <Cell>{value !== undefined && <ValueBar value={Number(value)} scale={scale} />}</Cell>
      {value === undefined ? (
        <Cell class="number soft">{NOT_YET}</Cell>
      ) : (
        <Cell class="number" data-testid="value" title={exactText(value, dtype)}>
          {hasAllDigits ? exactText(value, dtype) : numberText(value, dtype)}
        </Cell>
      )}
      {b !== null && <CellsOfB a={value} b={b.value} dtype={dtype} />}
    </div>
  );
}
