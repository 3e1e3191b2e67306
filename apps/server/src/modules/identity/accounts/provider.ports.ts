import type { IncomingMessage, ServerResponse } from "node:http";
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
  | "address_proven";

/** What the built-in provider needs from the agents module, which is above it. */
export interface PersonAgents {
  /** Ends every agent that a person connected. Needs the operator role. */
  endAgentsOf(tx: Tx, userId: UserId, why: TokensEndReason): Promise<void>;
}

/** What the built-in provider needs of the single sign-on of tenants, a module above it. */
export interface SingleSignOn {
  /**
   * Begins a sign-in at the provider of an address's domain, or of a tenant.
   *
   * @param input.interaction - The sign-in here that it answers.
   * @returns Where the browser goes.
   * @throws {AppError} `SSO_UNAVAILABLE` when there is none, or when it cannot be reached.
   */
  begin(input: {
    by: { email: string } | { slug: string };
    interaction: string;
  }): Promise<{ redirectTo: string }>;
  /** Answers a browser that comes from a tenant's provider, below `/idp/sso`. */
  handle(call: { req: IncomingMessage; res: ServerResponse }, path: string): Promise<void>;
  /**
   * Takes what came back, in the browser that began.
   *
   * @returns The account of the person, who is a member of the tenant from now on; or why they cannot sign in, for `/login?error=`.
   */
  collect(input: {
    interaction: string;
    result: string;
  }): Promise<{ accountId: string } | { error: string }>;
  /**
   * True when people with this address sign in at their own provider and no other way.
   *
   * @param accountId - Of a person who proved their password: an owner of the tenant may use it.
   */
  isRequired(email: string, accountId?: string): Promise<boolean>;
}
