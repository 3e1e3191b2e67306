import type { Tx } from "@turnpike/db/client";

/** What the built-in provider needs of the notifications, which stand above it. */
export interface AccountMailer {
  /** Sends the mail if and only if the transaction, one of the operator role, commits. Text from outside is made harmless. */
  sendMail(
    tx: Tx,
    mail: { to: string; subject: string; text: string; kind: string },
  ): Promise<void>;
}
