import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { deleteTenant } from "#modules/tenants/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import type { BillingSettings, DocumentMailSettings } from "../../billing-settings.ts";
import { createCreditNote } from "../../invoices/create-credit-note.ts";
import { voidInvoice } from "../../invoices/void-invoice.ts";
import { act, publishPricedPlans } from "../../testing/billing.fixture.ts";
import { countPoints, Interrupted } from "../../testing/interrupt.fixture.ts";
import { createCustomer, toTaxedDeps } from "../../testing/taxed.fixture.ts";
import { createDocumentPrinter, type DocumentPrinter } from "../document-printer.ts";
import { numberOf, readStoredDocument } from "../stored-document.ts";
import { writeEInvoice } from "../write-e-invoice.ts";
import { findMailTrouble } from "./find-mail-trouble.ts";
import { type MailDocumentsDeps, mailDocuments } from "./mail-documents.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let database: TestDatabase;
let services: TestServices;
let queue: JobQueue & { close(): Promise<void> };
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  queue = await openJobQueue({ target: database.target, logger: services.logger });
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(async () => {
  await queue.close();
  await database.close();
});

type Deps = TestServices & MailDocumentsDeps;

function depsOf({
  mail = { sandbox: false, eInvoice: null },
  logo = null,
}: {
  mail?: DocumentMailSettings | undefined;
  logo?: string | null;
} = {}): Deps {
  const taxed: TestServices & BillingDeps = toTaxedDeps(services);
  const billing: BillingSettings = {
    ...taxed.billing,
    documents: { language: "en", logo, font: null, mail },
  };
  const notices = { sendsMail: false, brandName: "Acme API", consoleUrl: "https://console.test" };
  return {
    ...taxed,
    billing,
    mail: { jobs: queue, notices },
    printer: createDocumentPrinter(billing),
  };
}

async function listMails(tenantId: TenantId) {
  return await database.sql<
    {
      mailId: string;
      kind: string;
      to: string;
      subject: string;
      text: string;
      files: string[];
    }[]
  >`
    select mail_id as "mailId", kind, recipient as to, subject, body as text,
      array(select name from mail_attachments a where a.mail_id = m.mail_id order by position) as files
    from mails m where sender = ${tenantId} and (kind = 'invoice.issued' or kind = 'credit_note.issued')
    order by mail_id`;
}

async function findInvoiceId(tenantId: TenantId): Promise<string> {
  const [row] = await database.sql<{ invoiceId: string }[]>`
    select invoice_id as "invoiceId" from invoices where tenant_id = ${tenantId}`;
  return row?.invoiceId ?? expect.fail("no invoice");
}

const subscribe = async (deps: Deps, tenantId: TenantId) =>
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });

describe("guarantee: each document is mailed once, as it was issued", () => {
  it("through an end at every statement, and with eight at once", async () => {
    const deps = depsOf({ mail: { sandbox: false, eInvoice: "ubl" } });
    const tenantId = await createCustomer(deps, { name: "Blanc", country: "FR" });
    await subscribe(deps, tenantId);
    const invoiceId = await findInvoiceId(tenantId);
    const { creditNoteId } = await createCreditNote(deps, OPERATOR_CONTEXT, {
      ...{ invoiceId, amount: "12.00", reason: "Sorry <b>for</b> the trouble" },
    });
    // The same document gives the same bytes: they are drawn once, so that each attempt costs its statements alone.
    const drawn = new Map<string, Promise<Uint8Array>>();
    const printer: DocumentPrinter = {
      print: (stored) => {
        const pdf = drawn.get(numberOf(stored)) ?? deps.printer.print(stored);
        drawn.set(numberOf(stored), pdf);
        return pdf;
      },
    };
    for (let killAt = 1, isDone = false; !isDone; killAt += 1) {
      const { transact } = countPoints(database.sql, (count) => {
        if (count === killAt) {
          throw new Interrupted();
        }
      });
      isDone = await mailDocuments({ ...deps, printer, transact }).then(
        (count) => count === 0,
        () => false,
      );
      services.clock.advance(DAY_MS);
    }
    await Promise.all(Array.from({ length: 8 }, () => mailDocuments(deps)));

    const mails = await listMails(tenantId);
    const [invoice, note] = ["invoice.issued", "credit_note.issued"].map(
      (kind) => mails.find((mail) => mail.kind === kind) ?? expect.fail(kind),
    );
    expect(mails).toHaveLength(2);
    const number = /INV-\d{4}-\d{6}/.exec(invoice?.subject ?? "")?.[0] ?? "";
    expect(invoice).toMatchObject({
      to: "bills@example.com",
      subject: `Acme API: Invoice ${number}`,
      files: [`${number}.pdf`, `${number}.xml`],
    });
    // 31.00 and 20 % of it, less the credit note.
    expect(invoice?.text).toContain("Total: 37.20 USD");
    expect(invoice?.text).toContain(`https://console.test/billings?invoice=${invoiceId}&tenant=`);
    expect(note?.text).toContain(`It lowers what ${number} leaves to pay.`);
    expect(note?.text).toContain("Sorry <b>for</b> the trouble");

    for (const [mail, key] of [
      [invoice, undefined],
      [note, creditNoteId],
    ] as const) {
      const stored = await services.transact.asOperator((tx) =>
        readStoredDocument(tx, { tenantId, invoiceId, creditNoteId: key }),
      );
      const rows = await database.sql<{ content: Buffer }[]>`
        select content from mail_attachments where mail_id = ${mail?.mailId ?? ""} order by position`;
      const [pdf, xml] = rows.map(({ content }) => content);
      expect(pdf?.equals(await deps.printer.print(stored))).toBe(true);
      expect(xml?.toString()).toBe(writeEInvoice(stored, "ubl"));
    }
    expect(await database.sql`select from documents_to_mail`).toHaveLength(0);
  });
});

