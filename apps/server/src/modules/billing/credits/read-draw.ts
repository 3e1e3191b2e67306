import type { Credits } from "@turnpike/contract/credits";
import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { drawOf } from "@turnpike/domain/billing/limits/draw-of";
import { creditAfter, drawsSinceMs, isPrepaid } from "@turnpike/domain/billing/limits/prepaid";
import { currentCharge } from "@turnpike/domain/billing/limits/spend";
import { formatMinor } from "@turnpike/domain/money/currency";
import { findCreditState } from "#modules/metering/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import { isTaxGap } from "../accounts/to-tax-refusal.ts";
import type { BillingDeps } from "../billing-deps.ts";

/** What calls of a prepaid plan have drawn on credit, in minor units with tax, by all usage in the ledger. */
export type Draw = {
  drawn: bigint;
  left: bigint;
  /** Credit that has expired since then still pays for usage of the period. */
  since: Date;
};

/** Lets time pass. An account that waits for the operator stays in its period, and usage since counts there, as it does for calls. */
function passOrStay(
  account: Account,
  { fromMs, toMs, usages }: { fromMs: number; toMs: number; usages: LoadedAccount["usages"] },
): Account {
  try {
    return passTime(account, { fromMs, toMs, usages });
  } catch (error) {
    if (isTaxGap(error)) {
      return passTime(account, { fromMs, toMs: fromMs, usages });
    }
    throw error;
  }
}

/** Reads what calls have drawn on the credit of an account; `undefined` while no prepaid plan runs. */
export async function findDraw(
  deps: BillingDeps,
  tx: Tx,
  key: AccountKey,
): Promise<Draw | undefined> {
  const loaded = await readAccount(deps, tx, { key });
  if (loaded === undefined || !isPrepaid(loaded.account)) {
    return;
  }
  const { account, row, usages } = loaded;
  const atMs = effectiveMs(deps.clock.now().getTime() + (row?.aheadMs ?? 0), row);
  const fromMs = row?.advancedTo.getTime() ?? atMs;
  const current = passOrStay(account, { fromMs, toMs: atMs, usages });
  if (!isPrepaid(current)) {
    return;
  }
  const charges = currentCharge(drawOf(current, atMs));
  return {
    ...creditAfter(current, charges, atMs),
    since: new Date(drawsSinceMs(current, atMs)),
  };
}

/** The draw as it is answered, with what it leaves for calls. */
export async function toDrawReply(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { draw, currency }: { draw: Draw | undefined; currency: { code: string; digits: number } },
): Promise<Credits["draw"]> {
  if (draw === undefined) {
    return null;
  }
  const state = await findCreditState(tx, tenantId, environment);
  return {
    drawn: formatMinor(draw.drawn, currency),
    left: formatMinor(draw.left, currency),
    isEmpty: state?.isEmpty === true,
    meters: (state?.meters ?? []).map(({ meterId, unitsLeft }) => ({
      meter: meterId,
      unitsLeft: unitsLeft.toString(),
    })),
  };
}
