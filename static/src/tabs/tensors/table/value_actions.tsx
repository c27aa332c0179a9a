/** Takes the values out of the page: as text in the clipboard, or as a file. */

import { useEffect, useRef, useState } from "preact/hooks";
import { GatheredValues } from "../../../data/arrays/gathered_values";
import { fileName, npyFile } from "../../../data/arrays/npy";
import { messageOf } from "../../../data/format/errors";
import { Button } from "../../../ui/controls/button";
import { save, savedText } from "../../../ui/save";
import { grouped } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import { shownValues } from "../selected_values";
import { gatherAll } from "../use_gathered";
import { csvText, MOST_COPIED, numpyText } from "./values_text";

interface Props extends PaneProps {
  /** The order of the rows, or null for that of their indices. */
  places: Uint32Array | null;
}

/** A text that the browser did not let us copy is shown, for the person to copy. */
interface Outcome {
  message: string;
  text?: string;
}

export function ValueActions({ places, ...pane }: Props) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { store, shown } = pane;
  const { numbers, shape, axes } = shownValues(pane);
  const { selection } = shown;
  useEffect(() => setOutcome(null), [numbers.dtype, selection]);
  if (numbers.length === 0) {
    return null;
  }
  const run = async (act: (values: GatheredValues) => Promise<Outcome> | Outcome): Promise<void> => {
    try {
      setOutcome({ message: "Loading\u2026" });
      const values = new GatheredValues(numbers);
      await gatherAll(store, values);
      setOutcome(await act(values));
    } catch (error) {
      setOutcome({
        message:
          error instanceof RangeError ? "This browser lacks the memory for so many values." : `That did not work: ${messageOf(error)}`,
      });
    }
  };
  const copy = (name: string, text: (values: GatheredValues) => string): void => {
    if (numbers.length > MOST_COPIED) {
      setOutcome({
        message: `${grouped(numbers.length)} values are too many to copy; up to ${grouped(MOST_COPIED)} can be. Download them instead.`,
      });
      return;
    }
    void run((values) => copied(name, text(values)));
  };
  const asCsv = (values: GatheredValues): string =>
    csvText(
      (k) => values.at(k) ?? NaN,
      places ?? Uint32Array.from({ length: values.length }, (_, k) => k),
      axes.map((axis) => `axis_${axis.position}`),
      shape,
      numbers.dtype,
    );
  const asNumpy = (values: GatheredValues): string => numpyText((k) => values.at(k) ?? NaN, shape, numbers.dtype);
  const download = (values: GatheredValues): Outcome => {
    const name = fileName(
      [
        selection.node,
        ...(selection.role === selection.node ? [] : [selection.role]),
        selection.recording,
        `step${selection.step}`,
        selection.aggregation,
      ],
      "npy",
    );
    save(new Blob(npyFile(values.bytes, values.dtype, shape), { type: "application/octet-stream" }), name);
    return { message: savedText(name, numbers.dtype === "BF16" ? ", as float32: NumPy has no bfloat16" : "") };
  };
  return (
    <div class="value-actions" role="group" aria-label="Export these values">
      <Button testid="copy-csv" onClick={() => copy("CSV", asCsv)}>
        Copy as CSV
      </Button>
      <Button
        testid="copy-numpy"
        title="With its shape and dtype; needs: import numpy as np"
        onClick={() => copy("a NumPy literal", asNumpy)}
      >
        Copy as NumPy
      </Button>
      <Button testid="download-npy" title={`All ${grouped(numbers.length)} values, for numpy.load`} onClick={() => void run(download)}>
        Download .npy
      </Button>
      <span class="soft outcome" role="status" data-testid="copy-outcome">
        {outcome?.message}
      </span>
      {outcome?.text !== undefined && <CopyByHand text={outcome.text} />}
    </div>
  );
}

async function copied(name: string, text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return { message: `Copied as ${name}.` };
  } catch {
    return { message: "The browser does not let this page copy. Press Ctrl+C (\u2318C) to copy what is selected:", text };
  }
}

function CopyByHand({ text }: { text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [text]);
  return (
    <textarea ref={field} class="copy-by-hand mono" data-testid="copy-by-hand" aria-label="Text to copy" readOnly rows={4} value={text} />
  );
}
