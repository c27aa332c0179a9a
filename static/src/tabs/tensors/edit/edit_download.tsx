/** Takes the edited input out of the page, and says how the network is run on it. */

import { useState } from "preact/hooks";
import { GatheredValues } from "../../../data/arrays/gathered_values";
import { fileName, npyFile } from "../../../data/arrays/npy";
import { messageOf } from "../../../data/format/errors";
import type { Edits } from "../../../state/editing/edits";
import { Button } from "../../../ui/controls/button";
import { save, savedText } from "../../../ui/save";
import type { PaneProps } from "../pane";
import { gatherAll } from "../use_gathered";
import type { EditTarget } from "./edit_target";
import { type EditedArray, editedArray, editJson } from "./edited_file";

interface Props {
  pane: PaneProps;
  target: EditTarget;
  edits: Edits;
}

export function EditDownload({ pane, target, edits }: Props) {
  const { store, shown, open, record } = pane;
  const [outcome, setOutcome] = useState("");
  const { selection } = shown;
  const name = (ending: string): string => fileName([selection.trial, target.name, `step${selection.step}`, "edited"], ending);
  const download = async (ending: string, contentOf: (array: EditedArray) => BlobPart[], type: string): Promise<void> => {
    try {
      setOutcome("Loading\u2026");
      const values = new GatheredValues(open.content.numbers.recorded(record));
      await gatherAll(store, values);
      const array = editedArray(target.plan, values.bytes, values.dtype, target.dtype, edits.cells);
      save(new Blob(contentOf(array), { type }), name(ending));
      setOutcome(savedText(name(ending)));
    } catch (error) {
      setOutcome(
        error instanceof RangeError ? "This browser lacks the memory for so many values." : `That did not work: ${messageOf(error)}`,
      );
    }
  };
  const tensor = {
    group: store.bundle.index.group,
    trial: selection.trial,
    rank: open.trial.rank ?? 0,
    step: selection.step,
    iteration: target.iteration,
    tensor: target.name,
    samples: target.samples,
    missing: target.missing,
  };
  return (
    <div class="value-actions" role="group" aria-label="Export the edited input">
      <Button
        testid="edit-download-npy"
        title="The whole input with the changes, for numpy.load"
        onClick={() => void download("npy", (array) => npyFile(array.bytes, array.dtype, array.shape), "application/octet-stream")}
      >
        Download input .npy
      </Button>
      <Button
        testid="edit-download-json"
        title="Which tensor it replaces, and every change"
        onClick={() => void download("json", (array) => [editJson(tensor, array)], "application/json")}
      >
        Download changes .json
      </Button>
      <span class="soft outcome" role="status" data-testid="edit-outcome">
        {outcome}
      </span>
      <details class="edit-rerun" data-testid="edit-rerun">
        <summary>Run the network on it</summary>
        <p>
          Put both files in one folder. A function <code>rerun(input, recorder)</code> in your script runs the network, and what it records
          becomes a new trial. It uses the weights that it loads, so load those of this step:
        </p>
        <code class="edit-command">comgra-export rerun SCRIPT.py --input {name("npy")} --recordings RECORDINGS</code>
      </details>
    </div>
  );
}
