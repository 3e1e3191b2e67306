import type { BillingDetails } from "@turnpike/contract/billing-details";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TaxIdStatus } from "@turnpike/domain/billing/tax/tax-decision";
import { parseTaxId } from "@turnpike/domain/billing/tax/tax-id";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { shareOf } from "#platform/transact.ts";
import type { BillingDeps } from "../billing-deps.ts";
import type { BillingDetailsRow } from "./billing-details.store.ts";
import { changeDetails } from "./change-details.ts";

export type PutBillingDetailsInput = { tenantId: TenantId } & Pick<
  BillingDetails,
  "companyName" | "addressLines" | "postalCode" | "city" | "region" | "country" | "email" | "taxId"
> & {
    /** Left out: as before. */
    language?: BillingDetails["language"] | undefined;
  };

/** @throws {AppError} `INVALID_REQUEST` when the form is wrong. */
function readTaxId({ taxId, country }: PutBillingDetailsInput): string | null {
  if (taxId === null) {
    return null;
  }
  const parsed = parseTaxId(taxId, country ?? undefined);
  if ("fault" in parsed) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: parsed.fault,
      errors: [{ pointer: "/taxId", message: parsed.fault }],
    });
  }
  return parsed.taxId;
}

/** The state of an id that stays is kept; a new one is pending. */
function stateOf(
  before: BillingDetailsRow,
  taxId: string | null,
): Pick<BillingDetailsRow, "taxIdStatus" | "taxIdReason"> {
  if (taxId !== null && taxId === before.taxId) {
    const { taxIdStatus, taxIdReason } = before;
    return { taxIdStatus, taxIdReason };
  }
  const taxIdStatus: TaxIdStatus | null = taxId === null ? null : "pending";
  return { taxIdStatus, taxIdReason: null };
}

const CHECK_REASON = "The authority was asked.";

/** Asks about a new id, outside of any transaction. An authority that does not answer leaves it pending. */
async function checkPending(
  deps: BillingDeps,
  context: CallContext,
  details: BillingDetails,
): Promise<BillingDetails> {
  const { tenantId, taxId } = details;
  if (deps.checkTaxId === undefined || taxId === null || details.taxIdStatus !== "pending") {
    return details;
  }
  const status = await deps.checkTaxId(taxId).catch((error: unknown) => {
    deps.logger.warn({ err: error, tenantId }, "A tax id could not be checked");
    return "unknown" as const;
  });
  if (status === "unknown") {
    return details;
  }
  return await deps.transact.asOperator(
    (tx) =>
      changeDetails(deps, tx, context, {
        tenantId,
        action: "tax_id.decided",
        reason: CHECK_REASON,
        change: (before) =>
          before.taxId === taxId && before.taxIdStatus === "pending"
            ? { ...before, taxIdStatus: status, taxIdReason: CHECK_REASON }
            : before,
      }),
    shareOf(context.actor),
  );
}

/**
 * Sets who the invoices of a tenant are made out to. The state of the tax id and an exemption are the operator's to decide.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (tax id).
 */
export async function putBillingDetails(
  deps: BillingDeps,
  context: CallContext,
  input: PutBillingDetailsInput,
): Promise<BillingDetails> {
  assertMayInTenant(context.actor, "billing:write", input.tenantId);
  const taxId = readTaxId(input);
  const {
    tenantId,
    companyName,
    addressLines,
    postalCode,
    city,
    region,
    country,
    email,
    language,
  } = input;
  const details = await deps.transact.asOperator(
    (tx) =>
      changeDetails(deps, tx, context, {
        tenantId,
        action: "billing_details.updated",
        change: (before) => ({
          companyName,
          addressLines,
          postalCode,
          city,
          region,
          country,
          email,
          language: language === undefined ? before.language : language,
          taxId,
          ...stateOf(before, taxId),
          exemption: before.exemption,
        }),
      }),
    shareOf(context.actor),
  );
  return await checkPending(deps, context, details);
}
