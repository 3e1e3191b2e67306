import { type MailContent, toContent } from "@turnpike/domain/mail/mail-content";
import { toPlainLine } from "@turnpike/domain/text/plain-text";

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
    ? "Hello,"
    : `Hello ${toPlainLine(name, NAME_LENGTH_MAX)},`;
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
      "Hello,",
      `someone registered at ${brand} with this address. If it was you, confirm it with this link. It works once, within 24 hours:`,
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
      `someone tried to register at ${brand} with this address, which already has an account. If it was you, sign in instead, or reset your password there:`,
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
      `someone asked to reset the password of your account at ${brand}. If it was you, choose a new one with this link. It works once, within one hour:`,
      { label: "Choose a new password", address: `${consoleUrl}/login#reset=${input.token}` },
      "If it was not you, do nothing: your password stays the same.",
    ]),
  };
}

export function passwordChangedMail(
  { brand, consoleUrl }: MailStage,
  owner: Addressee,
): AccountMail {
  return {
    kind: "password-changed",
    subject: `Your password for ${brand} was changed`,
    content: toContent([
      greet(owner),
      `the password of your account at ${brand} was changed, and all sessions were ended. If it was you, there is nothing to do.`,
      "If it was not you, reset the password at once, and make sure that no one else can read your mail:",
      { label: "Reset the password", address: `${consoleUrl}/login` },
    ]),
  };
}
