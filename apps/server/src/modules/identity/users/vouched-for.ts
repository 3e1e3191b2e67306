import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long a provider elsewhere need not say anew that a person is still its own. */
const VOUCHED_DAYS = 7;
/** What a newer token says is stored this often, even when it says nothing new. */
export const VOUCHED_STORED_EVERY_MS = DAY_MS;

/**
 * True while credentials that a person gave to programs work: with an account here until it ends, and with one elsewhere until a week
 * has passed without a token of its provider. Each visit of the console brings one. A provider does not tell when it lets a person go,
 * but it gives out no token for them any more.
 */
export function isVouchedFor(
  person: { issuer: string; claims_issued_at: Date | null },
  now: Date,
): boolean {
  if (person.issuer === BUILTIN_ISSUER) {
    return true;
  }
  const vouchedAt = person.claims_issued_at?.getTime() ?? 0;
  return now.getTime() - vouchedAt < VOUCHED_DAYS * DAY_MS;
}
