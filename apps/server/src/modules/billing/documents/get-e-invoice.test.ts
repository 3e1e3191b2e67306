import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";
import { createCustomer, toTaxedDeps } from "../testing/taxed.fixture.ts";
import { getEInvoice } from "./get-e-invoice.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(() => database.close());

async function issue(deps = toTaxedDeps(services), name = "Customer") {
  const tenantId = await createCustomer(deps, {
    name,
    country: "FR",
    taxId: "FR40303265045",
    status: "confirmed",
  });
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  const page = { tenantId, environment: "live" as const, limit: 1 };
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, page);
  const { invoiceId, number } = items[0] ?? expect.fail("no invoice");
  return { deps, tenantId, invoiceId, number };
}

describe("an invoice as an e-invoice", () => {
  it("is the same in both syntaxes: number, parties, reverse charge and sums", async () => {
    const { deps, tenantId, invoiceId, number } = await issue();
    for (const format of ["ubl", "cii"] as const) {
      const asked = { tenantId, invoiceId, creditNoteId: undefined, format };
      const { xml } = await getEInvoice(deps, OPERATOR_CONTEXT, asked);
      for (const text of [
        number,
        "DE136695976",
        "FR40303265045",
        "VATEX-EU-AE",
        "31.00",
        "10115",
      ]) {
        expect(xml, text).toContain(text);
      }
      expect(await getEInvoice(deps, OPERATOR_CONTEXT, asked)).toEqual({ number, xml });
    }
  });

  it("has the credit note beside it, with the invoice that it is of", async () => {
    const { deps, tenantId, invoiceId, number } = await issue(undefined, "Credited");
    const note = await createCreditNote(deps, OPERATOR_CONTEXT, {
      invoiceId,
      reason: "Outage.",
      amount: "10.01",
    });
    const asked = { tenantId, invoiceId, format: "ubl" as const };
    const { creditNoteId } = note;
    const { xml } = await getEInvoice(deps, OPERATOR_CONTEXT, { ...asked, creditNoteId });
    for (const text of ["<CreditNote ", note.number, number, "Outage.", "10.01"]) {
      expect(xml, text).toContain(text);
    }
    const other = await issue(deps, "Another");
    const foreign = { ...asked, ...other, format: "ubl" as const, creditNoteId };
    expect(await refusalOf(getEInvoice(deps, OPERATOR_CONTEXT, foreign))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
  });

  it("is refused with a sentence where no tax is configured", async () => {
    const { deps, tenantId, invoiceId } = await issue(toBillingDeps(services), "Untaxed");
    const asked = { tenantId, invoiceId, creditNoteId: undefined, format: "ubl" as const };
    expect(await refusalOf(getEInvoice(deps, OPERATOR_CONTEXT, asked))).toMatchObject({
      code: "CONFLICT",
      extensions: { reason: "no_e_invoice" },
    });
  });
});
