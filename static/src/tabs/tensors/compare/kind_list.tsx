/** How A and B differ in structure, as a list of links: said before any number. */

import type { Kind, KindDifference, Seen } from "../../../state/comparison/kinds/difference";
import { linkToDifference } from "../../../state/comparison/links";
import type { Store } from "../../../state/store";
import { Cell, HeaderRow, VirtualRows } from "../../../ui/controls/virtual_rows";
import { counted, nodeLabel, roleLabel } from "../../../ui/text/format";
import { settingText } from "../../../ui/text/training_text";

const ROW_HEIGHT = 26;

/** Rows that are in sight at once. */
const MOST_ROWS = 8;

/** What stands for something that is there, and for what is not, where there is nothing else to say about it. */
const PRESENCE: Partial<Record<Kind, readonly [there: string, lacking: string]>> = { gradient: ["flows", "does not flow"] };

export function KindList({ store }: { store: Store }) {
  const kinds = store.kinds.value;
  return kinds === null ? null : (
    <section aria-label="Differences in structure" data-testid="kinds">
      <p class="compare-summary">
        <strong data-testid="kinds-summary">{kindsSentence(kinds)}</strong>
      </p>
      {kinds.length > 0 && (
        <VirtualRows
          count={kinds.length}
          rowHeight={ROW_HEIGHT}
          mostRows={MOST_ROWS}
          label="Differences in structure"
          testId="kinds-table"
          resetKey=""
          goTo={null}
          header={<HeaderRow class="compare-row kind-row" columns={["Differs", "Where", "A", "B"]} numbers={[]} />}
          renderRow={(row, top) => <Row key={row} store={store} row={row} top={top} difference={kinds[row]!} />}
          onRange={() => undefined}
        />
      )}
    </section>
  );
}

/** `3 differences in structure: operation (2), hyperparameter (1).` */
export function kindsSentence(kinds: readonly KindDifference[]): string {
  if (kinds.length === 0) {
    return "No difference in structure: the same operations, shapes, connections and settings, as far as they were recorded.";
  }
  const counts = new Map<Kind, number>();
  kinds.forEach(({ kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return `${counted(kinds.length, "difference")} in structure: ${[...counts].map(([kind, count]) => `${kind} (${count})`).join(", ")}.`;
}

/** What a side has, in words. */
function seenText(kind: Kind, seen: Seen): string {
  const [there, lacking] = PRESENCE[kind] ?? ["present", "missing"];
  return seen === undefined ? lacking : seen === true && kind !== "hyperparameter" ? there : settingText(seen);
}

/** What a difference is about. */
function differenceName({ name, place, kind, iterations }: KindDifference): string {
  const isTensor = place !== null && place.role !== null && kind !== "node";
  const role = isTensor && place.role !== place.node ? ` / ${roleLabel(place.role!)}` : "";
  const shown = isTensor ? `${nodeLabel(place.node)}${role}` : name.split(" \u2192 ").map(nodeLabel).join(" \u2192 ");
  return iterations.length > 1 ? `${shown} (${counted(iterations.length, "iteration")})` : shown;
}

function Row({ store, row, top, difference }: { store: Store; row: number; top: number; difference: KindDifference }) {
  const { kind, a, b } = difference;
  const name = differenceName(difference);
  const [textOfA, textOfB] = [seenText(kind, a), seenText(kind, b)];
  return (
    <div class="compare-row kind-row" role="row" aria-rowindex={row + 2} data-testid="kind" style={{ top: `${top}px` }}>
      <Cell class="soft">{kind}</Cell>
      <Cell>
        <a href={linkToDifference(store, difference)} title={name}>
          <bdi>{name}</bdi>
        </a>
      </Cell>
      <Cell title={textOfA}>
        <bdi>{textOfA}</bdi>
      </Cell>
      <Cell title={textOfB}>
        <bdi>{textOfB}</bdi>
      </Cell>
    </div>
  );
}
