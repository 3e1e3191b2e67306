import type { Customer } from "@turnpike/contract/customers";
import { assertMay, type CallContext, may } from "@turnpike/domain/access/actor";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import { isId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { listTenantReplies, type WithPlans } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import {
  type CustomerPlace,
  type CustomerRow,
  type CustomerSort,
  listCustomerRows,
} from "./customers.store.ts";

export type ListCustomersInput = {
  q?: string | undefined;
  planId?: string | undefined;
  standing?: Standing | undefined;
  suspended?: boolean | undefined;
  sort: CustomerSort;
  cursor?: string | undefined;
  limit: number;
};

const VALUE = {
  newest: /^$/,
  usage: /^\d{1,60}(\.\d{1,20})?$/,
  quota: /^(-1|\d{1,18})$/,
  activity: /^(-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00)$/,
  revenue: /^\d{1,40}(\.\d{1,20})?$/,
} as const;

/** A cursor is the value of the last row and its tenant; by age the tenant alone. */
function parsePlace(sort: CustomerSort, text: string): CustomerPlace | undefined {
  const at = text.lastIndexOf("~");
  const [value, tenantId] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return isId("tenant", tenantId) && VALUE[sort].test(value) && at >= 0 === (sort !== "newest")
    ? { value, tenantId }
    : undefined;
}

function toRevenue({ revenue, currency }: CustomerRow): Customer["revenue"] {
  return currency === null || revenue === "0"
    ? null
    : { amount: formatMinor(BigInt(revenue), currencyOf(currency)), currency };
}

/**
 * Lists tenants with their figures. Without the right to read invoices, revenue is null.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listCustomers(
  deps: Pick<AppServices, "transact"> & WithPlans,
  { actor }: CallContext,
  { q, suspended, cursor, limit, ...input }: ListCustomersInput,
): Promise<{ items: Customer[]; nextCursor: string | null }> {
  assertMay(actor, "tenants:read");
  if (input.sort === "revenue") {
    assertMay(actor, "invoices:read");
  }
  const seesRevenue = may(actor, "invoices:read");
  const after = parseCursor(cursor, (text) => parsePlace(input.sort, text));
  return await deps.transact.asOperator(async (tx) => {
    const found = await listCustomerRows(tx, {
      ...{ planId: undefined, standing: undefined, ...input },
      text: q,
      isSuspended: suspended,
      after,
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const tenants = await listTenantReplies(deps, tx, {
      tenantIds: rows.map(({ tenantId }) => tenantId),
      actor,
    });
    const byId = new Map(tenants.map((tenant) => [tenant.tenantId, tenant]));
    const last = rows.at(-1);
    return {
      items: rows.flatMap((row) => {
        const tenant = byId.get(row.tenantId);
        return tenant === undefined
          ? []
          : [
              {
                tenant,
                standing: row.standing,
                used: row.used,
                quotaPercent: row.quotaShare < 0 ? null : row.quotaShare / 10,
                lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
                revenue: seesRevenue ? toRevenue(row) : null,
              },
            ];
      }),
      nextCursor:
        found.length > limit && last !== undefined
          ? `${input.sort === "newest" ? "" : `${last.place}~`}${last.tenantId}`
          : null,
    };
  }, shareOf(actor));
}
