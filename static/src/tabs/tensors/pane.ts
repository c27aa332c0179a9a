/** What every pane of the selected tensor is given. */

import type { TensorRecord } from "../../data/records/record_offsets";
import type { OpenStep } from "../../state/selection/open_step";
import type { Shown, Store } from "../../state/store";

/** What a pane shows: the record of a tensor, where something was recorded for it. */
export interface PaneProps {
  store: Store;
  shown: Shown;
  open: OpenStep;
  record: TensorRecord;
}
