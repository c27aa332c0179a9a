/** Hands a file over to the person. */

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Browsers begin to read it after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
