/** A value as JSON holds it. */
export type JsonFact = string | number | boolean | null | { [member: string]: unknown } | unknown[];

/** A part of something that is compared: a value, or a group of parts. */
export type Fact = {
  /** What people call it, such as "tier 2" or "unit price". */
  readonly label: string;
  /** How it reads in a sentence. */
  readonly text: string;
  readonly value: JsonFact;
  /** `subject` begins a sentence, such as a card; `silent` is left out before the label of a part, such as "price". */
  readonly role: "subject" | "silent" | "part";
  /** Facts of different kinds are replaced as a whole, not compared part by part. */
  readonly kind: string;
  /** Empty for a value. */
  readonly parts: ReadonlyMap<string, Fact>;
};

export type Facts = ReadonlyMap<string, Fact>;

/** One difference between two versions. */
export type CatalogChange = {
  /** JSON pointer; cards, limits and quotas are named by their keys, not by their places. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before: JsonFact;
  readonly after: JsonFact;
  /** One sentence, such as "requests: tier 2 unit price 0.002 → 0.0015". */
  readonly text: string;
};

const NO_PARTS: Facts = new Map();

/** @param text - How the value reads; left out, as itself. */
export function valueFact(label: string, value: JsonFact, text = String(value)): Fact {
  return { label, text, value, role: "part", kind: "", parts: NO_PARTS };
}

/** A group of facts; `undefined` parts are left out. */
export function groupFact(
  fact: Pick<Fact, "label" | "text" | "value"> & Partial<Pick<Fact, "role" | "kind">>,
  parts: Readonly<Record<string, Fact | undefined>>,
): Fact {
  return { role: "part", kind: "", ...fact, parts: toFacts(parts) };
}

export function toFacts(parts: Readonly<Record<string, Fact | undefined>>): Facts {
  return new Map(
    Object.entries(parts).flatMap(([key, part]) => (part === undefined ? [] : [[key, part]])),
  );
}

type Place = {
  readonly path: string;
  readonly subjects: readonly string[];
  readonly labels: readonly Pick<Fact, "label" | "role">[];
};

function enter(place: Place, key: string, { label, role }: Fact): Place {
  const path = `${place.path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return role === "subject"
    ? { path, subjects: [...place.subjects, label], labels: [] }
    : { ...place, path, labels: [...place.labels, { label, role }] };
}

function toSentence({ subjects, labels }: Place, what: string): string {
  const begin = subjects.join(", ");
  const spoken = labels.filter(
    ({ role }, index) => role !== "silent" || index === labels.length - 1,
  );
  const rest = [...spoken.map(({ label }) => label), what].filter((part) => part !== "").join(" ");
  // What is added or removed as a whole is the subject itself.
  return labels.length === 0 || begin === "" ? `${begin} ${rest}`.trim() : `${begin}: ${rest}`;
}

function diffFact(
  before: Fact | undefined,
  after: Fact | undefined,
  place: Place,
): CatalogChange[] {
  const { path } = place;
  if (before === undefined) {
    const text = toSentence(place, `added${after?.text ? `: ${after.text}` : ""}`);
    return after === undefined
      ? []
      : [{ path, kind: "added", before: null, after: after.value, text }];
  }
  if (after === undefined) {
    const text = toSentence(place, `removed${before.text ? `, was ${before.text}` : ""}`);
    return [{ path, kind: "removed", before: before.value, after: null, text }];
  }
  const isGroup = before.parts.size > 0 || after.parts.size > 0;
  if (isGroup && before.kind === after.kind) {
    return diffFacts(before.parts, after.parts, place);
  }
  if (!isGroup && before.text === after.text) {
    return [];
  }
  const text = toSentence(place, `${before.text} → ${after.text}`);
  return [{ path, kind: "changed", before: before.value, after: after.value, text }];
}

/** Compares two sets of facts, in the order of the newer one; what it has no more comes last. */
export function diffFacts(
  before: Facts,
  after: Facts,
  place: Place = { path: "", subjects: [], labels: [] },
): CatalogChange[] {
  const keys = new Set([...after.keys(), ...before.keys()]);
  return [...keys].flatMap((key) => {
    const [old, fresh] = [before.get(key), after.get(key)];
    const named = fresh ?? old;
    return named === undefined ? [] : diffFact(old, fresh, enter(place, key, named));
  });
}
