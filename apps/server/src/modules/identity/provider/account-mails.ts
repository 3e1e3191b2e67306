import { toPlainLine } from "@turnpike/domain/text/plain-text";

/** What every mail of the sign-in names. */
export type MailStage = {
  brand: string;
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
};

export type AccountMail = { subject: string; text: string; kind: string };

const NAME_LENGTH_MAX = 100;

/** Whom a mail is for. */
type Addressee = { name: string | null; email_verified: boolean };

/**
 * By name only at an address that is confirmed: any other name was written by whoever registered it, who would have a way
 * to send a text of their own to anybody.
 */
function greet({ name, email_verified }: Addressee): string {
  return name === null || name === "" || !email_verified
    ? "Hello,"
    : `Hello ${toPlainLine(name, NAME_LENGTH_MAX)},`;
}

function write(lines: readonly string[]): string {
  return `${lines.join("\n\n")}\n`;
}

/** @param token - Of the link; 256 random bits, base64url. */
export function confirmationMail(
  { brand, consoleUrl }: MailStage,
  input: { token: string },
): AccountMail {
  return {
    kind: "confirm-email",
    subject: `Confirm your e-mail address for ${brand}`,
    text: write([
      "Hello,",
      `somebody registered at ${brand} with this address. If that was you, confirm it by this link. It works once and for 24 hours:`,
      `${consoleUrl}/login?confirm=${input.token}`,
      "If it was not you, do nothing: without the confirmation the account cannot be used.",
    ]),
  };
}

/** To the owner of an address that somebody tried to register again. */
export function addressTakenMail({ brand, consoleUrl }: MailStage, owner: Addressee): AccountMail {
  return {
    kind: "address-taken",
    subject: `You have an account at ${brand} already`,
    text: write([
      greet(owner),
      `somebody tried to register at ${brand} with this address, which has an account already. If that was you, sign in instead, or reset a forgotten password there:`,
      `${consoleUrl}/login`,
      "If it was not you, do nothing: nothing was changed.",
    ]),
  };
}

/** @param token - Of the link; 256 random bits, base64url. */
export function resetMail(
  { brand, consoleUrl }: MailStage,
  owner: Addressee,
  input: { token: string },
): AccountMail {
  return {
    kind: "reset-password",
    subject: `Reset your password for ${brand}`,
    text: write([
      greet(owner),
      `somebody asked to reset the password of your account at ${brand}. If that was you, choose a new one by this link. It works once and for one hour:`,
      `${consoleUrl}/login?reset=${input.token}`,
      "If it was not you, do nothing: your password stays as it is.",
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
    text: write([
      greet(owner),
      `the password of your account at ${brand} was changed, and every session was ended. If that was you, there is nothing to do.`,
      `If it was not you, reset the password at once, and see that nobody else reads your mail: ${consoleUrl}/login`,
    ]),
  };
}
