import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { Language } from "@turnpike/domain/text/languages";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { type Attempt, type AttemptLimits, toBlock } from "../attempts/attempt-limits.ts";
import type { HashSender } from "../attempts/hash-queue.ts";
import type { KnownBrowser } from "../attempts/known-browsers.ts";
import { releaseIdentitiesOfAccount } from "../identities/release-identities.ts";
import {
  addressTakenMail,
  type MailStage,
  passwordChangedMail,
  resetMail,
} from "./account-mails.ts";
import { createAccountPost, hashToken } from "./account-post.ts";
import {
  assertAcceptable,
  invalidCredentials,
  linkInvalid,
  wrongConfirmationPassword,
} from "./account-refusals.ts";
import {
  type AccountRow,
  consumeLink,
  deleteLinksOf,
  findAccountByEmail,
  findAccountById,
  findLinkAccount,
  insertAccount,
  markEmailVerified,
  replaceHash,
  replaceUnconfirmed,
  setPassword,
} from "./accounts.store.ts";
import type { BackgroundWork } from "./background-work.ts";
import { endSignIns } from "./end-sign-ins.ts";
import { normalizeEmail } from "./normalize-email.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { normalizePassword } from "./password-rules.ts";
import type { AccountMailer, PersonAgents } from "./provider.ports.ts";

export type AccountsDeps = Pick<
  AppServices,
  "transact" | "clock" | "newId" | "logger" | "randomBytes"
> & {
  mailer: AccountMailer;
  agents: PersonAgents;
  hasher: PasswordHasher;
  limits: AttemptLimits;
  /** Work done after the answer, so that the time of the answer reveals nothing. */
  background: BackgroundWork;
};

export type AccountsOptions = MailStage & { confirmEmail: boolean; passwordLengthMin: number };

export type Registration =
  | { kind: "registered"; accountId: string }
  | { kind: "confirmation_sent" };

/** Everything that people do with their accounts. `network` is their network, by `toNetwork`. */
export interface Accounts {
  /**
   * @returns The account that may sign in.
   * @throws {AppError} `INVALID_CREDENTIALS`, also for an unconfirmed address; `TOO_MANY_ATTEMPTS`, `OVERLOADED`.
   */
  signIn(input: {
    email: string;
    password: string;
    network: string;
    /** The browser, if someone signed in to the account in it before. */
    knownBrowser?: KnownBrowser | undefined;
  }): Promise<{ accountId: string }>;
  /** @throws {AppError} `INVALID_REQUEST`, `ALREADY_EXISTS`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`. */
  register(input: {
    email: string;
    password: string;
    name: string | undefined;
    network: string;
    /** Of the page, for the mail. */
    language?: Language | undefined;
  }): Promise<Registration>;
  /** Sends a link if the address has an account, and never reveals whether it has. @throws {AppError} `TOO_MANY_ATTEMPTS`, `OVERLOADED`. */
  forgetPassword(input: {
    email: string;
    network: string;
    /** Of the page, for the mail. */
    language?: Language | undefined;
  }): Promise<void>;
  /**
   * Ends every session.
   *
   * @returns The address.
   * @throws {AppError} `LINK_INVALID`, `INVALID_REQUEST`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`.
   */
  resetPassword(input: {
    token: string;
    password: string;
    network: string;
  }): Promise<{ email: string }>;
  /**
   * Confirms an address by the link that was sent to it together with the password of the registration. A stranger who registers an
   * address has only the password, its owner only the link.
   *
   * @returns The address.
   * @throws {AppError} `LINK_INVALID`, `INVALID_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`.
   */
  confirmEmail(input: {
    token: string;
    password: string;
    network: string;
  }): Promise<{ email: string }>;
  find(accountId: string): Promise<AccountRow | undefined>;
  /** True for the password of an account. The caller limits attempts. @throws {AppError} `OVERLOADED`. */
  isPassword(input: { account: AccountRow; password: string; network: string }): Promise<boolean>;
}

const NAME_LENGTH_MAX = 100;

/** The person for whom a password is hashed. */
export function toSender({
  email,
  network,
  knownBrowser,
}: Attempt & { email: string }): HashSender {
  return { block: toBlock(network), account: email, isKnown: knownBrowser !== undefined };
}

