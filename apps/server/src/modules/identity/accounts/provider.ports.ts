import type { Tx } from "@turnpike/db/client";

/** What the built-in provider needs from the notifications module, which is above it. */
export interface AccountMailer {
  /** Sends the mail if and only if the transaction commits. Needs the operator role. Sanitises text from outside. */
  sendMail(
    tx: Tx,
    mail: { to: string; subject: string; text: string; kind: string },
  ): Promise<void>;
}
