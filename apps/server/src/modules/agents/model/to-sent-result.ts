import { KEY_IN_TEXT } from "@turnpike/domain/keys/key-format";

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
const SECRETS = [
  // Of services that name theirs alike, such as `sk_live_…`, `sk-…` and `ghp_…`.
  /\b[a-z]{2,12}_(?:live|test)_[A-Za-z0-9_-]{8,}/g,
  /\b(?:sk|pk|rk|gh[opsu]|github_pat|xox[abp]|whsec)[-_][A-Za-z0-9_-]{16,}/g,
  // Tokens: of the console and other JSON Web Tokens, and those of agents, which have this length.
  /\beyJ[\w-]{10,}\.[\w.-]{10,}/g,
  /(?<![\w-])(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])/g,
  // Last: the patterns above take more of a text that goes on after a key.
  KEY_IN_TEXT,
];

/** A text without e-mail addresses and keys, which people put into names and questions. */
export function toSentText(text: string): string {
  const withoutKeys = SECRETS.reduce((left, secret) => left.replace(secret, "[key]"), text);
  return withoutKeys.replace(EMAIL, "[e-mail address]");
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
