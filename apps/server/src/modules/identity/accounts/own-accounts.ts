import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { findSignIn, renewProof } from "../sign-ins/sign-ins.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { findUserLanguage, updateUserFacts } from "../users/users.store.ts";
import {
  accountDeletedMail,
  addressInUseMail,
  changeEmailMail,
  passwordChangedMail,
} from "./account-mails.ts";
import { createAccountPost } from "./account-post.ts";
import {
  accountElsewhere,
  assertAcceptable,
  tooManyMails,
  wrongCurrentPassword,
} from "./account-refusals.ts";
import {
  type AccountRow,
  deleteAccount,
  deleteLinksOf,
  findAccountByEmail,
  findAccountById,
  findPendingEmail,
  replacePassword,
  setAccountName,
} from "./accounts.store.ts";
import { type AccountsDeps, type AccountsOptions, toSender } from "./accounts.ts";
import { endSignIns } from "./end-sign-ins.ts";
import { normalizeEmail } from "./normalize-email.ts";
import { normalizePassword } from "./password-rules.ts";

/** A signed-in person who changes their own account. */
export type AccountOwner = {
  context: CallContext;
  userId: UserId;
  accountId: string;
  /** The browser's sign-in; undefined for a token that names none. */
  signInId: string | undefined;
  /** The person's network, by `toNetwork`. */
  network: string;
};

/** What people with an account here change about it themselves. */
export interface OwnAccounts {
  find(accountId: string): Promise<{ account: AccountRow; pendingEmail: string | null }>;
  rename(owner: AccountOwner, input: { name: string }): Promise<void>;
  /** Ends all other sign-ins. @throws {AppError} `INVALID_CREDENTIALS`, `INVALID_REQUEST`, `CONFLICT`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`. */
  changePassword(
    owner: AccountOwner,
    input: { currentPassword: string; password: string },
  ): Promise<void>;
  /**
   * Sends a link to the address, and never reveals whether it has an account.
   *
   * @returns The address that waits for its link.
   * @throws {AppError} `INVALID_CREDENTIALS`, `INVALID_REQUEST`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`.
   */
  changeEmail(
    owner: AccountOwner,
    input: { email: string; currentPassword: string },
  ): Promise<string>;
  /** Deletes an account with everything that signs in by it, and tells its person. Needs the caller's transaction. */
  remove(tx: Tx, account: AccountRow): Promise<void>;
  /** @returns False when the address is confirmed already. @throws {AppError} `TOO_MANY_ATTEMPTS`. */
  sendConfirmation(owner: AccountOwner): Promise<boolean>;
  /** @throws {AppError} `INVALID_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`. */
  provePassword(owner: AccountOwner, input: { currentPassword: string }): Promise<AccountRow>;
}

/**
 * A person who is signed in counts by their sign-in alone: a thief of a token can guess a few times, and locks the owner out of nothing.
 */
function toAttempt({ network, signInId, accountId }: AccountOwner, email: string) {
  return { email, network, knownBrowser: signInId ?? accountId };
}

