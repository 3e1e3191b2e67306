import type { Account } from "@turnpike/domain/billing/account/account";
import type { Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import type { NewId } from "@turnpike/domain/ids/ids";
import type { Json } from "#platform/exact-json.ts";
import type { BillingSettings } from "../../billing-settings.ts";
import type { CreditReason } from "../../credits/to-credit-writes.ts";
import type { RevenuePosition } from "../../revenue/collect-positions.ts";
import type { LoadedAccount } from "../load-accounts.ts";

/** Something that happened to an account, for its history. */
export type AccountEvent = { kind: string; atMs: number; details: { [member: string]: Json } };

/** An account before and after the engine changed it, and why. */
export type ChangedAccount = {
  loaded: LoadedAccount;
  after: Account;
  /** By the clock of the environment. */
  advancedToMs: number;
  /** The real clock. */
  now: Date;
  aheadMs: number;
  actor: string;
  events: readonly AccountEvent[];
  /** Whose time has come on the way. */
  reminders: readonly Reminder[];
  /** What it brings in a month, over that time. */
  revenue: readonly RevenuePosition[];
  /** Why credit notes were issued. */
  noteReason: string;
  /** Why credit was granted or revoked by a person. */
  creditReason?: CreditReason | undefined;
  settings: BillingSettings;
  newId: NewId;
};
