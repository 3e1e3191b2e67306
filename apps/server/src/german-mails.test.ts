import type { MailContent } from "@turnpike/domain/mail/mail-content";
import { describe, expect, it } from "vitest";
import * as accountMails from "#modules/identity/accounts/account-mails.ts";
import { type FactorEvent, factorMail } from "#modules/identity/factors/factor-mails.ts";
import { identityMail } from "#modules/identity/identities/identity-mails.ts";
import { translateMail } from "#modules/notifications/mail/translate-mail.ts";
import { TEST_BRAND } from "#modules/notifications/testing/mail-brand.fixture.ts";
import { listUntranslated } from "#modules/notifications/testing/untranslated.fixture.ts";

type Mail = { subject: string; content: MailContent };

const STAGE = { brand: "Acme API", consoleUrl: "https://console.test" };
const ADA = { name: "Ada", email: "ada@example.com", email_verified: true };
const TOKEN = { token: "TOKEN" };

const FACTORS: readonly FactorEvent[] = [
  { kind: "added", what: "An app for one-time codes" },
  { kind: "added", what: "The passkey “Laptop”" },
  { kind: "removed", what: "The app for one-time codes" },
  { kind: "codes_renewed" },
  { kind: "code_used", left: 0 },
  { kind: "code_used", left: 7 },
  { kind: "reset" },
];

const MAILS: readonly Mail[] = [
  accountMails.confirmationMail(STAGE, TOKEN),
  accountMails.addressTakenMail(STAGE, ADA),
  accountMails.resetMail(STAGE, ADA, TOKEN),
  accountMails.passwordChangedMail(STAGE, ADA, { isOneKept: true }),
  accountMails.passwordChangedMail(STAGE, ADA, { isOneKept: false }),
  accountMails.changeEmailMail(STAGE, TOKEN),
  accountMails.addressInUseMail(STAGE, ADA),
  ...[undefined, "UNDO"].map((undoToken) =>
    accountMails.emailChangedMail(STAGE, ADA, { newEmail: "new@example.com", undoToken }),
  ),
  accountMails.accountDeletedMail(STAGE, { ...ADA, name: null }),
  ...FACTORS.map((event) => factorMail(STAGE, ADA, event)),
  ...(["connected", "disconnected"] as const).map((kind) =>
    identityMail(STAGE, ADA, { kind, provider: "Example ID" }),
  ),
];

const translate = (mail: Mail) =>
  translateMail({ ...mail, text: "", language: "de" }, { ...TEST_BRAND, name: STAGE.brand });

describe("mails about accounts", () => {
  it("have no sentence without German", () => {
    expect(MAILS.flatMap((mail) => listUntranslated(mail))).toEqual([]);
  });

  it("read as they should, in both languages", async () => {
    const write = ({ subject, content }: Mail) =>
      [`# ${subject}`, ...content.flatMap((block) => Object.values(block).slice(1))].join("\n");
    const pages = MAILS.map((mail) => `${write(mail)}\n\n${write(translate(mail))}\n`);
    await expect(pages.join("\n---\n\n")).toMatchFileSnapshot("./german-mails.snapshot.txt");
  });
});
