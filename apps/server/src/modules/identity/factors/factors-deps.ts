import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import type { Sealer } from "#platform/sealer.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { MailStage } from "../accounts/account-mails.ts";
import type { AccountRow } from "../accounts/accounts.store.ts";
import type { AccountMailer, PersonAgents } from "../accounts/provider.ports.ts";
import { type FactorEvent, factorMail } from "./factor-mails.ts";
import type { FactorPolicy } from "./factor-policy.ts";
import type { PasskeySite } from "./passkeys.ts";

/** What the use cases of second factors need. */
export type FactorsDeps = Pick<
  AppServices,
  "transact" | "clock" | "newId" | "logger" | "randomBytes"
> & {
  mailer: AccountMailer;
  agents: PersonAgents;
  /** Encrypts the secrets that apps share. */
  sealer: Sealer;
  site: PasskeySite;
  stage: MailStage;
  policy: FactorPolicy;
};

/** What is kept in the database of whom a challenge or a sign-in in progress belongs to. */
export function hashOwner(kind: "interaction" | "account", id: string): Uint8Array {
  return createHash("sha256").update(`${kind}\n${id}`).digest();
}

export function asOperator<Result>(
  deps: Pick<FactorsDeps, "transact">,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return deps.transact.asOperator(work, SIGN_INS);
}

/** Sends the owner a mail if and only if the transaction commits. */
export async function sendFactorMail(
  deps: Pick<FactorsDeps, "mailer" | "stage">,
  tx: Tx,
  owner: AccountRow,
  event: FactorEvent,
): Promise<void> {
  await deps.mailer.sendMail(tx, { to: owner.email, ...factorMail(deps.stage, owner, event) });
}
