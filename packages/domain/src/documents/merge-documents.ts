/** What a document holds, or null where there is none. */
export type Body = Readonly<Record<string, unknown>> | null;

/** Two writers gave one field different values; one of them is kept. */
export type FieldConflict = {
  /** The names that lead to the field; empty for the document itself. */
  path: readonly string[];
  kept: unknown;
  /** What the other one wrote; undefined for a deletion. */
  dropped: unknown;
};

export type Merge = { body: Body; conflicts: readonly FieldConflict[] };

export type MergeInput = {
  /** What both writers began with. */
  base: Body;
  mine: Body;
  theirs: Body;
  /** Whether mine was written after theirs. */
  isMineNewer: boolean;
};

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Texts and numbers, each once: the order of such a list means nothing, so it is merged by element. */
function isSet(value: unknown): value is readonly (string | number)[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one === "string" || typeof one === "number") &&
    new Set(value).size === value.length
  );
}

/** Compares JSON; the order of names does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, index) => isSameJson(one, b[index]));
  }
  if (isFields(a) && isFields(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
    );
  }
  return Object.is(a, b);
}

/** What was in a set stays unless one writer took it out, and what one of them added is in it. */
function mergeSets(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[],
): unknown[] {
  const [before, inMine, inTheirs] = [new Set(base), new Set(mine), new Set(theirs)];
  const isIn = (one: unknown) =>
    before.has(one) ? inMine.has(one) && inTheirs.has(one) : inMine.has(one) || inTheirs.has(one);
  // In one order for both writers, so that each merges alike.
  const added = [...inMine, ...inTheirs]
    .filter((one) => !before.has(one))
    .toSorted((a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0));
  return [...new Set([...base, ...added])].filter(isIn);
}

type Place = { path: readonly string[]; isMineNewer: boolean; conflicts: FieldConflict[] };

/** @returns The value that the field has; undefined when it has none. */
function mergeValue(
  { base, mine, theirs }: { base: unknown; mine: unknown; theirs: unknown },
  place: Place,
): unknown {
  if (isSameJson(mine, theirs) || isSameJson(mine, base)) {
    return theirs;
  }
  if (isSameJson(theirs, base)) {
    return mine;
  }
  if (isFields(mine) && isFields(theirs)) {
    return mergeFields({ base: isFields(base) ? base : {}, mine, theirs }, place);
  }
  if (isSet(mine) && isSet(theirs) && (base === undefined || isSet(base))) {
    return mergeSets(base ?? [], mine, theirs);
  }
  const { path, conflicts } = place;
  // What someone wrote outlasts that someone else deleted it: a deletion is easier to repeat than a text.
  const isMineKept = mine === undefined ? false : theirs === undefined || place.isMineNewer;
  const [kept, dropped] = isMineKept ? [mine, theirs] : [theirs, mine];
  conflicts.push({ path, kept, dropped });
  return kept;
}

function mergeFields(
  { base, mine, theirs }: { base: Fields; mine: Fields; theirs: Fields },
  place: Place,
): Fields {
  const read = (fields: Fields, name: string) =>
    Object.hasOwn(fields, name) ? fields[name] : undefined;
  const names = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)]);
  const merged: [string, unknown][] = [];
  for (const name of [...names].sort()) {
    const value = mergeValue(
      { base: read(base, name), mine: read(mine, name), theirs: read(theirs, name) },
      { ...place, path: [...place.path, name] },
    );
    if (value !== undefined) {
      merged.push([name, value]);
    }
  }
  return Object.fromEntries(merged);
}

/**
 * Merges two writers' changes of one document, field by field, however deep.
 *
 * A field that only one of them changed has that one's value, deletions included. Lists of texts or numbers, each once, are
 * merged by element. Where both changed a field in different ways, a value outlasts a deletion, and of two values the newer one
 * is kept; that is a conflict, which says what was dropped. The same goes for the document itself.
 *
 * It does not matter who merges: with the writers exchanged the result is the same.
 */
export function mergeDocuments({ base, mine, theirs, isMineNewer }: MergeInput): Merge {
  const conflicts: FieldConflict[] = [];
  const value = mergeValue(
    { base: base ?? undefined, mine: mine ?? undefined, theirs: theirs ?? undefined },
    { path: [], isMineNewer, conflicts },
  );
  return { body: isFields(value) ? value : null, conflicts };
}