export function createOwnAccounts(deps: AccountsDeps, options: AccountsOptions): OwnAccounts {
  const { clock, hasher, limits, mailer } = deps;
  const asOperator = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    deps.transact.asOperator(work, SIGN_INS);
  const { countMail, createLink, sendBounded, sendConfirmation } = createAccountPost(deps, options);

  async function getAccount(tx: Tx, accountId: string): Promise<AccountRow> {
    const account = await findAccountById(tx, accountId);
    if (account === undefined) {
      throw accountElsewhere();
    }
    return account;
  }

  async function note(
    tx: Tx,
    { context, userId }: AccountOwner,
    event: { action: string; details?: Record<string, string | boolean | string[]> },
  ): Promise<void> {
    await writeAudit(deps, tx, context, {
      ...event,
      tenantId: null,
      entityType: "user",
      entityId: userId,
    });
  }

  async function provePassword(
    owner: AccountOwner,
    { currentPassword }: { currentPassword: string },
  ): Promise<AccountRow & { password_hash: string }> {
    const account = await asOperator((tx) => getAccount(tx, owner.accountId));
    const { password_hash } = account;
    if (password_hash === null) {
      throw new AppError({
        code: "INVALID_CREDENTIALS",
        publicMessage:
          "This account has no password, because you use single sign-on. Choose one by “Forgot your password?” on the sign-in page.",
      });
    }
    const attempt = toAttempt(owner, account.email);
    await limits.take("sign-in", attempt);
    let isRight = false;
    try {
      isRight = await hasher.verify(
        normalizePassword(currentPassword),
        password_hash,
        toSender(attempt),
      );
    } catch (error) {
      // Without a verdict, for example because of too many at once, it is not a failed one.
      limits.giveBack("sign-in", attempt);
      throw error;
    }
    if (!isRight) {
      throw wrongCurrentPassword();
    }
    limits.giveBack("sign-in", attempt);
    return { ...account, password_hash };
  }

  return {
    provePassword,

    async remove(tx, account) {
      await endSignIns(deps, tx, { accountId: account.account_id, why: "account_deleted" });
      await mailer.sendMail(tx, { to: account.email, ...accountDeletedMail(options, account) });
      await deleteAccount(tx, account.account_id);
    },

    find: (accountId) =>
      asOperator(async (tx) => ({
        account: await getAccount(tx, accountId),
        pendingEmail: (await findPendingEmail(tx, { accountId, now: clock.now() })) ?? null,
      })),

    async rename(owner, { name }) {
      await asOperator(async (tx) => {
        const now = clock.now();
        const { accountId } = owner;
        const before = await getAccount(tx, accountId);
        const after = await setAccountName(tx, { accountId, name, now });
        if (after === undefined || before.name === name) {
          return;
        }
        await updateUserFacts(tx, {
          issuer: BUILTIN_ISSUER,
          subject: accountId,
          email: after.email,
          email_verified: after.email_verified,
          name,
          now,
        });
        // Names of changed fields only: the trail is kept for good, and identifies people by their ids.
        await note(tx, owner, { action: "user.updated", details: { changed: ["name"] } });
        await insertChange(tx, { kind: "user", tenantId: null, entityId: owner.userId });
      });
    },

    async changePassword(owner, { currentPassword, password }) {
      const account = await provePassword(owner, { currentPassword });
      const { email, name } = account;
      assertAcceptable(password, { email, name, lengthMin: options.passwordLengthMin });
      const sender = toSender(toAttempt(owner, email));
      const after = await hasher.hash(normalizePassword(password), sender);
      await asOperator(async (tx) => {
        const now = clock.now();
        const { accountId, signInId } = owner;
        const before = account.password_hash;
        if (!(await replacePassword(tx, { accountId, before, after, now }))) {
          throw new AppError({
            code: "CONFLICT",
            publicMessage: "The password was changed meanwhile. Sign in again.",
          });
        }
        const kept =
          signInId === undefined ? undefined : await findSignIn(tx, { accountId, signInId, now });
        if (kept !== undefined) {
          await renewProof(tx, { signInId: kept.sign_in_id, now });
        }
        await deleteLinksOf(tx, accountId);
        await note(tx, owner, { action: "account.password_changed" });
        const mail = passwordChangedMail(options, account, { isOneKept: kept !== undefined });
        await mailer.sendMail(tx, { to: email, ...mail });
        await endSignIns(deps, tx, { accountId, kept, why: "password_changed" });
      });
    },

    async changeEmail(owner, input) {
      const account = await provePassword(owner, input);
      const email = normalizeEmail(input.email);
      if (email === account.email) {
        throw new AppError({
          code: "INVALID_REQUEST",
          publicMessage: "This is your address already.",
          errors: [{ pointer: "/email", message: "This is your address already." }],
        });
      }
      await limits.take("mail", { email, network: owner.network });
      await asOperator(async (tx) => {
        if (!(await countMail(tx, owner.accountId))) {
          throw tooManyMails();
        }
        const token = await createLink(tx, owner.accountId, "change_email", email);
        const taken = await findAccountByEmail(tx, email);
        // Where addresses are confirmed, an unconfirmed account is a claim that no one has proven.
        if (taken !== undefined && (taken.email_verified || !options.confirmEmail)) {
          await sendBounded(tx, taken, () => addressInUseMail(options, taken));
        } else {
          const language = await findUserLanguage(tx, { userId: owner.userId });
          const mail = changeEmailMail(options, { token });
          await mailer.sendMail(tx, { to: email, ...mail, language });
        }
        await note(tx, owner, { action: "account.email_change_requested" });
      });
      return email;
    },

    sendConfirmation: (owner) =>
      asOperator(async (tx) => {
        const account = await getAccount(tx, owner.accountId);
        if (account.email_verified) {
          return false;
        }
        if (!(await sendConfirmation(tx, account))) {
          throw tooManyMails();
        }
        return true;
      }),
  };
}
