import type { Sql } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What an operator did to the documents of a tenant, in the terms of the engine. */
export type LoggedAct =
  | { do: "pay" | "creditNote" | "void"; invoiceId: string; [member: string]: unknown }
  | { do: "writeOff" }
  | { do: "adjust"; amount: string; label: string; waits: boolean };

/**
 * Keeps what each write of an account was: where in time it led, up to where usage was in it, what had been asked for, and who the
 * customer was.
 */
export async function logWrites(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table simulated_writes (
      tenant_id text, environment text, revision bigint, advanced_to timestamptz, fed_to timestamptz, events int,
      customer jsonb, act jsonb,
      primary key (tenant_id, environment, revision)
    );
    create function log_write() returns trigger language plpgsql security definer as $$
    begin
      insert into public.simulated_writes
      select new.tenant_id, new.environment, new.revision, new.advanced_to, new.fed_to, new.events,
        (select to_jsonb(d) from public.billing_details d where d.tenant_id = new.tenant_id);
      return null;
    end
    $$;
    create trigger log_write after insert or update on billing_accounts for each row execute function log_write();
  `);
}

/** Says what the newest write of an account was. */
export async function logAct(sql: Sql, tenantId: TenantId, act: LoggedAct): Promise<void> {
  const written = await sql`
    update simulated_writes w set act = ${sql.json(act as never)}
    from billing_accounts a
    where a.tenant_id = ${tenantId} and w.tenant_id = a.tenant_id and w.environment = a.environment
      and w.revision = a.revision and w.act is null
    returning 1`;
  if (written.length !== 1) {
    throw new Error(`An act changed ${String(written.length)} accounts.`);
  }
}
