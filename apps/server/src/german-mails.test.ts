import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reminder, UnpaidKind } from "@turnpike/domain/billing/lifecycle/reminders";
import { NoExchangeRate } from "@turnpike/domain/billing/tax/accounting-tax";
import { NoTaxRate } from "@turnpike/domain/billing/tax/tax-lines";
import type { MailContent } from "@turnpike/domain/mail/mail-content";
import { describe, expect, it } from "vitest";
import { toHeldNotice } from "#modules/billing/closing/held-notice.ts";
import { toCreditNotice } from "#modules/billing/credits/credit-notice.ts";
import {
  toAuthenticationNotice,
  toFailureNotice,
} from "#modules/billing/payments/payment-notices.ts";
import { toReminderNotice } from "#modules/billing/reminders/reminder-notice.ts";
import { toSpendNotice } from "#modules/billing/spend-cap/spend-notice.ts";
import * as accountMails from "#modules/identity/accounts/account-mails.ts";
import { type FactorEvent, factorMail } from "#modules/identity/factors/factor-mails.ts";
import { identityMail } from "#modules/identity/identities/identity-mails.ts";
import { translateMail } from "#modules/notifications/mail/translate-mail.ts";
import { TEST_BRAND } from "#modules/notifications/testing/mail-brand.fixture.ts";
import { listUntranslated } from "#modules/notifications/testing/untranslated.fixture.ts";
import { toDisabledNotice } from "#modules/notifications/webhooks/disabled-notice.ts";
import { toActingNotice } from "#modules/tenants/acting/acting-notice.ts";
import { type ToldChange, toChangeNotice } from "#modules/tenants/change-notice.ts";
import { toNoticeContent } from "#modules/tenants/mail-members.ts";

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

type Notice = { subject: string; title: string; body: string };

/** A notice as it is mailed to the members of a tenant. */
const toNoticeMail = ({ subject, ...notice }: Notice): Mail => ({
  subject: `${STAGE.brand}: ${subject}`,
  content: toNoticeContent(
    { ...notice, link: "/billings" },
    { tenant: { name: "Harbour Ltd", slug: "harbour" }, consoleUrl: STAGE.consoleUrl },
  ),
});

const at = (day: string) => Date.parse(`${day}T00:00:00.000Z`);
const USD = { code: "USD", digits: 2 };

const CHANGES: Readonly<Record<ToldChange["kind"], readonly ToldChange[]>> = {
  suspended: [
    { kind: "suspended", reason: null },
    { kind: "suspended", reason: "Two invoices are not paid." },
  ],
  resumed: [{ kind: "resumed" }],
  plan_changed: [
    { kind: "plan_changed", before: "Pro", after: "Scale" },
    { kind: "plan_changed", before: "Pro", after: "Pro" },
  ],
  limits_changed: [
    { kind: "limits_changed", isOwn: true },
    { kind: "limits_changed", isOwn: false },
  ],
};

const SPENT = {
  spent: 8_000n,
  cap: 10_000n,
  currency: "USD",
  periodTo: new Date(at("2026-12-01")),
};

const UNPAID = { atMs: 0, dueAtMs: at("2026-11-10"), blockedAtMs: at("2026-12-01"), invoice: 0 };
const unpaid = (kind: UnpaidKind): Reminder => ({ kind, ...UNPAID });
const REMINDERS: Readonly<Record<Reminder["kind"], Reminder>> = {
  "trial.ending": { kind: "trial.ending", atMs: 0, endsAtMs: at("2026-12-01"), planId: "pro" },
  "renewal.upcoming": {
    ...{ kind: "renewal.upcoming", atMs: 0, planId: "pro" },
    endsAtMs: at("2026-12-01"),
  },
  "credit.expiring": {
    ...{ kind: "credit.expiring", atMs: 0, amount: 2_500n },
    endsAtMs: at("2026-12-01"),
  },
  "invoice.overdue": unpaid("invoice.overdue"),
  "invoice.reminder": unpaid("invoice.reminder"),
  "invoice.final_notice": unpaid("invoice.final_notice"),
  "invoice.blocked": unpaid("invoice.blocked"),
};

const PAYMENT = { invoiceNumber: "INV-2026-000012", sum: "49.00 USD" };
const DECLINED = { message: "Your card was declined." };
const BLOCKED_MS = at("2026-12-01");

/** As the engine says why it cannot go on. */
const HELD = [
  new NoTaxRate(
    "Add a tax rate for FR, class standard, at 2026-11-20T00:00:00.000Z: the table has none.",
  ),
  new NoExchangeRate(
    "Add the rate of USD in EUR at 2026-11-20T00:00:00.000Z to billing.tax.exchangeRates: the tax of an invoice of 49.00 USD has to be stated in EUR as well.",
  ),
].map(({ message }) => ({ reason: message }));

