import { type MailContent, toContent } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { said } from "@turnpike/domain/text/said";

/** What every account mail mentions. */
export type MailStage = {
  brand: string;
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
};

export type AccountMail = {
  subject: string;
  content: MailContent;
  kind: string;
  /** True when the person asked for it just now. */
  isAsked?: boolean;
  /** Of the page on which they did, or of the person whose account it is, where the address may be of no one else. */
  language?: Language | undefined;
};

const NAME_LENGTH_MAX = 100;

/** The recipient. */
type Addressee = { name: string | null; email_verified: boolean };

/**
 * Greets by name only at a confirmed address. An unconfirmed name may come from a stranger, who could use it to send their
 * own text to a stranger.
 */
function greet({ name, email_verified }: Addressee): string {
  return name === null || name === "" || !email_verified
    ? said("Hello,")
    : said(`Hello ${toPlainLine(name, NAME_LENGTH_MAX)},`);
}

/** A letter to the owner of an account: begins with the greeting. */
export function writeToOwner(
  owner: Addressee,
  lines: Parameters<typeof toContent>[0],
): MailContent {
  return toContent([greet(owner), ...lines]);
}

/** @param token - The secret in the link: 256 random bits, base64url. */
export function confirmationMail(
  { brand, consoleUrl }: MailStage,
  input: { token: string },
): AccountMail {
  return {
    kind: "confirm-email",
    isAsked: true,
    subject: `Confirm your e-mail address for ${brand}`,
    content: toContent([
      said("Hello,"),
      said(
        `someone registered at ${brand} with this address. If it was you, confirm it with this link. It works once, within 24 hours:`,
      ),
      { label: "Confirm the address", address: `${consoleUrl}/login#confirm=${input.token}` },
      "If it was not you, do nothing: without confirmation the account cannot be used.",
    ]),
  };
}

/** To the owner of an address that was registered again. */
export function addressTakenMail({ brand, consoleUrl }: MailStage, owner: Addressee): AccountMail {
  return {
    kind: "address-taken",
    subject: `You already have an account at ${brand}`,
    content: toContent([
      greet(owner),
      said(
        `someone tried to register at ${brand} with this address, which already has an account. If it was you, sign in instead, or reset your password there:`,
      ),
      { label: "Sign in", address: `${consoleUrl}/login` },
      "If it was not you, do nothing: nothing was changed.",
    ]),
  };
}

/** @param token - The secret in the link: 256 random bits, base64url. */
export function resetMail(
  { brand, consoleUrl }: MailStage,
  owner: Addressee,
  input: { token: string },
): AccountMail {
  return {
    kind: "reset-password",
    isAsked: true,
    subject: `Reset your password for ${brand}`,
    content: toContent([
      greet(owner),
      said(
        `someone asked to reset the password of your account at ${brand}. If it was you, choose a new one with this link. It works once, within one hour:`,
      ),
      { label: "Choose a new password", address: `${consoleUrl}/login#reset=${input.token}` },
      "If it was not you, do nothing: your password stays the same.",
    ]),
  };
}

/** @param input.isOneKept - True where the browser in which it was changed stays signed in. */
export function passwordChangedMail(
  { brand, consoleUrl }: MailStage,
  owner: Addressee,
  input: { isOneKept: boolean },
): AccountMail {
  const ended = input.isOneKept ? said("all other sessions") : said("all sessions");
  return {
    kind: "password-changed",
    subject: `Your password for ${brand} was changed`,
    content: toContent([
      greet(owner),
      said(
        `the password of your account at ${brand} was changed, and ${ended} were ended. If it was you, there is nothing to do.`,
      ),
      said(
        "If it was not you, reset the password at once, and make sure that no one else can read your mail:",
      ),
      { label: "Reset the password", address: `${consoleUrl}/login` },
    ]),
  };
}

/** To the address that an account is to have. @param token - The secret in the link: 256 random bits, base64url. */
export function changeEmailMail(
  { brand, consoleUrl }: MailStage,
  input: { token: string },
): AccountMail {
  return {
    kind: "change-email",
    isAsked: true,
    subject: `Confirm your new e-mail address for ${brand}`,
    content: toContent([
      said("Hello,"),
      said(
        `someone wants to use this address for their account at ${brand}. If it was you, confirm it with this link. It works once, within 24 hours:`,
      ),
      {
        label: "Confirm the new address",
        address: `${consoleUrl}/login#change-email=${input.token}`,
      },
      "If it was not you, do nothing: without the link nothing changes.",
    ]),
  };
}

/** To the owner of an address that another account wanted to have. */
export function addressInUseMail({ brand, consoleUrl }: MailStage, owner: Addressee): AccountMail {
  return {
    kind: "address-in-use",
    subject: `You already have an account at ${brand}`,
    content: toContent([
      greet(owner),
      said(
        `someone wants to use this address for another account at ${brand}. It is the address of yours. If it was you, sign in to that account instead, or change its address first:`,
      ),
      { label: "Sign in", address: `${consoleUrl}/login` },
      "If it was not you, do nothing: nothing was changed.",
    ]),
  };
}

/** The address without its middle, for a mail to another mailbox. */
function toHint(email: string): string {
  const [local = "", domain = ""] = email.split("@");
  return `${local.slice(0, 1)}…@${domain}`;
}

/**
 * To the former address of an account.
 *
 * @param input.undoToken - The secret in the link that brings it back; undefined where the address was never confirmed, so that nothing
 * says whose it is.
 */
export function emailChangedMail(
  { brand, consoleUrl }: MailStage,
  owner: Addressee & { email: string },
  input: { newEmail: string; undoToken: string | undefined },
): AccountMail {
  return {
    kind: "email-changed",
    subject: `The e-mail address of your account at ${brand} was changed`,
    content: toContent([
      greet(owner),
      said(
        `your account at ${brand} now has another e-mail address, ${toHint(input.newEmail)}, and no longer this one. If it was you, there is nothing to do.`,
      ),
      ...(input.undoToken === undefined
        ? ["If it was not you, tell the people who run the service."]
        : [
            said(
              "If it was not you, take it back with this link. It ends every session and lets you choose a new password. It works once, within seven days:",
            ),
            {
              label: "Take the account back",
              address: `${consoleUrl}/login#undo-email=${input.undoToken}`,
            },
          ]),
    ]),
  };
}

/** To the person whose account is gone. */
export function accountDeletedMail({ brand }: MailStage, owner: Addressee): AccountMail {
  return {
    kind: "account-deleted",
    subject: `Your account at ${brand} was deleted`,
    content: toContent([
      greet(owner),
      said(
        `your account at ${brand} was deleted with the password that was typed for it, and everything that was signed in with it was signed out. This cannot be undone.`,
      ),
      "If it was not you, tell the people who run the service.",
    ]),
  };
}
