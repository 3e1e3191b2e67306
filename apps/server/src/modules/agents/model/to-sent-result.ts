/** People, addresses and references, which no answer about figures needs; and the hours behind an insight, which are too many. */
const LEFT_OUT = new Set([
  "customer",
  "seller",
  "email",
  "address",
  "taxId",
  "createdBy",
  "recordedBy",
  "proposedBy",
  "decidedBy",
  "reference",
  "metadata",
  "allowedNetworks",
  "url",
  "points",
  "tenantId",
]);
const EMAIL = /[^\s@<>()"',;:/]{1,64}@[^\s@<>()"',;:/]{1,255}\.[^\s@<>()"',;:/]{2,63}/gu;
/** Keys of the product and of services that name theirs alike, such as `sk_live_…`. */
const SECRET = /\b[a-z]{2,12}_(?:live|test)_[A-Za-z0-9_-]{8,}/g;

/** A text without e-mail addresses and keys, which people put into names and questions. */
export function toSentText(text: string): string {
  return text.replace(EMAIL, "[e-mail address]").replace(SECRET, "[key]");
}

/** What a language model is sent of a result: figures, and the names that they are grouped by. */
export function toSentResult(value: unknown): unknown {
  if (typeof value === "string") {
    return toSentText(value);
  }
  if (Array.isArray(value)) {
    return value.map(toSentResult);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !LEFT_OUT.has(name))
        .map(([name, each]) => [toSentText(name), toSentResult(each)]),
    );
  }
  return value;
}
