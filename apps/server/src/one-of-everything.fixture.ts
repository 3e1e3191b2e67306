import type { ApiReply, TestApp } from "@turnpike/testkit/test-app";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { expect } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import {
  ALERT,
  BILLING_DETAILS,
  EXPORT,
  type Ids,
  METER,
  PROPOSAL,
  statementOf,
} from "./good-requests.fixture.ts";

/** As a member does in a browser, with a program that never comes back. */
async function connectAgent(
  app: TestApp,
  input: { tenantId: string; userId: string; name: string },
): Promise<string> {
  const { tenantId, userId, name } = input;
  const agentGrantId = app.services.newId("agentGrant");
  await app.services.transact.asOperator(
    (tx) => tx`
      insert into agent_grants (tenant_id, agent_grant_id, user_id, name, scopes, created_at, renewed_at, expires_at)
      values (${tenantId}, ${agentGrantId}, ${userId}, ${name}, '{usage:read}', now(), now(), now() + interval '1 day')`,
  );
  return agentGrantId;
}

/** A call as a process keeps it. */
async function keepCall(
  app: TestApp,
  input: { tenantId: string; keyId: string; name: string },
): Promise<string> {
  const { tenantId, keyId, name } = input;
  const requestId = newUuidId("request");
  await app.services.transact.asMeter(
    (tx) => tx`
      insert into recent_calls (tenant_id, request_id, occurred_at, key_id, environment, meter_id, quantity, method, route,
        status, outcome)
      values (${tenantId}, ${requestId}, now(), ${keyId}, 'live', 'requests', 1, 'GET', ${`/${name}`}, 200, 'VALID')`,
  );
  return requestId;
}

/**
 * Makes a tenant with one of everything that a tenant owns. Its name is in the name or the content of each, so that it shows
 * where an answer leaks.
 *
 * @param everything - A service key with every scope.
 */