describe("mailDocuments", () => {
  it("mails owners and billing members where the details have no address, each once", async () => {
    const deps = depsOf();
    const { tenantId } = await createTestTenant(services, "Members");
    for (const [name, role] of [
      ["ada", "owner"],
      ["bob", "billing"],
      ["eve", "developer"],
    ] as const) {
      const email = `${name}@example.test`;
      const { userId } = await createTestUser(services, { email, roles: [[tenantId, role]] });
      await database.sql`update users set email_verified = true where user_id = ${userId}`;
    }
    await subscribe(deps, tenantId);
    await mailDocuments(deps);
    await mailDocuments(deps);
    const mails = await listMails(tenantId);
    expect(mails.map(({ to }) => to)).toEqual(["ada@example.test", "bob@example.test"]);
  });

  it("mails nothing of void invoices, deleted tenants and sandboxes, unless the setting says so", async () => {
    const deps = depsOf();
    const [voided, deleted, sandbox] = await Promise.all(
      ["Void", "Deleted", "Sandbox"].map((name) => createCustomer(deps, { name, country: "DE" })),
    );
    if (voided === undefined || deleted === undefined || sandbox === undefined) {
      expect.fail("no tenants");
    }
    await subscribe(deps, voided);
    await subscribe(deps, deleted);
    const invoiceId = await findInvoiceId(voided);
    await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId, reason: "A mistake" });
    await deleteTenant(deps, OPERATOR_CONTEXT, { tenantId: deleted, name: "Deleted" });
    const isTest = { tenantId: sandbox, environment: "test" } as const;
    await act(deps, isTest, { do: "subscribe", planId: "metered" });
    await mailDocuments(deps);
    for (const tenantId of [voided, deleted, sandbox]) {
      expect(await listMails(tenantId)).toEqual([]);
    }
    expect(await database.sql`select from documents_to_mail`).toHaveLength(0);

    const open = depsOf({ mail: { sandbox: true, eInvoice: null } });
    await act(open, isTest, { do: "cancel", when: "now" });
    await act(open, isTest, { do: "subscribe", planId: "metered" });
    await mailDocuments(open);
    const subjects = (await listMails(sandbox)).map(({ subject }) => subject);
    expect(subjects.length).toBeGreaterThan(0);
    expect(subjects.every((subject) => subject.startsWith("Acme API: Sandbox: "))).toBe(true);
    expect(await findMailTrouble(services)).toBeUndefined();
  });

  it("reports a document that cannot be drawn, and mails the others and, once it can, that one", async () => {
    const broken = depsOf({ logo: join("/nowhere", "logo.png") });
    const deps = depsOf();
    const first = await createCustomer(deps, { name: "First", country: "DE" });
    await subscribe(deps, first);
    await mailDocuments(broken);
    const second = await createCustomer(deps, { name: "Second", country: "DE" });
    await subscribe(deps, second);
    await mailDocuments(deps);
    expect(await listMails(first)).toEqual([]);
    expect(await listMails(second)).toHaveLength(1);
    expect(await findMailTrouble(services)).toMatch(
      /^1 document waits to be mailed, the first since .*logo\.png/,
    );
    services.clock.advance(DAY_MS);
    await mailDocuments(deps);
    expect(await listMails(first)).toHaveLength(1);
    expect(await findMailTrouble(services)).toBeUndefined();
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
