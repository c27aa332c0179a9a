/** Ways to keep and to sort what data is made of. */

/** The items by their keys, each key in its first place. */
export function groupedBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, [item]);
    } else {
      known.push(item);
    }
  }
  return groups;
}

/** A function that works its result out once per object, and keeps it as long as the object. */
export function oncePer<Of extends object, Result>(workOut: (of: Of) => Result): (of: Of) => Result {
  const known = new WeakMap<Of, { result: Result }>();
  return (of) => {
    const kept = known.get(of) ?? { result: workOut(of) };
    known.set(of, kept);
    return kept.result;
  };
}
