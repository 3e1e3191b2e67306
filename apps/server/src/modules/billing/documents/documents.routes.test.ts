import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import { getBillingDetails } from "../details/get-billing-details.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";
import { createCustomer, toRate, toTaxedDeps } from "../testing/taxed.fixture.ts";
import { createDocumentFilesRawRoutes } from "./documents.routes.ts";
import { getDocument } from "./get-document.ts";
import { follow, readPdfObjects } from "./pdf-objects.fixture.ts";
import { toPrintedDocument } from "./to-printed-document.ts";

let database: TestDatabase;
let services: TestServices;
let api: ApiFixture;
const actors: Record<string, Actor> = {};
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await createTestTenant(services);
  await publishPricedPlans(services);
  api = await serveModule({
    router: {},
    rawRoutes: createDocumentFilesRawRoutes(toTaxedDeps(services)),
    actors,
  });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

type Deps = ReturnType<typeof toTaxedDeps>;

async function setLanguage(deps: Deps, tenantId: TenantId, language: Language): Promise<void> {
  const details = await getBillingDetails(deps, OPERATOR_CONTEXT, { tenantId });
  await putBillingDetails(deps, OPERATOR_CONTEXT, { ...details, language });
}

/** A customer of reverse charge with an invoice, and a key that may read it. */
async function issue(name: string, deps = toTaxedDeps(services), language: Language = "en") {
  const tenantId = await createCustomer(deps, {
    name,
    country: "FR",
    taxId: "FR40303265045",
    status: "confirmed",
  });
  await setLanguage(deps, tenantId, language);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  const page = { tenantId, environment: "live" as const, limit: 1 };
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, page);
  const { invoiceId, number } = items[0] ?? expect.fail("no invoice");
  actors[name] = { type: "key", id: `key_${name}`, tenantId, scopes: ["billing:read"] };
  const path = `/v1/tenants/${tenantId}/invoices/${invoiceId}`;
  return { deps, tenantId, invoiceId, number, path };
}

