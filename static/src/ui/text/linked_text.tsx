/** A text whose names of tensors, parameters and modules, and whose steps, lead to what they name. */

import { useMemo } from "preact/hooks";
import type { FoundProblem } from "../../data/format/findings";
import { readStep } from "../../data/format/steps";
import { linksOf, piecesWithMentions } from "../../state/findings/mentions";
import type { Store } from "../../state/store";
import { Name } from "./name";
import { nearnessText } from "./near_step";
import { Unbroken } from "./unbroken";

interface Props {
  store: Store;
  text: string;
  /** At which step the text means what it names; null: at the one that is shown. */
  step: number | null;
  /** What the text is about, which its steps lead to as well. */
  finding?: FoundProblem;
}

export function LinkedText({ store, text, step, finding }: Props) {
  // Read so that this is rendered again when names have been loaded.
  void store.version.value;
  const trial = store.trial.value;
  const pieces = useMemo(() => piecesWithMentions(text), [text]);
  const shown = store.selection.value.step;
  const links = trial === undefined ? [] : linksOf(store.bundle, trial, { step: step ?? shown, shown, finding }, pieces);
  return (
    <>
      {pieces.map(({ content, kind }, k) => {
        const link = links[k] ?? null;
        if (kind !== "code" && link === null) {
          return <Unbroken key={k} text={content} />;
        }
        const name = <Name text={content} />;
        const named = kind === "step" && trial !== undefined ? readStep(content) : null;
        const linked =
          link === null ? (
            name
          ) : (
            <a href={link} title={(named !== null && trial !== undefined && nearnessText(trial, named)) || undefined}>
              {name}
            </a>
          );
        return kind === "code" ? (
          <code key={k} class="code">
            {linked}
          </code>
        ) : (
          linked
        );
      })}
    </>
  );
}
