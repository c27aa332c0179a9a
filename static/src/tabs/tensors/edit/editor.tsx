/** The editor of an input, above its picture. */

import type { Edits } from "../../../state/editing/edits";
import { Button } from "../../../ui/controls/button";
import type { PaneProps } from "../pane";
import { BrushControls, EditHistory } from "./edit_bar";
import { EditDownload } from "./edit_download";
import type { EditTarget } from "./edit_target";
import type { Editing } from "./use_editing";

interface Props {
  pane: PaneProps;
  target: EditTarget;
  edits: Edits;
  /** Null where nothing is edited now. */
  editing: Editing | null;
}

export function Editor({ pane, target, edits, editing }: Props) {
  const { store } = pane;
  const brush = store.brush.value;
  void edits.version.value;
  const { size } = edits.cells;
  const onEdit = (): void => {
    store.brush.value = { ...brush, isOn: editing === null };
    if (target.first === null) {
      // What is shown are means over the batch, which are no input.
      store.change("aggregation", target.firstSample);
    }
  };
  return (
    <div class="editor" role="group" aria-label="Edit this input">
      <div class="picture-bar">
        <Button
          testid="edit"
          keys="x"
          pressed={editing !== null}
          title={target.first === null ? "Change cells of the first sample" : "Change cells by clicking them"}
          onClick={onEdit}
        >
          {editing === null && size > 0 ? `Edit (${size} changed)` : "Edit"}
        </Button>
        {editing !== null && <BrushControls brush={brush} dtype={target.dtype} onBrush={(changed) => (store.brush.value = changed)} />}
        {editing !== null && (
          <EditHistory edits={edits} count={target.plan.places.length * target.plan.perSample} shown={editing.changed.size} />
        )}
      </div>
      {editing !== null && <EditDownload pane={pane} target={target} edits={edits} />}
      {editing !== null &&
        target.missing.map((sentence) => (
          <p key={sentence} class="soft editor-missing" data-testid="edit-missing">
            {sentence}
          </p>
        ))}
    </div>
  );
}
