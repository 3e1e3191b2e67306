const LABELS: Readonly<Record<string, string>> = {
  VALID: "Allowed",
  CLIENT_ABORTED: "Client closed",
  INVALID_KEY: "Invalid key",
  MISSING_KEY: "No key sent",
  REVOKED: "Key revoked",
  EXPIRED: "Key expired",
  DISABLED: "Key disabled",
  FORBIDDEN_NETWORK: "Network not allowed",
  INSUFFICIENT_SCOPE: "Scope missing",
  NO_TEST_UPSTREAM: "Test key not taken",
  CONCURRENCY_LIMITED: "Too many at once",
};

/** An outcome in words, the same on every screen and in every mail: `RATE_LIMITED` gives "Rate limited". */
export function toOutcomeLabel(outcome: string): string {
  const words = outcome.toLowerCase().replaceAll("_", " ");
  return LABELS[outcome] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