const NOTICES: readonly Notice[] = [
  ...Object.values(CHANGES).flat().map(toChangeNotice),
  toActingNotice("You asked us to look at a key."),
  ...["2026-11-20", "2026-12-02"].flatMap((day) =>
    [80, 100].map((share) => toSpendNotice(share, SPENT, new Date(at(day)))),
  ),
  toCreditNotice(20, "20.00 USD"),
  toCreditNotice(0, "0.00 USD"),
  toCreditNotice(undefined, "4.50 USD"),
  ...Object.values(REMINDERS).map((reminder) =>
    toReminderNotice(reminder, {
      ...{ planName: "Pro", currency: USD, number: PAYMENT.invoiceNumber, due: 4_900n },
    }),
  ),
  toReminderNotice(unpaid("invoice.overdue"), {
    ...{ planName: "", currency: USD, number: undefined, due: 4_900n },
  }),
  ...(
    [
      "none",
      undefined,
      { attemptMs: at("2026-11-23"), blockedMs: BLOCKED_MS },
      { attemptMs: undefined, blockedMs: BLOCKED_MS },
    ] as const
  ).map((next) => toFailureNotice(PAYMENT, { failure: DECLINED, next })),
  toAuthenticationNotice(PAYMENT),
  toHeldNotice(HELD.slice(0, 1)),
  toHeldNotice(HELD),
  ...["It answered 410 Gone.", "Every delivery failed for 5 days."].map((reason) => {
    const notice = toDisabledNotice("https://hooks.example.com", reason);
    return { ...notice, subject: notice.title };
  }),
];

const HERE = "german-mails.test.ts";

/** Where it is checked that what a file sends has German: here, or in a test that reads what was sent. */
const CHECKED: Readonly<Record<string, string>> = {
  "cli/reset-factors-command.ts": HERE,
  "modules/agents/proposals/propose-change.ts": "modules/agents/proposals/proposals.test.ts",
  "modules/alerts/notify-of-alert.ts": "modules/alerts/evaluate-alerts.sql.test.ts",
  "modules/alerts/quotas/watch-quotas.ts": "modules/alerts/quotas/watch-quotas.test.ts",
  "modules/alerts/run-outs/notify-of-run-outs.ts":
    "modules/alerts/run-outs/notify-of-run-outs.test.ts",
  "modules/billing/closing/hold-accounts.ts": HERE,
  "modules/billing/credits/watch-credit.ts": HERE,
  "modules/billing/documents/mail/mail-documents.ts":
    "modules/billing/documents/mail/mail-documents.fault.test.ts",
  "modules/billing/payments/notify-of-payments.ts": HERE,
  "modules/billing/reminders/notify-of-reminders.ts": HERE,
  "modules/billing/spend-cap/watch-spend.ts": HERE,
  "modules/identity/accounts/account-post.ts": HERE,
  "modules/identity/accounts/accounts.ts": HERE,
  "modules/identity/accounts/move-address.ts": HERE,
  "modules/identity/accounts/own-accounts.ts": HERE,
  "modules/identity/factors/factors-deps.ts": HERE,
  "modules/identity/identities/own-identities.ts": HERE,
  "modules/intelligence/digest/send-digests.ts": "modules/intelligence/digest/digest.test.ts",
  "modules/keys/notify-of-leaks.ts": "modules/keys/leaks.routes.test.ts",
  "modules/keys/warn-of-expiry.ts": "modules/keys/warn-of-expiry.test.ts",
  "modules/tenants/acting/act-in-tenant.ts": HERE,
  "modules/tenants/pause-webhooks-of-member.ts": "modules/tenants/pause-webhooks-of-member.test.ts",
  "modules/tenants/send-invitation.ts": "modules/tenants/invitations.test.ts",
  "modules/tenants/tell-of-change.ts": HERE,
  "modules/tenants/transfer-tenant.ts": "modules/tenants/transfer-tenant.test.ts",
  "open-webhooks.ts": HERE,
};

/** These pass on what others write, or what the operator wrote through the API. */
const PASSED_ON = [
  "modules/notifications/in-app/create-notification.ts",
  "modules/notifications/mail/mail-transport.ts",
  "modules/tenants/mail-members.ts",
  "modules/tenants/notify-members.ts",
  "modules/tenants/notify-operators.ts",
  "open-identity-provider.ts",
  "people/people-operations.ts",
];

const SENDS =
  /(?<!function )\b(?:sendMail|mailMembers|notifyMembers|notifyOperators|notify)\((?:\{|deps|mailing|tx,)/;

function listSenders(): string[] {
  return globSync("**/*.ts", { cwd: import.meta.dirname })
    .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file))
    .filter((file) => SENDS.test(readFileSync(join(import.meta.dirname, file), "utf8")));
}

const translate = (mail: Mail) =>
  translateMail({ ...mail, text: "", language: "de" }, { ...TEST_BRAND, name: STAGE.brand });

describe("every mail and notice", () => {
  it("is checked for German somewhere", () => {
    expect(listSenders().toSorted()).toEqual([...Object.keys(CHECKED), ...PASSED_ON].toSorted());
    for (const test of new Set(Object.values(CHECKED))) {
      const text = readFileSync(join(import.meta.dirname, test), "utf8");
      expect(text, test).toMatch(
        /expect\(.*\blistUntranslated|await listUntranslated|await list\(/,
      );
    }
  });
});

describe.each([
  { about: "accounts", mails: MAILS, file: "./german-mails.snapshot.txt" },
  {
    ...{ about: "plans, spend and payments", mails: NOTICES.map(toNoticeMail) },
    file: "./german-notices.snapshot.txt",
  },
])("mails about $about", ({ mails, file }) => {
  it("have no sentence without German", () => {
    expect(mails.flatMap((mail) => listUntranslated(mail))).toEqual([]);
  });

  it("read as they should, in both languages", async () => {
    const write = ({ subject, content }: Mail) =>
      [`# ${subject}`, ...content.flatMap((block) => Object.values(block).slice(1))].join("\n");
    const pages = mails.map((mail) => `${write(mail)}\n\n${write(translate(mail))}\n`);
    await expect(pages.join("\n---\n\n")).toMatchFileSnapshot(file);
  });
});
