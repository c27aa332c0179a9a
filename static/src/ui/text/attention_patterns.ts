/** What the recorder says of patterns of attention, in words. */
export const PATTERNS: ReadonlyMap<string, string> = new Map([
  ["attention", "attention pattern"],
  ["attention_after_dropout", "attention pattern after dropout"],
]);
