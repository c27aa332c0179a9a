/** What tables have in common. */

import type { ComponentChildren } from "preact";

/** Around a table, so that one that is too wide scrolls by itself, by keyboard too. */
export function TableFrame({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={name}>
      {children}
    </div>
  );
}

/** The names of the columns; those of `numbers` stand to the right, as the numbers below them. */
export function TableHead({ columns, numbers = [] }: { columns: readonly string[]; numbers?: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col" class={numbers.includes(name) ? "number" : ""}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A row of numbers behind their name. */
export function NumberRow({ name, numbers }: { name: string; numbers: readonly string[] }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {numbers.map((number, k) => (
        <td key={k} class="number">
          {number}
        </td>
      ))}
    </tr>
  );
}
