import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import type { Language } from "@turnpike/domain/text/languages";
import type { AppServices } from "#platform/app-services.ts";
import { type AccountMail, confirmationMail, type MailStage } from "./account-mails.ts";
import { type AccountRow, insertLink, type LinkPurpose, takeMail } from "./accounts.store.ts";
import type { AccountMailer } from "./provider.ports.ts";

export type AccountPostDeps = Pick<AppServices, "clock" | "randomBytes"> & {
  mailer: AccountMailer;
};

const TOKEN_BYTES = 32;
const HOUR_MS = 60 * 60 * 1_000;
const LINK_LIFETIME_MS: Readonly<Record<LinkPurpose, number>> = {
  reset: HOUR_MS,
  confirm: 24 * HOUR_MS,
  change_email: 24 * HOUR_MS,
  undo_email: 7 * 24 * HOUR_MS,
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

  /** @returns False when the account has caused too many mails within the hour. */
  async function countMail(tx: Tx, accountId: string): Promise<boolean> {
    const now = clock.now();
    return await takeMail(tx, {
      accountId,
      countMax: MAILS_PER_HOUR_MAX,
      windowStartedAfter: new Date(now.getTime() - HOUR_MS),
      now,
    });
  }

  /** Sends a mail unless the address has had too many within the hour. */
  async function sendBounded(
    tx: Tx,
    account: Pick<AccountRow, "account_id" | "email">,
    write: () => AccountMail | Promise<AccountMail>,
  ): Promise<boolean> {
    const mayGo = await countMail(tx, account.account_id);
    if (mayGo) {
      await mailer.sendMail(tx, { to: account.email, ...(await write()) });
    }
    return mayGo;
  }

  /** @param email - The address that the link sets, for those that set one. */
  async function createLink(
    tx: Tx,
    accountId: string,
    purpose: LinkPurpose,
    email: string | null = null,
  ): Promise<string> {
    const token = Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString("base64url");
    const now = clock.now();
    await insertLink(tx, {
      tokenHash: hashToken(token),
      accountId,
      purpose,
      email,
      now,
      expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS[purpose]),
    });
    return token;
  }

  /** @param language - Of the page on which the person asked. */
  async function sendConfirmation(
    tx: Tx,
    account: Pick<AccountRow, "account_id" | "email">,
    language?: Language,
  ): Promise<boolean> {
    return await sendBounded(tx, account, async () => {
      const token = await createLink(tx, account.account_id, "confirm");
      return { ...confirmationMail(options, { token }), language };
    });
  }

  return { countMail, sendBounded, createLink, sendConfirmation };
}
