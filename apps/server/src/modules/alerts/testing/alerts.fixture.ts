import { createAlertRequest } from "@turnpike/contract/alerts";
import { addLatency, emptyLatencies } from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { commitGroups } from "#modules/metering/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { evaluateAlerts } from "../evaluate-alerts.ts";
import { createAlert } from "../manage-alerts.ts";
import type { NotifyOfAlertDeps } from "../notify-of-alert.ts";
import { watchQuotas } from "../quotas/watch-quotas.ts";

const MINUTE_MS = 60_000;

export type AlertsWorld = TestServices & NotifyOfAlertDeps;

export type Notice = { kind: string; title: string; body: string; link: string | null };
export type PublishedEvent = { type: string; data: Record<string, unknown> };
export type Mail = { to: string; subject: string; text: string };

/** Everything that alerts need, on the test's own database. The clock is at a full minute whose windows have settled. */
export function createAlertsWorld(database: TestDatabase): AlertsWorld {
  return {
    ...createTestServices(database),
    clock: createFakeClock("2026-11-20T12:00:20.000Z"),
    newId: newUuidId,
    jobs: { enqueue: () => Promise.resolve() },
    notices: { sendsMail: true, brandName: "Acme API", consoleUrl: "https://console.example.com" },
  };
}

/** A tenant with a viewer, and an owner whose address is verified. */
export async function createTenantWithOwner(
  world: AlertsWorld,
  database: TestDatabase,
  name = "Acme",
): Promise<TestTenant & { ownerEmail: string }> {
  const tenant = await createTestTenant(world, name);
  const ownerEmail = `owner-${tenant.tenantId}@example.com`;
  await createTestUser(world, { email: ownerEmail, roles: [[tenant.tenantId, "owner"]] });
  await createTestUser(world, { roles: [[tenant.tenantId, "viewer"]] });
  await database.sql`update users set email_verified = true`;
  return { ...tenant, ownerEmail };
}

export type Calls = {
  calls: number;
  /** Minutes before the start of the current one; 1 is the last complete minute. */
  minutesAgo?: number;
  outcome?: Outcome;
  status?: number;
  latencyMs?: number;
  route?: string;
  periodEndMs?: number;
  periodStartMs?: number;
};

/** Records calls of a tenant, as the gateway does. */
export async function call(world: AlertsWorld, tenant: TestTenant, of: Calls): Promise<void> {
  const runningMs = Math.floor(world.clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
  const latencies = emptyLatencies();
  for (let count = 0; of.latencyMs !== undefined && count < of.calls; count += 1) {
    addLatency(latencies, of.latencyMs);
  }
  const outcome = of.outcome ?? "VALID";
  await commitGroups(world, [
    {
      groupId: world.newId("group"),
      processId: world.newId("process"),
      recordedAtMs: null,
      spends: [],
      entries: [
        {
          tenantId: tenant.tenantId,
          keyId: `key_${"1".repeat(32)}` as never,
          environment: "live",
          meterId: "requests",
          outcome,
          status: of.status ?? 200,
          method: "GET",
          route: of.route ?? "/",
          minuteMs: runningMs - (of.minutesAgo ?? 1) * MINUTE_MS,
          periodStartMs: of.periodStartMs ?? Date.UTC(2026, 10, 1),
          periodEndMs: of.periodEndMs ?? Date.UTC(2026, 11, 1),
          calls: of.calls,
          quantity: outcome === "VALID" ? of.calls : 0,
          bytesIn: 0,
          bytesOut: 0,
          latencies,
        },
      ],
    },
  ]);
}

/** Adds an alert on more than 100 requests in a minute, unless the input says otherwise. */
export async function addAlert(
  world: AlertsWorld,
  tenant: TestTenant,
  input: Record<string, unknown> = {},
) {
  return await createAlert(
    world,
    OPERATOR_CONTEXT,
    createAlertRequest.parse({
      tenantId: tenant.tenantId,
      name: "Busy",
      query: { measure: "requests" },
      windowMinutes: 1,
      condition: { kind: "above", threshold: 100 },
      mailRoles: ["owner"],
      ...input,
    }),
  );
}

/** Evaluates the due alerts. @returns How many notices that gave. */
export async function evaluate(world: AlertsWorld): Promise<number> {
  return (await evaluateAlerts(world, new AbortController().signal)).notified;
}

/** Advances the clock and evaluates in each minute. @returns The notices of each minute. */
export async function passMinutes(world: AlertsWorld, minutes: number): Promise<number[]> {
  const notified: number[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    world.clock.advance(MINUTE_MS);
    notified.push(await evaluate(world));
  }
  return notified;
}

export async function watch(world: AlertsWorld): Promise<number> {
  return await watchQuotas(world, new AbortController().signal);
}

/** The console notices of a tenant, oldest first. */
export async function listNotices(database: TestDatabase, tenant: TestTenant): Promise<Notice[]> {
  return await database.sql<Notice[]>`
    select kind, title, body, link from notifications where tenant_id = ${tenant.tenantId} order by notification_id`;
}

/** The events of alerts, quotas and forecasts that were published to a tenant's webhooks, oldest first. */
export async function listPublishedEvents(
  database: TestDatabase,
  tenant: TestTenant,
): Promise<PublishedEvent[]> {
  const rows = await database.sql<{ payload: string }[]>`
    select payload from webhook_outbox
    where tenant_id = ${tenant.tenantId} and (event_type like 'alert.%' or event_type like 'quota.%'
      or event_type like 'forecast.%')
    order by message_id`;
  return rows.map((row) => JSON.parse(row.payload) as PublishedEvent);
}

/** Mails to an address, oldest first. */
export async function listMails(database: TestDatabase, to: string): Promise<Mail[]> {
  return await database.sql<Mail[]>`
    select recipient as to, subject, body as text from mails where recipient = ${to} order by mail_id`;
}
