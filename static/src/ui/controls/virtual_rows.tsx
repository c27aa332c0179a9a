/** A table of any length with rows of one height, of which only those in view exist. */

import type { ComponentChildren, ComponentProps } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { useVirtualScroll } from "./virtual_scroll";

const EXTRA_ROWS = 6;

/** Pixels above the header. */
const BORDER = 1;

interface Props {
  count: number;
  rowHeight: number;
  /** How many rows are in sight at once; if it is missing, as many as there is room for. */
  mostRows?: number;
  label: string;
  testId: string;
  /** When it changes, the table goes back to its top. */
  resetKey: string;
  /** A row to bring into view; a new object is a new request. */
  goTo: { row: number } | null;
  /** A row that stays in view. */
  header: ComponentChildren;
  renderRow: (row: number, top: number) => ComponentChildren;
  /** Called with the rows in view, before they are rendered. */
  onRange: (start: number, end: number) => void;
}

export function VirtualRows({ count, rowHeight, mostRows, label, testId, resetKey, goTo, header, renderRow, onRange }: Props) {
  const { scroller, spaceHeight, offset, height, shift, onScroll, moveTo } = useVirtualScroll(count * rowHeight, rowHeight);
  useLayoutEffect(() => moveTo(0), [resetKey]);
  useLayoutEffect(() => {
    if (goTo !== null) {
      moveTo(goTo.row * rowHeight);
    }
  }, [goTo]);

  const start = Math.max(0, Math.floor(offset / rowHeight) - EXTRA_ROWS);
  const end = Math.min(count, Math.ceil((offset + height) / rowHeight) + EXTRA_ROWS);
  onRange(start, end);
  const rows: ComponentChildren[] = [];
  for (let row = start; row < end; row++) {
    rows.push(renderRow(row, row * rowHeight + shift));
  }
  return (
    <div
      ref={scroller}
      class="virtual"
      data-testid={testId}
      data-arrow-keys
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      style={
        mostRows === undefined ? {} : { flex: "none", height: `${(Math.min(count, mostRows) + 1) * rowHeight + BORDER}px`, minHeight: 0 }
      }
      onScroll={onScroll}
    >
      {header}
      <div class="virtual-space" role="rowgroup" style={{ height: `${spaceHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

interface HeaderProps {
  class: string;
  columns: readonly string[];
  /** Columns whose names stand to the right, as the numbers below them. */
  numbers: readonly string[];
  /** What stands there instead of a name. */
  contents?: Readonly<Record<string, ComponentChildren>>;
}

/** The row that names the columns. */
export function HeaderRow({ class: className, columns, numbers, contents = {} }: HeaderProps) {
  return (
    <div class={`${className} value-header`} role="row" aria-rowindex={1}>
      {columns.map((name) => (
        <span key={name} role="columnheader" class={numbers.includes(name) ? "number" : ""}>
          {contents[name] ?? name}
        </span>
      ))}
    </div>
  );
}

export function Cell(props: ComponentProps<"span">) {
  return <span role="cell" {...props} />;
}
