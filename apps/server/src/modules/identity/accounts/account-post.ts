import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { type AccountMail, confirmationMail, type MailStage } from "./account-mails.ts";
import { type AccountRow, type LinkPurpose, replaceLink, takeMail } from "./accounts.store.ts";
import type { AccountMailer } from "./provider.ports.ts";

export type AccountPostDeps = Pick<AppServices, "clock" | "randomBytes"> & {
  mailer: AccountMailer;
};

const TOKEN_BYTES = 32;
const HOUR_MS = 60 * 60 * 1_000;
const LINK_LIFETIME_MS: Readonly<Record<LinkPurpose, number>> = {
  reset: HOUR_MS,
  confirm: 24 * HOUR_MS,
};
/** Mails to one address in one hour, from all causes together. */
const MAILS_PER_HOUR_MAX = 5;

/** Links are stored under the hash of their token. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/** Sends mails to accounts, at most so many to one address, and keeps the links in them. */
export function createAccountPost(deps: AccountPostDeps, options: MailStage) {
  const { clock, mailer } = deps;

  /** Sends a mail unless the address has had too many within the hour. */
  async function sendBounded(
    tx: Tx,
    account: Pick<AccountRow, "account_id" | "email">,
    write: () => AccountMail | Promise<AccountMail>,
  ): Promise<boolean> {
    const now = clock.now();
    const mayGo = await takeMail(tx, {
      accountId: account.account_id,
      countMax: MAILS_PER_HOUR_MAX,
      windowStartedAfter: new Date(now.getTime() - HOUR_MS),
      now,
    });
    if (mayGo) {
      await mailer.sendMail(tx, { to: account.email, ...(await write()) });
    }
    return mayGo;
  }

  /** Replaces the link of its purpose. Only the newest one works. */
  async function createLink(tx: Tx, accountId: string, purpose: LinkPurpose): Promise<string> {
    const token = Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString("base64url");
    const now = clock.now();
    await replaceLink(tx, {
      tokenHash: hashToken(token),
      accountId,
      purpose,
      now,
      expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS[purpose]),
    });
    return token;
  }

  async function sendConfirmation(
    tx: Tx,
    account: Pick<AccountRow, "account_id" | "email">,
  ): Promise<boolean> {
    return await sendBounded(tx, account, async () => {
      const token = await createLink(tx, account.account_id, "confirm");
      return confirmationMail(options, { token });
    });
  }

  return { sendBounded, createLink, sendConfirmation };
}
