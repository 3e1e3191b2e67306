import { said } from "../text/said.ts";

const LABELS: Readonly<Record<string, string>> = {
  VALID: said("Allowed"),
  CLIENT_ABORTED: said("Client closed"),
  INVALID_KEY: said("Invalid key"),
  MISSING_KEY: said("No key sent"),
  REVOKED: said("Key revoked"),
  EXPIRED: said("Key expired"),
  DISABLED: said("Key disabled"),
  FORBIDDEN_NETWORK: said("Network not allowed"),
  INSUFFICIENT_SCOPE: said("Scope missing"),
  NO_TEST_UPSTREAM: said("Test key not taken"),
  CONCURRENCY_LIMITED: said("Too many at once"),
  RATE_LIMITED: said("Rate limited"),
  QUOTA_EXCEEDED: said("Quota exceeded"),
  TENANT_SUSPENDED: said("Tenant suspended"),
  PAYMENT_REQUIRED: said("Payment required"),
  SPEND_CAP_REACHED: said("Spend cap reached"),
  UPSTREAM_UNREACHABLE: said("Upstream unreachable"),
  UPSTREAM_TIMEOUT: said("Upstream timeout"),
};

/** An outcome in words, the same on every screen and in every mail: `RATE_LIMITED` gives "Rate limited". */
export function toOutcomeLabel(outcome: string): string {
  const words = outcome.toLowerCase().replaceAll("_", " ");
  return LABELS[outcome] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