export async function makeOneOfEverything(
  app: TestApp,
  everything: string,
  name: string,
): Promise<Ids> {
  const tenantId = await app.mintTenant(name);
  const path = `/v1/tenants/${tenantId}`;
  const make = async (method: string, target: string, body: object): Promise<ApiReply["json"]> => {
    const reply = await app.call(everything, method, target, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json;
  };
  // It expires soon, which is worth an insight.
  const expiresAt = new Date(Date.now() + 3 * 24 * 60 * 60_000).toISOString();
  const key = await make("POST", `${path}/keys`, { name, expiresAt });
  const user = await make("POST", "/v1/users", {
    issuer: "https://id.example.com",
    subject: name,
    name,
  });
  await make("PUT", `${path}/members/${user.userId}`, { role: "viewer" });
  const document = await make("PUT", `${path}/documents/settings/${name}`, { body: { name } });
  const notification = await make("POST", `${path}/notifications`, {
    kind: "test.done",
    title: name,
    body: "It is done.",
  });
  const role = await make("POST", `${path}/roles`, { name, scopes: [] });
  const invitation = await make("POST", `${path}/invitations`, {
    email: `${name}@example.com`,
    role: "viewer",
  });
  const upload = await fetch(`${app.url}${path}/files?name=${name}.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${everything}`, "content-type": "text/plain" },
    body: name,
  });
  const file = (await upload.json()) as { fileId: string };
  const serviceKey = await make("POST", "/v1/service-keys", { name: "S", scopes: ["keys:read"] });
  const webhook = await make("POST", `${path}/webhooks`, {
    url: "https://1.1.1.1/hook",
    description: name,
  });
  const ping = await make("POST", `${path}/webhooks/${webhook.webhookId}/test`, {});
  const alert = await make("POST", `${path}/alerts`, { ...ALERT, name });
  const insights = await make("POST", `${path}/insights/refresh`, {});
  const proposal = await make("POST", `${path}/proposals`, { ...PROPOSAL, reason: name });
  const agentGrantId = await connectAgent(app, { tenantId, userId: user.userId, name });
  const scimToken = await make("POST", `${path}/scim/tokens`, {});
  const { domain } = await make("POST", `${path}/sso/domains`, {
    domain: `${tenantId.slice(-12)}.example`,
  });
  const usageExport = await make("POST", `${path}/exports`, { ...EXPORT, name });
  const coupon = await make("POST", "/v1/coupons", {
    couponId: `c-${tenantId.slice(-12)}`,
    name: "Coupon",
    percent: "10",
  });
  // In the sandbox, so that the tenant's limits stay what they are.
  const sandbox = { environment: "test", action: { do: "subscribe", planId: "pro" } };
  const { at, hash } = await make("POST", `${path}/subscription/quotes`, sandbox);
  await make("POST", `${path}/subscription/changes`, { ...sandbox, at, hash });
  const invoices = await app.call(everything, "GET", `${path}/invoices?environment=test`);
  const { invoiceId } = invoices.json.items[0];
  await make("POST", `/v1/invoices/${invoiceId}/payments`, { amount: "1.00", reference: name });
  const credit = await make("POST", `${path}/billing/credits`, {
    ...{ environment: "test", kind: "prepaid", amount: "5.00", reason: name },
  });
  const payments = await app.call(
    everything,
    "GET",
    `/v1/payments?environment=test&tenantId=${tenantId}`,
  );
  const [payment] = payments.json.items;
  const refunded = await make("POST", `/v1/payments/${payment.paymentId}/refunds`, {
    ...{ amount: "0.10", withCreditNote: false, reason: name },
  });
  await make("POST", "/v1/bank-statements", statementOf(name));
  const lines = await app.call(everything, "GET", "/v1/statement-lines");
  // Of the installation; while it runs, there is no other of the plan.
  const { json } = await app.call(everything, "GET", "/v1/plans/scale/migrations");
  const migration =
    json.items[0] ?? (await make("POST", "/v1/plans/scale/migrations", { toVersion: 1 }));
  await make("PUT", `${path}/billing/details`, { ...BILLING_DETAILS, companyName: name });
  return {
    tenantId,
    invoiceId,
    grantId: credit.grants[0].grantId,
    paymentId: payment.paymentId,
    refundId: refunded.refunds[0].refundId,
    lineId: lines.json.items.find((line: { purpose: string }) => line.purpose === name).lineId,
    line: "1",
    exportId: usageExport.exportId,
    alertId: alert.alertId,
    insightId: insights.items[0].insightId,
    proposalId: proposal.proposalId,
    agentGrantId,
    domain,
    // Of the installation: no tenant has one.
    mailId: `mail_${"1".repeat(32)}`,
    webhookId: webhook.webhookId,
    messageId: ping.messageId,
    requestId: await keepCall(app, { tenantId, keyId: key.keyId, name }),
    keyId: key.keyId,
    userId: user.userId,
    fileId: file.fileId ?? expect.fail(JSON.stringify(file)),
    documentId: document.documentId,
    notificationId: notification.notificationId,
    invitationId: invitation.invitationId,
    roleId: role.role,
    scimTokenId: scimToken.scimTokenId,
    serviceKeyId: serviceKey.serviceKeyId,
    // Of no tenant in the path: the operator's programs alone may name one.
    lockId: `lck_${"1".repeat(32)}`,
    meterId: METER.meterId,
    // A published plan that is not the default.
    planId: "scale",
    version: "1",
    couponId: coupon.couponId,
    migrationId: migration.migrationId,
    collection: "settings",
  };
}

/**
 * Sums up every row of a tenant, in each table that has a column for the tenant.
 *
 * @returns A checksum by table; the same as before when nothing of the tenant was changed, added or removed.
 */
export async function readChecksums(
  { sql }: TestDatabase,
  tenantId: string,
): Promise<Map<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`;
  expect(tables.length).toBeGreaterThan(20);
  const sums = tables.map(
    ({ name }) => `
    select '${name}' as name, count(*) || ' ' || md5(coalesce(string_agg(t::text, '' order by t::text), '')) as sum
    from ${name} t where tenant_id = $1`,
  );
  const rows = await sql.unsafe<{ name: string; sum: string }[]>(sums.join(" union all "), [
    tenantId,
  ]);
  return new Map(rows.map(({ name, sum }) => [name, sum]));
}
