import type { Subscription } from "@turnpike/contract/subscriptions";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listAccountsAfter } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { readSubscription } from "./get-subscription.ts";

export type ListSubscriptionsInput = {
  environment: Environment;
  planId?: string | undefined;
  life?: Subscription["life"] | undefined;
  cursor?: string | undefined;
  limit: number;
};

export type SubscriptionPage = {
  items: (Subscription & { tenantName: string })[];
  nextCursor: string | null;
};

/**
 * Lists the subscriptions of all tenants that have had a plan with a price, by tenant.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listSubscriptions(
  deps: BillingDeps,
  context: CallContext,
  input: ListSubscriptionsInput,
): Promise<SubscriptionPage> {
  assertMay(context.actor, "invoices:read");
  const after = parseIdCursor("tenant", input.cursor);
  return await deps.transact.asOperator(async (tx) => {
    const found = await listAccountsAfter(tx, {
      ...input,
      after: after !== undefined && isId("tenant", after) ? (after as TenantId) : undefined,
      limit: input.limit + 1,
    });
    const page = found.slice(0, input.limit);
    const items: SubscriptionPage["items"] = [];
    for (const { tenantName, ...key } of page) {
      items.push({ ...(await readSubscription(deps, tx, key)), tenantName });
    }
    const isLast = found.length <= input.limit;
    return { items, nextCursor: isLast ? null : (page.at(-1)?.tenantId ?? null) };
  });
}
