import type { Account } from "../account/account.ts";
import { moveCredit } from "../invoices/grant.ts";
import { StepRefused } from "../steps/step.ts";

/**
 * Takes back what is left of a grant. What the customer paid for is theirs: a credit note of its invoice takes it back, with the money.
 *
 * @param input.grant - Index of the grant.
 * @throws {StepRefused} When it was bought, or nothing is left.
 */
export function revokeCredit(
  account: Account,
  { grant: index, atMs }: { grant: number; atMs: number },
): Account {
  const grant = account.credit.grants[index];
  if (grant === undefined || grant.left === 0n) {
    throw new StepRefused("not_creditable", "Nothing is left of this credit.");
  }
  if (grant.topUp !== undefined) {
    throw new StepRefused(
      "not_creditable",
      "This credit was bought: take it back by a credit note of its invoice.",
    );
  }
  const credit = moveCredit(account.credit, [
    { grant: index, kind: "revoked", amount: -grant.left, atMs, invoice: undefined },
  ]);
  return { ...account, credit };
}
