/** While a file is dragged over the page, all of it is a place to drop it. */

import { render } from "preact";
import type { Store } from "../../state/store";
import { openFiles } from "./open_files";
import { openableInWords } from "./openers";

export function startDropping(store: Store): void {
  const zone = document.createElement("div");
  zone.className = "drop-zone";
  zone.dataset.testid = "drop-zone";
  zone.hidden = true;
  render(<p>Drop {openableInWords()} to view its data here</p>, zone);
  document.body.append(zone);
  const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  const over = (event: DragEvent): void => {
    if (isFile(event)) {
      event.preventDefault();
      zone.hidden = false;
    }
  };
  document.addEventListener("dragenter", over);
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => {
    // Between two elements of the page there is another one to go to.
    if (event.relatedTarget === null) {
      zone.hidden = true;
    }
  });
  document.addEventListener("drop", (event) => {
    zone.hidden = true;
    if (isFile(event)) {
      event.preventDefault();
      void openFiles(store, [...event.dataTransfer!.files]);
    }
  });
}
