import { said } from "@turnpike/domain/text/said";
import { type AccountMail, type MailStage, writeToOwner } from "../accounts/account-mails.ts";

type Owner = { name: string | null; email_verified: boolean };

/** What happened to the second factor of an account, as the end of a sentence. */
export type FactorEvent =
  | { kind: "added"; what: string }
  | { kind: "removed"; what: string }
  | { kind: "codes_renewed" }
  | { kind: "code_used"; left: number }
  | { kind: "reset" };

function toSubject(event: FactorEvent, brand: string): string {
  switch (event.kind) {
    case "added":
      return said(`A second factor was added to your account at ${brand}`);
    case "removed":
      return said(`A second factor of your account at ${brand} was removed`);
    case "codes_renewed":
      return said(`Your recovery codes for ${brand} were renewed`);
    case "code_used":
      return said(`A recovery code of your account at ${brand} was used`);
    case "reset":
      return said(`The second factors of your account at ${brand} were reset`);
  }
}

function toSentence(event: FactorEvent, brand: string): string {
  switch (event.kind) {
    case "added":
      return said(
        `${event.what} was added to your account at ${brand}. From now on, a sign-in with your password needs a second factor too.`,
      );
    case "removed":
      return said(`${event.what} was removed from your account at ${brand}.`);
    case "codes_renewed":
      return said(
        `new recovery codes were made for your account at ${brand}. The old ones no longer work.`,
      );
    case "code_used":
      return event.left === 0
        ? said(
            `someone signed in to your account at ${brand} with its last recovery code. Make new ones on the page of your account.`,
          )
        : said(
            `someone signed in to your account at ${brand} with one of its recovery codes. Codes left: ${String(event.left)}.`,
          );
    case "reset":
      return said(
        `an operator of ${brand} removed every second factor of your account, and ended all sessions. Your password alone signs you in until you set up a new one.`,
      );
  }
}

/** Says what happened to a second factor, so that no one can change it unnoticed. */
export function factorMail(stage: MailStage, owner: Owner, event: FactorEvent): AccountMail {
  const { brand, consoleUrl } = stage;
  return {
    kind: "second-factor",
    subject: toSubject(event, brand),
    content: writeToOwner(owner, [
      toSentence(event, brand),
      said(
        "If it was you, there is nothing to do. If it was not you, reset your password at once:",
      ),
      { label: "Reset the password", address: `${consoleUrl}/login` },
    ]),
  };
}
