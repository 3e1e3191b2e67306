import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { accountsOfTenant } from "../accounts-of-tenant.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { toBillingDeps } from "../testing/billing.fixture.ts";
import { setExemption, setTaxIdStatus } from "./decide-tax-of-customer.ts";
import { getBillingDetails } from "./get-billing-details.ts";
import { putBillingDetails } from "./put-billing-details.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  deps = toBillingDeps(services);
});
afterAll(() => database.close());

const GIVEN = {
  companyName: "Exemple SARL",
  addressLines: ["1 rue Haute"],
  postalCode: "75001",
  city: "Paris",
  region: null,
  country: "FR",
  email: "factures@example.com",
  taxId: "FR 40 303 265 045",
};

async function createCustomer(name: string, given: Partial<typeof GIVEN> = {}) {
  const { tenantId, context } = await createTestTenant(services, name);
  const details = await putBillingDetails(deps, OPERATOR_CONTEXT, {
    tenantId,
    ...GIVEN,
    ...given,
  });
  return { tenantId, context, details };
}

describe("billing details", () => {
  it("are empty until they are given, and then pending for the id", async () => {
    const { tenantId, context } = await createTestTenant(services, "Empty");
    expect(await getBillingDetails(deps, context, { tenantId })).toMatchObject({
      companyName: null,
      taxId: null,
      taxIdStatus: null,
      isExempt: false,
      updatedAt: null,
    });
    const given = await putBillingDetails(deps, OPERATOR_CONTEXT, { tenantId, ...GIVEN });
    expect(given).toMatchObject({ ...GIVEN, taxId: "FR40303265045", taxIdStatus: "pending" });
    expect(await getBillingDetails(deps, context, { tenantId })).toEqual(given);
  });

  it("refuse an id of a wrong form, or without a country, and change nothing", async () => {
    const { tenantId } = await createTestTenant(services, "Wrong");
    for (const wrong of [{ taxId: "FR41303265045" }, { country: null }]) {
      const refusal = refusalOf(
        putBillingDetails(deps, OPERATOR_CONTEXT, { tenantId, ...GIVEN, ...wrong }),
      );
      expect(await refusal).toMatchObject({
        code: "INVALID_REQUEST",
        errors: [{ pointer: "/taxId" }],
      });
    }
    const found = await getBillingDetails(deps, OPERATOR_CONTEXT, { tenantId });
    expect(found.companyName).toBeNull();
  });

  it("keep what the operator decided of the id and of tax, until the id is another", async () => {
    const { tenantId, details } = await createCustomer("Kept");
    const decided = { tenantId, taxId: details.taxId ?? "", reason: "Seen at VIES." };
    await setTaxIdStatus(deps, OPERATOR_CONTEXT, { ...decided, status: "confirmed" });
    await setExemption(deps, OPERATOR_CONTEXT, {
      tenantId,
      exemption: "Certificate 7",
      reason: "Seen.",
    });
    const moved = await putBillingDetails(deps, OPERATOR_CONTEXT, {
      tenantId,
      ...GIVEN,
      city: "Lyon",
    });
    expect(moved).toMatchObject({
      city: "Lyon",
      taxIdStatus: "confirmed",
      taxIdReason: "Seen at VIES.",
      exemption: "Certificate 7",
    });
    const other = await putBillingDetails(deps, OPERATOR_CONTEXT, {
      tenantId,
      ...GIVEN,
      taxId: "FR83404833048",
    });
    expect(other).toMatchObject({ taxIdStatus: "pending", taxIdReason: null });
    expect(
      await refusalOf(setTaxIdStatus(deps, OPERATOR_CONTEXT, { ...decided, status: "invalid" })),
    ).toMatchObject({ code: "CONFLICT" });
  });

  it("are in the audit log, with what was changed and why", async () => {
    const { tenantId, details } = await createCustomer("Audited");
    await setTaxIdStatus(deps, OPERATOR_CONTEXT, {
      tenantId,
      taxId: details.taxId ?? "",
      status: "invalid",
      reason: "Not known.",
    });
    const { items } = await listAudit(deps, OPERATOR_CONTEXT, { tenantId, limit: 10 });
    expect(items.slice(0, 2)).toMatchObject([
      {
        action: "tax_id.decided",
        details: { taxIdStatus: ["pending", "invalid"], reason: "Not known." },
      },
      { action: "billing_details.updated", details: { city: [null, "Paris"] } },
    ]);
  });

  it("are the operator's to decide: a member of the tenant cannot confirm an id or take an exemption", async () => {
    const { tenantId, details } = await createCustomer("Members");
    const { context } = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await putBillingDetails(deps, context, { tenantId, ...GIVEN, city: "Nantes" });
    const decided = { tenantId, reason: "Mine." };
    const taxId = details.taxId ?? "";
    for (const refused of [
      setTaxIdStatus(deps, context, { ...decided, taxId, status: "confirmed" }),
      setExemption(deps, context, { ...decided, exemption: "Mine" }),
    ]) {
      expect(await refusalOf(refused)).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    }
  });

  it("take the answer of a checker, and stay pending while it does not answer", async () => {
    const asked: string[] = [];
    const checking = {
      ...deps,
      checkTaxId: async (taxId: string) => {
        asked.push(taxId);
        if (taxId.startsWith("DE")) {
          throw new Error("no answer");
        }
        return "confirmed" as const;
      },
    };
    const { tenantId } = await createTestTenant(services, "Checked");
    const good = await putBillingDetails(checking, OPERATOR_CONTEXT, { tenantId, ...GIVEN });
    await putBillingDetails(checking, OPERATOR_CONTEXT, { tenantId, ...GIVEN, city: "Lyon" });
    const down = await putBillingDetails(checking, OPERATOR_CONTEXT, {
      tenantId,
      ...GIVEN,
      country: "DE",
      taxId: "DE136695976",
    });
    expect([good.taxIdStatus, down.taxIdStatus]).toEqual(["confirmed", "pending"]);
    expect(asked).toEqual(["FR40303265045", "DE136695976"]);
  });

  it("go when the data of the tenant is removed", async () => {
    const { tenantId } = await createCustomer("Gone");
    await services.transact.asOperator((tx) =>
      accountsOfTenant.forget(tx, { tenantId, limit: 1_000 }),
    );
    const rows = await database.sql`select 1 from billing_details where tenant_id = ${tenantId}`;
    expect(rows).toHaveLength(0);
  });
});
