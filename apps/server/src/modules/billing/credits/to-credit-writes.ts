import type { Account } from "@turnpike/domain/billing/account/account";
import type { CreditEntry, Grant } from "@turnpike/domain/billing/invoices/grant";
import type { NewId } from "@turnpike/domain/ids/ids";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import type { EntryWrite, GrantWrite } from "./credits.store.ts";

/** Why a person changes credit; the same `reference` counts once. */
export type CreditReason = { reason: string; reference?: string | undefined };

/** What a change of an account did to its credit. */
type ChangedCredit = {
  loaded: LoadedAccount;
  after: Account;
  actor: string;
  creditReason?: CreditReason | undefined;
  newId: NewId;
};

function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

function invoiceIdOf(index: number | undefined, invoiceIds: readonly string[]): string | null {
  return (index === undefined ? undefined : invoiceIds[index]) ?? null;
}

/** The reason that a customer reads where no person gave one. */
const BOUGHT = "Bought by the customer.";

function toGrantWrite(
  grant: Grant,
  {
    place,
    changed,
    invoiceId,
  }: { place: number; changed: ChangedCredit; invoiceId: string | null },
): GrantWrite {
  const { loaded, actor, creditReason, newId } = changed;
  const isBought = grant.topUp !== undefined;
  return {
    ...loaded.key,
    place,
    grantId: newId("creditGrant"),
    kind: grant.kind,
    currency: loaded.account.terms.currency.code,
    granted: grant.granted.toString(),
    priority: grant.priority,
    effectiveAt: toInstant(grant.effectiveAtMs),
    expiresAt: grant.expiresAtMs === undefined ? null : toInstant(grant.expiresAtMs),
    reason: isBought ? BOUGHT : (creditReason?.reason ?? ""),
    reference: isBought ? null : (creditReason?.reference ?? null),
    invoiceId,
    grantedBy: actor,
  };
}

/** What no person does has no person's name, even when it follows from what one did. */
function toEntryWrite(
  { grant, kind, amount, atMs, invoice }: CreditEntry,
  { changed, invoiceIds }: { changed: ChangedCredit; invoiceIds: readonly string[] },
): EntryWrite {
  const { loaded, actor, creditReason } = changed;
  const isByPerson = kind === "revoked" && invoice === undefined;
  return {
    ...loaded.key,
    place: grant,
    kind,
    amount: amount.toString(),
    invoiceId: invoiceIdOf(invoice, invoiceIds),
    happenedAt: toInstant(atMs),
    actor: kind === "expired" ? "system:billing" : actor,
    reason: isByPerson ? (creditReason?.reason ?? null) : null,
  };
}

/** The grants and entries of a change. @param invoiceIds - Of all invoices, also those that the change issues. */
export function toCreditWrites(
  changed: ChangedCredit,
  invoiceIds: readonly string[],
): { grants: GrantWrite[]; entries: EntryWrite[] } {
  const { loaded, after } = changed;
  const { grants, entries } = after.credit;
  const known = loaded.account.credit.grants.length;
  const boughtWith = new Map(
    entries.filter(({ kind }) => kind === "granted").map(({ grant, invoice }) => [grant, invoice]),
  );
  return {
    grants: grants.slice(known).map((grant, index) => {
      const place = known + index;
      const invoiceId = invoiceIdOf(boughtWith.get(place), invoiceIds);
      return toGrantWrite(grant, { place, changed, invoiceId });
    }),
    entries: entries.map((entry) => toEntryWrite(entry, { changed, invoiceIds })),
  };
}
