/** Around a table, so that one that is too wide scrolls by itself, by keyboard too. */

import type { ComponentChildren } from "preact";

export function TableFrame({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={name}>
      {children}
    </div>
  );
}
