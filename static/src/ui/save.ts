/** Hands a file over to the person. */

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Browsers begin to read it after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Whether a file that was handed over is saved for sure: a page within another one is not told whether it may save files. */
export function isSaved(): boolean {
  return window.parent === window;
}

/** What is known after that; `more` says what the file is. */
export function savedText(name: string, more = ""): string {
  return isSaved()
    ? `Saved as ${name}${more}.`
    : `Handed over as ${name}${more}. If no file appears, the page around this one forbids it: open this page by itself.`;
}