export function createAccounts(deps: AccountsDeps, options: AccountsOptions): Accounts {
  const { hasher, limits, clock, background, mailer } = deps;
  const asOperator = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    deps.transact.asOperator(work, SIGN_INS);
  const { sendBounded, sendConfirmation, createLink } = createAccountPost(deps, options);

  /** The part of a registration whose outcome must not be visible from outside. */
  async function registerUnseen(input: {
    email: string;
    name: string | null;
    passwordHash: string;
    language: Language | undefined;
  }): Promise<void> {
    await asOperator(async (tx) => {
      const now = clock.now();
      const row = {
        account_id: deps.newId("account"),
        email: input.email,
        name: input.name,
        password_hash: input.passwordHash,
      };
      const { language } = input;
      if (await insertAccount(tx, { ...row, now })) {
        await sendConfirmation(tx, row, language);
        return;
      }
      const taken = await findAccountByEmail(tx, input.email);
      if (taken === undefined) {
        return;
      }
      if (taken.email_verified) {
        await sendBounded(tx, taken, () => ({ ...addressTakenMail(options, taken), language }));
        return;
      }
      // An earlier registration was never confirmed, so the newest one and its link count. Without a new link the old one would confirm
      // a password that its owner never chose, so in that case nothing changes.
      const renewed = { ...row, account_id: taken.account_id };
      if (!(await sendConfirmation(tx, renewed, language))) {
        return;
      }
      if (await replaceUnconfirmed(tx, { ...renewed, now })) {
        // Where addresses were not confirmed before, a stranger may be signed in with this one. That must end.
        await releaseIdentitiesOfAccount(deps, tx, taken.account_id);
        await endSignIns(deps, tx, { accountId: taken.account_id, why: "password_changed" });
      }
    });
  }

  /** An attempt without a verdict, for example because of too many concurrent ones, does not count as failed. */
  async function orGiveBack<T>(attempt: Attempt, judge: () => Promise<T>): Promise<T> {
    try {
      return await judge();
    } catch (error) {
      limits.giveBack("sign-in", attempt);
      throw error;
    }
  }

  async function registerAtOnce(row: {
    account_id: string;
    email: string;
    name: string | null;
    password_hash: string;
  }): Promise<Registration> {
    const isNew = await asOperator((tx) => insertAccount(tx, { ...row, now: clock.now() }));
    if (!isNew) {
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: "An account with this e-mail address already exists. Sign in instead.",
        errors: [{ pointer: "/email", message: "An account with this address already exists." }],
      });
    }
    return { kind: "registered", accountId: row.account_id };
  }

  async function renewHash(
    account: { account_id: string; password_hash: string },
    password: string,
    sender: HashSender,
  ): Promise<void> {
    const after = await hasher.hash(password, sender);
    await asOperator((tx) =>
      replaceHash(tx, { accountId: account.account_id, before: account.password_hash, after }),
    );
  }

  /** Counts an attempt to sign in. @returns Its account, if there is one, and the attempt as it was counted. */
  async function takeSignIn(input: {
    email: string;
    network: string;
    knownBrowser?: KnownBrowser | undefined;
  }): Promise<{ account: AccountRow | undefined; attempt: Attempt & { email: string } }> {
    const { email, network, knownBrowser } = input;
    const unknown = { email, network };
    const attempt =
      knownBrowser === undefined ? unknown : { ...unknown, knownBrowser: knownBrowser.id };
    await limits.take("sign-in", attempt);
    const account = await orGiveBack(attempt, () =>
      asOperator((tx) => findAccountByEmail(tx, email)),
    );
    const isProven =
      knownBrowser !== undefined &&
      account !== undefined &&
      knownBrowser.since >= account.password_changed_at;
    if (knownBrowser === undefined || isProven) {
      return { account, attempt };
    }
    // A browser that proves an earlier password proves nothing about the present one.
    limits.giveBack("sign-in", attempt);
    await limits.take("sign-in", unknown);
    return { account, attempt: unknown };
  }

  return {
    async signIn(input) {
      const email = normalizeEmail(input.email);
      const { account, attempt } = await takeSignIn({ ...input, email });
      const password = normalizePassword(input.password);
      const isRight = await orGiveBack(attempt, () =>
        hasher.verify(password, account?.password_hash ?? undefined, toSender(attempt)),
      );
      const passwordHash = account?.password_hash ?? null;
      if (account === undefined || passwordHash === null || !isRight) {
        throw invalidCredentials(options.confirmEmail);
      }
      if (options.confirmEmail && !account.email_verified) {
        background.start("send a confirmation", () =>
          asOperator((tx) => sendConfirmation(tx, account)),
        );
        // A person who has just registered a free address knows its password. A different answer or count here would tell them that it was
        // free.
        throw invalidCredentials(options.confirmEmail);
      }
      limits.giveBack("sign-in", attempt);
      if (hasher.isOutdated(passwordHash)) {
        const { account_id } = account;
        background.start("renew a hash", () =>
          renewHash({ account_id, password_hash: passwordHash }, password, toSender(attempt)),
        );
      }
      return { accountId: account.account_id };
    },

    async register(input) {
      const email = normalizeEmail(input.email);
      assertAcceptable(input.password, {
        email,
        name: input.name ?? null,
        lengthMin: options.passwordLengthMin,
      });
      const attempt = { email, network: input.network };
      await limits.take("register", attempt);
      const plainName = toPlainLine(input.name ?? "", NAME_LENGTH_MAX);
      const name = plainName === "" ? null : plainName;
      const chosen = normalizePassword(input.password);
      const passwordHash = await hasher.hash(chosen, toSender(attempt));
      if (!options.confirmEmail) {
        const account_id = deps.newId("account");
        return await registerAtOnce({ account_id, email, name, password_hash: passwordHash });
      }
      const { language } = input;
      background.start("register", () => registerUnseen({ email, name, passwordHash, language }));
      return { kind: "confirmation_sent" };
    },

    async forgetPassword(input) {
      const email = normalizeEmail(input.email);
      await limits.take("mail", { email, network: input.network });
      background.start("send a reset link", () =>
        asOperator(async (tx) => {
          const account = await findAccountByEmail(tx, email);
          if (account === undefined) {
            return;
          }
          await sendBounded(tx, account, async () => {
            const token = await createLink(tx, account.account_id, "reset");
            return { ...resetMail(options, account, { token }), language: input.language };
          });
        }),
      );
    },

    async resetPassword(input) {
      await limits.take("link", { network: input.network });
      const link = { tokenHash: hashToken(input.token), purpose: "reset" } as const;
      const owner = await asOperator((tx) => findLinkAccount(tx, { ...link, now: clock.now() }));
      if (owner === undefined) {
        throw linkInvalid();
      }
      assertAcceptable(input.password, {
        email: owner.email,
        name: owner.name,
        lengthMin: options.passwordLengthMin,
      });
      const chosen = normalizePassword(input.password);
      const passwordHash = await hasher.hash(
        chosen,
        toSender({ email: owner.email, network: input.network }),
      );
      await asOperator(async (tx) => {
        const now = clock.now();
        const accountId = await consumeLink(tx, { ...link, now });
        const account =
          accountId === undefined
            ? undefined
            : await setPassword(tx, { accountId, passwordHash, now });
        if (account === undefined) {
          throw linkInvalid();
        }
        await deleteLinksOf(tx, account.account_id);
        await releaseIdentitiesOfAccount(deps, tx, account.account_id);
        await endSignIns(deps, tx, { accountId: account.account_id, why: "password_changed" });
        // A person who follows a reset link has got mail about it already. Strangers must not be able to cause this mail.
        const mail = passwordChangedMail(options, owner, { isOneKept: false });
        await mailer.sendMail(tx, { to: account.email, ...mail });
      });
      return { email: owner.email };
    },

    async confirmEmail(input) {
      const { network } = input;
      await limits.take("link", { network });
      const link = { tokenHash: hashToken(input.token), purpose: "confirm" } as const;
      const owner = await asOperator((tx) => findLinkAccount(tx, { ...link, now: clock.now() }));
      if (owner === undefined) {
        throw linkInvalid();
      }
      const attempt = { email: owner.email, network };
      await limits.take("sign-in", attempt);
      const isRight = await orGiveBack(attempt, () =>
        hasher.verify(
          normalizePassword(input.password),
          owner.password_hash ?? undefined,
          toSender(attempt),
        ),
      );
      if (!isRight) {
        throw wrongConfirmationPassword();
      }
      limits.giveBack("sign-in", attempt);
      await asOperator(async (tx) => {
        const now = clock.now();
        // A registration in between, with another password, has replaced the link.
        const accountId = await consumeLink(tx, { ...link, now });
        if (accountId === undefined) {
          throw linkInvalid();
        }
        await markEmailVerified(tx, { accountId, now });
      });
      return { email: owner.email };
    },

    find: (accountId) => asOperator((tx) => findAccountById(tx, accountId)),

    isPassword: ({ account, password, network }) =>
      hasher.verify(
        normalizePassword(password),
        account.password_hash ?? undefined,
        toSender({ email: account.email, network }),
      ),
  };
}
