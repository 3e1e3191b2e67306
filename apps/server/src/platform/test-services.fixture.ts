import { randomBytes } from "node:crypto";
import type { Sql } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "./app-services.ts";
import { systemClock } from "./clock.ts";
import { createLogger } from "./logger.ts";
import { newUuidId } from "./new-id.ts";
import { createTransact } from "./transact.ts";

/** The services of a test, on its own database; silent. */
export function createTestServices(database: { sql: Sql }): AppServices {
  return {
    transact: createTransact(database.sql),
    clock: systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
  };
}

const PLAN = "test-plan";

/** A tenant with nothing but its row, for modules below `tenants`. */
export async function insertTestTenant(sql: Sql): Promise<TenantId> {
  const tenantId = newUuidId("tenant");
  await sql`
    with plan as (
      insert into plans (plan_id, latest_version, created_at) values (${PLAN}, 1, now())
      on conflict do nothing
    )
    insert into plan_versions (plan_id, version, terms, published_at) values (${PLAN}, 1, '{}', now())
    on conflict do nothing`;
  await sql`
    insert into tenants (tenant_id, name, slug, plan_id, plan_version, period_anchor, created_at, updated_at)
    values (${tenantId}, 'Test', ${tenantId.replace("_", "-")}, ${PLAN}, 1, now(), now(), now())`;
  return tenantId;
}
