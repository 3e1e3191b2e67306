import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, type CallContext, isTenantProgram, may } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import { getTenant } from "./get-tenant.ts";
import { listTenantRows, listTenantRowsOfUser } from "./tenants.store.ts";
import { listWithPlans, type WithPlans } from "./to-tenant-reply.ts";

export type ListTenantsInput = {
  /** Part of the name or the slug. */
  q?: string | undefined;
  slug?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** Lists tenants, newest first: all of them for the operator's actors, otherwise those of the person or the key. */
export async function listTenants(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: ListTenantsInput,
): Promise<{ items: Tenant[]; nextCursor: string | null }> {
  const { actor } = context;
  const beforeId = parseIdCursor("tenant", input.cursor);
  if (isTenantProgram(actor)) {
    const own = await getTenant(deps, context, actor);
    const isAsked = input.slug === undefined || input.slug === own.slug;
    return { items: isAsked ? [own] : [], nextCursor: null };
  }
  const page = {
    text: input.q,
    slug: input.slug,
    beforeId,
    limit: input.limit + 1,
  };
  const seesAll = may(actor, "tenants:read");
  if (!seesAll && actor.type !== "user") {
    assertMay(actor, "tenants:read");
  }
  return await deps.transact.asOperator(async (tx) => {
    const found =
      !seesAll && actor.type === "user"
        ? await listTenantRowsOfUser(tx, actor.id, page)
        : await listTenantRows(tx, page);
    const rows = found.slice(0, input.limit);
    return {
      items: await listWithPlans(deps, tx, { rows, actor }),
      nextCursor: found.length > input.limit ? (rows.at(-1)?.tenant_id ?? null) : null,
    };
  }, shareOf(actor));
}
