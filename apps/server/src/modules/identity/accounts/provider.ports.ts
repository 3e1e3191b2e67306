import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { AccountMail } from "./account-mails.ts";

/** What the built-in provider needs from the notifications module, which is above it. */
export interface AccountMailer {
  /** Sends the mail if and only if the transaction commits. Needs the operator role. Sanitises text from outside. */
  sendMail(tx: Tx, mail: AccountMail & { to: string }): Promise<void>;
}

/** Why everything that was given out to a person ends. */
export type TokensEndReason =
  | "password_changed"
  | "second_factor_changed"
  | "signed_out"
  // Of an address whose owner signs in at their organization.
  | "sso_required"
  | "address_proven"
  | "account_deleted";

/** What the built-in provider needs from the agents module, which is above it. */
export interface PersonAgents {
  /** Ends every agent that a person connected. Needs the operator role. */
  endAgentsOf(tx: Tx, userId: UserId, why: TokensEndReason): Promise<void>;
}
