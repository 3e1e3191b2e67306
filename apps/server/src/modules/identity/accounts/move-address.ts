import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import type { UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { releaseIdentitiesOfAccount } from "../identities/release-identities.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { findUserLanguage, updateUserFacts } from "../users/users.store.ts";
import { emailChangedMail } from "./account-mails.ts";
import { createAccountPost, hashToken } from "./account-post.ts";
import { linkInvalid } from "./account-refusals.ts";
import {
  type AccountRow,
  consumeEmailLink,
  deleteAccount,
  deleteLinksOf,
  deleteUndoLinksAfter,
  findAccountByEmail,
  setPassword,
  setProvenEmail,
} from "./accounts.store.ts";
import { type AccountsDeps, type AccountsOptions, toSender } from "./accounts.ts";
import { endSignIns } from "./end-sign-ins.ts";

/** SQLSTATE of a value that must be the only one of its kind. */
const UNIQUE_VIOLATION = "23505";
const PASSWORD_BYTES = 32;

/** What the links of a change of address do. The link is the credential. */
export interface AddressMoves {
  /** @returns The address that the account has now. @throws {AppError} `LINK_INVALID`, `TOO_MANY_ATTEMPTS`. */
  confirm(input: { token: string; network: string }): Promise<{ email: string }>;
  /**
   * Brings the former address back. The person who changed it knows the password, so all sign-ins end, and no password works until
   * a new one is chosen.
   *
   * @returns The address, and the token with which its owner chooses a new password.
   * @throws {AppError} `LINK_INVALID`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`.
   */
  undo(input: { token: string; network: string }): Promise<{ email: string; resetToken: string }>;
}

function toIdentity({ account_id: subject }: AccountRow) {
  return { issuer: BUILTIN_ISSUER, subject };
}

export function createAddressMoves(deps: AccountsDeps, options: AccountsOptions): AddressMoves {
  const { clock, hasher, limits, mailer } = deps;
  const { createLink } = createAccountPost(deps, options);

  /** A lost race for an address is a link that came too late. */
  async function asOperator<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    try {
      return await deps.transact.asOperator(work, SIGN_INS);
    } catch (error) {
      throw databaseErrorCode(error) === UNIQUE_VIOLATION ? linkInvalid() : error;
    }
  }

  /** Makes an address free that an account holds which never proved it, and which cannot be used. */
  async function makeRoom(tx: Tx, email: string, accountId: string): Promise<void> {
    const holder = await findAccountByEmail(tx, email);
    if (holder === undefined || holder.account_id === accountId) {
      return;
    }
    if (holder.email_verified || !options.confirmEmail) {
      throw linkInvalid();
    }
    await deleteAccount(tx, holder.account_id);
  }

  async function move(
    tx: Tx,
    input: { accountId: string; email: string },
  ): Promise<{ before: AccountRow; after: AccountRow }> {
    const now = clock.now();
    await makeRoom(tx, input.email, input.accountId);
    const moved = await setProvenEmail(tx, { ...input, now });
    if (moved === undefined) {
      throw linkInvalid();
    }
    return moved;
  }

  /** Tells the person's tenants and the trail. Last in its transaction: a change of the feed holds up all others. */
  async function publish(tx: Tx, after: AccountRow): Promise<void> {
    const userId: UserId | undefined = await updateUserFacts(tx, {
      issuer: BUILTIN_ISSUER,
      subject: after.account_id,
      email: after.email,
      email_verified: after.email_verified,
      name: after.name,
      now: clock.now(),
    });
    if (userId === undefined) {
      return;
    }
    const actor = { type: "user", id: userId, isOperator: false, roles: new Map() } as const;
    await writeAudit(
      deps,
      tx,
      { actor, requestId: deps.newId("request") },
      {
        tenantId: null,
        action: "user.updated",
        entityType: "user",
        entityId: userId,
        details: { changed: ["email"] },
      },
    );
    await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
  }

  return {
    async confirm({ token, network }) {
      await limits.take("link", { network });
      return await asOperator(async (tx) => {
        const link = await consumeEmailLink(tx, {
          tokenHash: hashToken(token),
          purpose: "change_email",
          now: clock.now(),
        });
        if (link === undefined) {
          throw linkInvalid();
        }
        const { before, after } = await move(tx, {
          accountId: link.account_id,
          email: link.email,
        });
        // A link to the former address would still choose the password.
        await deleteLinksOf(tx, before.account_id);
        const undoToken = before.email_verified
          ? await createLink(tx, before.account_id, "undo_email", before.email)
          : undefined;
        const mail = emailChangedMail(options, before, { newEmail: after.email, undoToken });
        const language = await findUserLanguage(tx, toIdentity(before));
        await mailer.sendMail(tx, { to: before.email, ...mail, language });
        await publish(tx, after);
        return { email: after.email };
      });
    },

    async undo({ token, network }) {
      await limits.take("link", { network });
      const unknown = Buffer.from(deps.randomBytes(PASSWORD_BYTES)).toString("base64url");
      const passwordHash = await hasher.hash(unknown, toSender({ email: "", network }));
      return await asOperator(async (tx) => {
        const now = clock.now();
        const link = await consumeEmailLink(tx, {
          tokenHash: hashToken(token),
          purpose: "undo_email",
          now,
        });
        if (link === undefined) {
          throw linkInvalid();
        }
        const accountId = link.account_id;
        const { before, after } = await move(tx, { accountId, email: link.email });
        await setPassword(tx, { accountId, passwordHash, now });
        await deleteLinksOf(tx, accountId);
        await deleteUndoLinksAfter(tx, { accountId, since: link.created_at });
        const resetToken = await createLink(tx, accountId, "reset");
        const mail = emailChangedMail(options, before, {
          newEmail: after.email,
          undoToken: undefined,
        });
        const language = await findUserLanguage(tx, toIdentity(before));
        await mailer.sendMail(tx, { to: before.email, ...mail, language });
        await publish(tx, after);
        await releaseIdentitiesOfAccount(deps, tx, accountId);
        await endSignIns(deps, tx, { accountId, why: "password_changed" });
        return { email: after.email, resetToken };
      });
    },
  };
}