async function download(credential: string, path: string) {
  const response = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  const { status, headers } = response;
  return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The e-invoice inside a PDF. */
function readEmbedded(pdf: Buffer): string | undefined {
  const objects = readPdfObjects(pdf);
  const file = objects.find(({ head }) => head.includes("/AFRelationship"));
  return file && follow(objects, file, "F").stream?.toString();
}

describe("documents as files", () => {
  it("come with the tenant's own key: PDF with the e-invoice inside, UBL and CII, always the same bytes", async () => {
    const { number, path } = await issue("ours");
    const xml: Record<string, string> = {};
    for (const format of ["ubl", "cii"]) {
      const { status, bytes } = await download("ours", `${path}/xml?format=${format}`);
      expect(status).toBe(200);
      xml[format] = bytes.toString();
      for (const text of [
        number,
        "DE136695976",
        "FR40303265045",
        "VATEX-EU-AE",
        "31.00",
        "10115",
      ]) {
        expect(xml[format], text).toContain(text);
      }
    }
    const pdf = await download("ours", `${path}/pdf`);
    expect(pdf.headers.get("content-disposition")).toContain(`${number}.pdf`);
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    expect(readEmbedded(pdf.bytes)).toBe(xml["cii"]);
    expect((await download("ours", `${path}/pdf`)).bytes.equals(pdf.bytes)).toBe(true);
  });

  it("are refused to keys without the scope and to those of other tenants", async () => {
    const { path, tenantId } = await issue("guarded");
    await issue("stranger");
    actors["scopeless"] = { type: "key", id: "key_less", tenantId, scopes: ["usage:read"] };
    for (const ending of ["pdf", "xml"]) {
      expect((await download("stranger", `${path}/${ending}`)).status).toBe(404);
      expect((await download("scopeless", `${path}/${ending}`)).status).toBe(403);
    }
  });

  it("are credit notes as well, with the invoice that they are of", async () => {
    const { deps, invoiceId, tenantId, number, path } = await issue("credited");
    const note = await createCreditNote(deps, OPERATOR_CONTEXT, {
      invoiceId,
      reason: "Outage.",
      amount: "10.01",
    });
    const query = `creditNote=${note.creditNoteId}`;
    const ubl = (await download("credited", `${path}/xml?${query}`)).bytes.toString();
    for (const text of ["<CreditNote ", note.number, number, "Outage.", "10.01"]) {
      expect(ubl, text).toContain(text);
    }
    const pdf = await download("credited", `${path}/pdf?${query}`);
    const cii = (await download("credited", `${path}/xml?format=cii&${query}`)).bytes.toString();
    expect(readEmbedded(pdf.bytes)).toBe(cii);
    expect(pdf.headers.get("content-disposition")).toContain(`${note.number}.pdf`);
    const other = await issue("another");
    expect((await download("another", `${other.path}/pdf?${query}`)).status).toBe(404);

    const key = { tenantId, invoiceId, creditNoteId: note.creditNoteId };
    const printed = toPrintedDocument(await getDocument(deps, OPERATOR_CONTEXT, key));
    expect(printed).toMatchObject({
      title: "Credit note",
      number: note.number,
      columns: { quantity: null, unitPrice: null, tax: "Tax" },
      payment: [],
      notes: ["AE: Reverse charge. The customer accounts for the VAT."],
    });
    const facts = printed.facts.map(({ name, value }) => `${name}: ${value}`);
    expect(facts).toContain("Reason: Outage.");
    expect(facts.join()).toContain(`Of invoice: ${number},Which was issued: `);
    expect(printed.sums.at(-1)).toEqual({
      name: `Off what ${number} leaves to pay`,
      amount: "10.01",
      isBold: false,
    });
  });

  it("are a plain PDF and no e-invoice where no tax is configured, and the refusal says why", async () => {
    const { path } = await issue("untaxed", toBillingDeps(services));
    const refused = await download("untaxed", `${path}/xml`);
    expect(refused.status).toBe(409);
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({
      code: "CONFLICT",
      reason: "no_e_invoice",
    });
    const { bytes } = await download("untaxed", `${path}/pdf`);
    expect(readEmbedded(bytes)).toBeUndefined();
    expect(bytes.toString("latin1")).not.toContain("factur-x");
  });
});

describe("a printed invoice", () => {
  /** Directive 2006/112/EC, article 226. */
  it("has what an invoice in the European Union needs", async () => {
    const { deps, tenantId, invoiceId, number } = await issue("complete");
    const key = { tenantId, invoiceId, creditNoteId: undefined };
    const printed = toPrintedDocument(await getDocument(deps, OPERATOR_CONTEXT, key));
    expect(printed.facts.map(({ name }) => name)).toEqual(["Number", "Issued", "Due", "Supplied"]);
    expect(printed.seller).toEqual({
      name: "Beispiel GmbH",
      lines: [
        "Hauptstraße 1",
        "10115 Berlin",
        "Germany",
        "Tax id: DE136695976",
        "rechnung@example.com",
      ],
    });
    expect(printed.customer.name).toBe("complete SA");
    expect(printed.customer.lines).toEqual(
      expect.arrayContaining(["1 High Street", "France", "Tax id: FR40303265045"]),
    );
    expect(printed.lines[0]).toMatchObject({
      quantity: "1",
      unitPrice: "31.00",
      tax: "AE",
      amount: "31.00",
    });
    expect(printed.sums.map(({ name, amount }) => `${name}: ${amount}`)).toEqual([
      "Net: 31.00",
      "VAT 0 % (AE) of 31.00: 0.00",
      "Total USD: 31.00",
      expect.stringMatching(/^To pay by .*: 31\.00$/),
    ]);
    expect(printed.notes).toEqual(["AE: Reverse charge. The customer accounts for the VAT."]);
    expect(printed.payment.join()).toContain(number);
    expect(printed.warning).toBeNull();
    const bank = { holder: "Beispiel GmbH", bic: null, bank: null, lines: [] };
    const iban = "DE89370400440532013000";
    const stored = await getDocument(deps, OPERATOR_CONTEXT, key);
    const { payment } = toPrintedDocument(stored, { ...bank, iban });
    expect(payment).toEqual([
      "To: Beispiel GmbH",
      "IBAN: DE89 3704 0044 0532 0130 00",
      expect.stringMatching(/^Reference: RF\d\d /),
    ]);
    expect(payment.join("").replaceAll(" ", "")).toContain(number.replaceAll("-", ""));
  });

  it("is in the language that the customer had at the issue, with amounts and days as it has them", async () => {
    const { deps, tenantId, invoiceId } = await issue("german", toTaxedDeps(services), "de");
    await setLanguage(deps, tenantId, "en");
    const key = { tenantId, invoiceId, creditNoteId: undefined };
    const printed = toPrintedDocument(await getDocument(deps, OPERATOR_CONTEXT, key));
    expect(printed).toMatchObject({ language: "de", title: "Rechnung" });
    expect(printed.facts.map(({ name }) => name)).toEqual([
      "Rechnungsnummer",
      "Rechnungsdatum",
      "Fällig am",
      "Leistungszeitraum",
    ]);
    const days = printed.facts.slice(1).map(({ value }) => value);
    expect(days.join(" – ")).toMatch(/^(?:\d{2}\.\d{2}\.\d{4}(?: – |$)){4}$/);
    expect(printed.seller.lines).toContain("Deutschland");
    expect(printed.sums.map(({ name, amount }) => `${name}: ${amount}`)).toEqual([
      "Nettobetrag: 31,00\u00a0$",
      "USt. 0 % (AE) auf 31,00\u00a0$: 0,00\u00a0$",
      "Gesamtbetrag USD: 31,00\u00a0$",
      expect.stringMatching(/^Zu zahlen bis [\d.]+: 31,00\u00a0\$$/),
    ]);
    expect(printed.notes).toEqual([
      "AE: Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge).",
    ]);
    const note = await createCreditNote(deps, OPERATOR_CONTEXT, {
      invoiceId,
      reason: "Credit note",
      amount: "10.01",
    });
    const credited = await getDocument(deps, OPERATOR_CONTEXT, { ...key, ...note });
    const printedNote = toPrintedDocument(credited);
    expect(printedNote.title).toBe("Rechnungskorrektur");
    // What people wrote stays as it is.
    expect(printedNote.facts).toContainEqual({ name: "Grund", value: "Credit note" });
  });

  it("names rates, the certificate of an exemption, and prices without tax where they include it", async () => {
    const gross = toTaxedDeps(services, { pricesInclude: "gross" });
    const read = async (deps: typeof gross, customer: Parameters<typeof createCustomer>[1]) => {
      const tenantId = await createCustomer(deps, customer);
      await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
      const page = { tenantId, environment: "live" as const, limit: 1 };
      const { items } = await listInvoices(deps, OPERATOR_CONTEXT, page);
      const { invoiceId } = items[0] ?? expect.fail("no invoice");
      const key = { tenantId, invoiceId, creditNoteId: undefined };
      return toPrintedDocument(await getDocument(deps, OPERATOR_CONTEXT, key));
    };
    const included = await read(gross, { name: "Gross", country: "DE" });
    expect(included.columns).toMatchObject({
      unitPrice: "Price without tax",
      amount: "USD with tax",
    });
    expect(included.lines[0]).toMatchObject({
      unitPrice: "26.05042",
      tax: "19 %",
      amount: "31.00",
    });
    expect(included.sums.map(({ amount }) => amount).slice(0, 3)).toEqual([
      "26.05",
      "4.95",
      "31.00",
    ]);
    const exempt = await read(toTaxedDeps(services), {
      name: "Exempt",
      country: "FR",
      exemption: "Art. 151",
    });
    expect(exempt.notes).toEqual(["E: Exempt from VAT: Art. 151"]);
    const twice = toTaxedDeps(services, {
      taxRates: [
        toRate({ country: "DE", percent: "5", name: "GST" }),
        toRate({ country: "DE", percent: "9.975", name: "QST" }),
      ],
    });
    const several = await read(twice, { name: "Several", country: "DE" });
    expect(several.lines[0]?.tax).toBe("9.975 % + 5 %");
    expect(several.sums.slice(1, 3).map(({ name }) => name)).toEqual([
      "QST 9.975 % of 31.00",
      "GST 5 % of 31.00",
    ]);
  });
});
