/** Lists the values in the order that the person asks for. */

import type { GatheredValues } from "../../../data/arrays/gathered_values";
import type { Store } from "../../../state/store";
import { Select } from "../../../ui/controls/select";
import { useSliced } from "../../../ui/scheduling/time_slices";
import { counted } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { useGathered } from "../use_gathered";
import { ORDER_LABELS, ORDERS, type Order, readOrder, sortedPlaces } from "./sort_order";

/** Sorting more values than these would need too much memory. */
const MOST_SORTED = 2 ** 24;

interface Sorting {
  /** What was asked for, or null. */
  order: Order | null;
  /** The places of the values in this order; null where they are listed by their indices, or not all loaded yet. */
  places: Uint32Array | null;
  values: GatheredValues | null;
  error: Error | undefined;
  /** What is to be said about it. */
  remark: string;
}

export function useSorting(pane: PaneProps, aggregation: number, count: number): Sorting {
  const order = readOrder(pane.store.view.value.get("order"));
  const wanted = order !== null && count <= MOST_SORTED;
  const gathering = useGathered(pane, aggregation, 0, count, wanted);
  const values = gathering?.values ?? null;
  const places = useSliced(values?.complete && order !== null ? () => sortedPlaces(values, order) : null, [
    values,
    values?.complete,
    order,
  ]);
  const remark = order === null || places !== null ? "" : sortingRemark(values, count);
  return { order, places, values, error: gathering?.error, remark };
}

/** What sorting waits for. */
function sortingRemark(values: GatheredValues | null, count: number): string {
  if (values === null) {
    return "too many values to sort";
  }
  const { loaded, total } = values.progress;
  return values.complete ? `sorting ${counted(count, "value")}\u2026` : `loading ${loaded} of ${counted(total, "part")}`;
}

export function OrderControl({ store, sorting }: { store: Store; sorting: Sorting }) {
  return (
    <label class="picture-control">
      <span>Order</span>
      <Select
        testid="table-order"
        value={sorting.order ?? ""}
        choices={[["", "by index"], ...ORDERS.map((order) => [order, ORDER_LABELS[order]] as const)]}
        onChange={(order) => store.setView("order", order || null)}
      />
      {sorting.remark !== "" && (
        <span class="soft" role="status">
          {sorting.remark}
        </span>
      )}
    </label>
  );
}
