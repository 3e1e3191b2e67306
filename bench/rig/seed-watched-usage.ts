import { randomBytes } from "node:crypto";
import type { Sql } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Days of usage: as far back as insights look. */
const DAYS = 30;
const KEYS = 3;
/** Of so many tenants one has an incident: one key makes many more calls in the last hours. */
export const TENANTS_PER_INCIDENT = 10;
const INCIDENT_HOURS = 5;
const INCIDENT_CALLS = 4_000;
/** Rows of an hour of a tenant: a route of each key, and errors of the first. */
export const ROWS_PER_HOUR = KEYS + 1;

/**
 * Copies a tenant to many, each with keys and four weeks of usage by the hour, which has a rhythm, noise and a few errors. The same
 * count gives the same usage.
 *
 * @param input.endMs - End of all usage: a full hour.
 */
export async function seedWatchedUsage(
  sql: Sql,
  input: { pattern: TenantId; count: number; endMs: number; note: (text: string) => void },
): Promise<void> {
  const { pattern, count, endMs } = input;
  const group = randomBytes(6).toString("hex");
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      create temporary table new_tenants on commit drop as
      select 'ten_' || ${group} || lpad(n::text, 20, '0') as tenant_id, 'Tenant ' || n as name
      from generate_series(1, ${count}::int) n`;
    for (const table of ["tenants", "tenant_entitlements"]) {
      await tx.unsafe(
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('tenant_id', new.tenant_id${table === "tenants" ? ", 'slug', new.tenant_id, 'name', new.name" : ""}))).*
         from ${table} t, new_tenants new where t.tenant_id = '${pattern}'`,
      );
    }
    await tx`
      insert into api_keys
      select (jsonb_populate_record(k, jsonb_build_object('tenant_id', new.tenant_id,
        'key_id', 'key_' || md5(new.tenant_id || place), 'origin_key_id', 'key_' || md5(new.tenant_id || place),
        'key_hash', '\\x' || encode(sha256((new.tenant_id || place)::bytea), 'hex')))).*
      from api_keys k, new_tenants new, generate_series(1, ${KEYS}) place where k.tenant_id = ${pattern}`;
  });
  for (let day = DAYS; day > 0; day -= 1) {
    const from = new Date(endMs - day * 24 * 60 * 60_000);
    await sql`
      insert into usage_rollups_hourly (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls,
        quantity, bytes_in, bytes_out, latencies)
      select tenant_id, at, 'requests', 'live', 'key_' || md5(tenant_id || greatest(1, place)), 'VALID',
        case when place = 0 then 500 else 200 end, 'GET', '/v1/things/' || greatest(1, place), calls, calls, 100 * calls, 900 * calls,
        (select pack_latencies('{135,137,140,144,150,163}', '{12,10,8,5,4,1}'))
      from (
        select tenant_id, at, place,
          case when place = 0 then 1 + chance % 4
            else (200 / place * (1 + 0.6 * sin((extract(hour from at at time zone 'UTC')::int + n) / 24.0 * 2 * pi())) * (0.85 + 0.3 * (chance % 1000) / 1000.0))::int + 1
              + case when place = ${KEYS} and n % ${TENANTS_PER_INCIDENT} = 0 and at >= ${new Date(endMs - INCIDENT_HOURS * 60 * 60_000)}::timestamptz
                  then ${INCIDENT_CALLS} else 0 end
          end as calls
        from (
          select 'ten_' || ${group} || lpad(n::text, 20, '0') as tenant_id, n, at, place,
            hashint8extended(extract(epoch from at)::bigint + n, place) & 1073741823 as chance
          from generate_series(${from}::timestamptz, ${from}::timestamptz + interval '23 hours', interval '1 hour') at,
            generate_series(1, ${count}::int) n, generate_series(0, ${KEYS}) place
        ) drawn
      ) calls`;
    if (day % 10 === 0) {
      input.note(`${String(day)} days to go`);
    }
  }
  await sql`vacuum (analyze) usage_rollups_hourly, tenants, api_keys`;
}
