import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { Account } from "@turnpike/domain/billing/account/account";
import type { LoadedAccount } from "../accounts/load-accounts.ts";

/** An account before and after an action, at its instant. */
export type QuotedChange = {
  loaded: LoadedAccount;
  after: Account;
  action: SubscriptionAction;
  atMs: number;
};
