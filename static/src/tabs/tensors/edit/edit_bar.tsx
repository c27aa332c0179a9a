/** The tools of an editor: what the brush does, undo, redo and reset, and what has been changed. */

import { typedValue } from "../../../data/arrays/number_encoding";
import type { Brush } from "../../../state/editing/brush";
import type { Edits } from "../../../state/editing/edits";
import { Button } from "../../../ui/controls/button";
import { CheckedField } from "../../../ui/controls/checked_field";
import { type Choice, Select } from "../../../ui/controls/select";
import { counted, grouped } from "../../../ui/text/format";

const KINDS: readonly Choice[] = [
  ["toggle", "toggles between 0 and"],
  ["set", "sets to"],
];

interface BrushProps {
  brush: Brush;
  dtype: string;
  onBrush: (brush: Brush) => void;
}

/** What happens to a cell that is clicked. */
export function BrushControls({ brush, dtype, onBrush }: BrushProps) {
  const check = (text: string): string => {
    const typed = typedValue(text, dtype);
    return typeof typed === "object" ? typed.wrong : "";
  };
  return (
    <div class="picture-control" role="group" aria-label="What a click does">
      <span>A click</span>
      <Select
        testid="edit-kind"
        label="What a click does"
        value={brush.kind}
        choices={KINDS}
        onChange={(kind) => onBrush({ ...brush, kind: kind === "set" ? "set" : "toggle" })}
      />
      <CheckedField
        class="edit-value"
        testid="edit-value"
        label="Value"
        text={brush.text}
        check={check}
        takes="input"
        onText={(text) => onBrush({ ...brush, text })}
      />
    </div>
  );
}

interface HistoryProps {
  edits: Edits;
  /** How many cells can be changed, and how many of those that are shown have been. */
  count: number;
  shown: number;
}

export function EditHistory({ edits, count, shown }: HistoryProps) {
  void edits.version.value;
  const { size } = edits.cells;
  return (
    <div class="picture-control" role="group" aria-label="Changes">
      <Button testid="edit-undo" inactive={!edits.canUndo} title="Undo (Ctrl+Z)" onClick={() => edits.undo()}>
        Undo
      </Button>
      <Button testid="edit-redo" inactive={!edits.canRedo} title="Redo (Ctrl+Shift+Z)" onClick={() => edits.redo()}>
        Redo
      </Button>
      <Button testid="edit-reset" inactive={size === 0} title="Restore all cells as recorded; can be undone" onClick={() => edits.reset()}>
        Reset
      </Button>
      <span role="status" data-testid="edit-count">
        {grouped(size)} of {counted(count, "cell")} changed{shown < size ? `, ${grouped(shown)} of them shown here` : ""}
      </span>
    </div>
  );
}
