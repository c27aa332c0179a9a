/** What is unusual about a tensor, a parameter or a module on the step that is shown: it has a badge, whatever the nodes are coloured by. */

/** The worst first. */
const BADGES = [
  "finding",
  "nan",
  "nan-gradient",
  "infinite",
  "infinite-gradient",
  "never-updated",
  "zero",
  "zero-gradient",
  "not-known",
] as const;
export type Badge = (typeof BADGES)[number];

/** What is wrong with numbers, whether they are values or gradients. */
export type NumberKind = "nan" | "infinite" | "zero";

export const BADGE_WORDS: Readonly<Record<Badge, string>> = {
  finding: "finding",
  nan: "NaN",
  "nan-gradient": "NaN gradient",
  infinite: "infinite",
  "infinite-gradient": "infinite gradient",
  "never-updated": "never updated",
  zero: "all zero",
  "zero-gradient": "zero gradient",
  "not-known": "origin not known",
};

/** Each badge once, the worst first. */
export function sortedBadges(badges: Iterable<Badge>): Badge[] {
  const own = new Set(badges);
  return BADGES.filter((badge) => own.has(badge));
}

/** How many of these have each badge. */
export function countBadges(all: Iterable<readonly Badge[]>): ReadonlyMap<Badge, number> {
  const lists = [...all];
  const counts = BADGES.map((badge) => [badge, lists.filter((own) => own.includes(badge)).length] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}
