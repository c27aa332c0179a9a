/** Names of layers with less than all of their words, so that what tells them apart is seen. */

import { elided } from "../../../ui/text/format";

const LEFT_OUT = "\u2026";
const WORDS = /[^\s._/:-]+/g;

/** Names may be hostile: of longer ones, the middle is left out at once. */
const LONGEST_READ = 400;

/**
 * The names, each with `longest` characters at most, as far as that is enough to tell them apart.
 *
 * A name that is too long loses the words that most of the names have, the first of equally common ones first; if one word is too
 * long, its middle. Names that are the same then have their number before them.
 */
export function shortNames(wholeNames: readonly string[], longest: number): string[] {
  const names = wholeNames.map((name) => elided(name, LONGEST_READ));
  const words = names.map((name) => [...name.matchAll(WORDS)]);
  const counts = new Map<string, number>();
  words.forEach((own) => new Set(own.map(([word]) => word)).forEach((word) => counts.set(word, (counts.get(word) ?? 0) + 1)));
  const short = names.map((name, k) =>
    elided(
      withoutCommon(name, words[k]!, longest, (word) => counts.get(word)!),
      longest,
    ),
  );
  return short.map((name, k) => (short.indexOf(name) === k && short.lastIndexOf(name) === k ? name : `${k + 1}: ${name}`));
}

function withoutCommon(name: string, words: readonly RegExpMatchArray[], longest: number, countOf: (word: string) => number): string {
  let kept = words.map((_, k) => k);
  let short = name;
  while (short.length > longest && kept.length > 1) {
    const most = Math.max(...kept.map((k) => countOf(words[k]![0])));
    const dropped = kept.find((k) => countOf(words[k]![0]) === most);
    kept = kept.filter((k) => k !== dropped);
    short = joined(name, words, kept);
  }
  return short;
}

/** Some words of a name, with what stands between those that are next to one another. */
function joined(name: string, words: readonly RegExpMatchArray[], kept: readonly number[]): string {
  const end = (k: number): number => words[k]!.index! + words[k]![0].length;
  let text = kept[0] === 0 ? name.slice(0, words[0]!.index) : LEFT_OUT;
  kept.forEach((k, place) => {
    const before = kept[place - 1];
    text += before === undefined ? "" : before === k - 1 ? name.slice(end(before), words[k]!.index) : LEFT_OUT;
    text += words[k]![0];
  });
  const last = kept.at(-1)!;
  return text + (last === words.length - 1 ? name.slice(end(last)) : LEFT_OUT);
}
