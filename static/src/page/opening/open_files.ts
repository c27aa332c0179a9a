/** Opens files that a person dropped or chose, and shows them in place of the current data. */

import { messageOf } from "../../data/format/errors";
import { leaveOwn } from "../../state/loading/own_data";
import { replaceData } from "../../state/loading/replace";
import type { Store } from "../../state/store";
import type { FileOpening } from "../../ui/controls/file_chooser";
import { ALL_ENDINGS, OPENERS, openableInWords } from "./openers";

export function fileOpening(store: Store): FileOpening {
  return { what: openableInWords(), endings: ALL_ENDINGS, open: (files) => void openFiles(store, files) };
}

export async function openFiles(store: Store, files: readonly File[]): Promise<void> {
  const [first, ...others] = files;
  if (first === undefined) {
    return;
  }
  store.refused.value = null;
  const opener = OPENERS.find(({ accepts }) => files.every(({ name }) => accepts(name)));
  const named = others.length === 0 ? `\u201c${first.name}\u201d` : `These ${files.length} files`;
  if (opener === undefined) {
    store.refused.value = `${named} cannot be opened here. Drop ${openableInWords()}.`;
    return;
  }
  try {
    const data = await opener.open(files);
    leaveOwn(store);
    await replaceData(
      store,
      data,
      files.map(({ name }) => name),
    );
    store.tab.value = opener.tab ?? store.tab.value;
    store.updated.value = Date.now();
  } catch (error) {
    const tooLarge = error instanceof DOMException || error instanceof RangeError;
    const reason = tooLarge ? "It cannot be read, or it is too large for this page. Open it in the browser instead." : messageOf(error);
    store.refused.value = `${named} cannot be opened. ${reason}`;
  }
}
