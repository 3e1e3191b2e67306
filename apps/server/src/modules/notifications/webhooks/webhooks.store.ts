import type { Tx } from "@turnpike/db/client";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { INSTALLATION, type WebhookOwner } from "./webhook-owner.ts";

export type WebhookState = "enabled" | "disabled" | "auto_disabled" | "paused";

/** A sealed secret, and until when it signs (ISO 8601). */
type EarlierSecret = { secret: string; until: string };

export type WebhookRow = {
  tenant_id: WebhookOwner;
  webhook_id: string;
  url: string;
  description: string;
  event_types: string[];
  state: WebhookState;
  /** Also of a paused one. */
  disabled_reason: string | null;
  /** Type and id of the actor who added it or enabled it last, such as `user:usr_…`; null if unknown. */
  responsible: string | null;
  /** Sealed. */
  secret: string;
  /** Newest first. Expired ones no longer sign. */
  earlier_secrets: EarlierSecret[];
  failing_since: Date | null;
  last_failed_at: Date | null;
  paused_until: Date | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = [
  "tenant_id",
  "webhook_id",
  "url",
  "description",
  "event_types",
  "state",
  "disabled_reason",
  "responsible",
  "secret",
  "earlier_secrets",
  "failing_since",
  "last_failed_at",
  "paused_until",
  "created_at",
  "updated_at",
] as const;

/** The earlier secrets that still sign. */
export function listSigning(row: WebhookRow, now: Date): EarlierSecret[] {
  return row.earlier_secrets.filter(({ until }) => new Date(until) > now);
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` (tenant). */
export async function assertOwnerExists(tx: Tx, owner: WebhookOwner): Promise<void> {
  if (owner !== INSTALLATION) {
    await assertTenantExists(tx, owner);
  }
}

export async function insertWebhook(
  tx: Tx,
  owner: WebhookOwner,
  row: Omit<WebhookRow, "tenant_id">,
): Promise<void> {
  const earlier_secrets = tx.json(row.earlier_secrets);
  await tx`
    insert into webhook_endpoints ${tx({ ...row, earlier_secrets, tenant_id: owner }, ...COLUMNS)}`;
}

/** Newest first. An owner has few. */
export async function listWebhookRows(
  tx: Tx,
  owner: WebhookOwner,
  limit: number,
): Promise<WebhookRow[]> {
  return await tx<WebhookRow[]>`
    select ${tx(COLUMNS)} from webhook_endpoints where tenant_id = ${owner}
    order by webhook_id desc limit ${limit}`;
}

export async function findWebhookRow(
  tx: Tx,
  owner: WebhookOwner,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await tx<WebhookRow[]>`
    select ${tx(COLUMNS)} from webhook_endpoints where tenant_id = ${owner} and webhook_id = ${webhookId}`;
  return row;
}

/** The same, locked until the end of the transaction. Every change of deliveries locks their endpoint first. */
export async function lockWebhookRow(
  tx: Tx,
  owner: WebhookOwner,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await tx<WebhookRow[]>`
    select ${tx(COLUMNS)} from webhook_endpoints where tenant_id = ${owner} and webhook_id = ${webhookId}
    for no key update`;
  return row;
}

export async function updateWebhookRow(tx: Tx, row: WebhookRow): Promise<void> {
  await tx`
    update webhook_endpoints set ${tx(
      { ...row, earlier_secrets: tx.json(row.earlier_secrets) },
      "url",
      "description",
      "event_types",
      "state",
      "disabled_reason",
      "responsible",
      "secret",
      "earlier_secrets",
      "failing_since",
      "last_failed_at",
      "paused_until",
      "updated_at",
    )}
    where tenant_id = ${row.tenant_id} and webhook_id = ${row.webhook_id}`;
}

/** Pauses the enabled endpoints of one responsible actor, and so locks them. @returns Those paused. */
export async function pauseWebhookRowsOf(
  tx: Tx,
  owner: WebhookOwner,
  input: { responsible: string; reason: string; now: Date },
): Promise<WebhookRow[]> {
  return await tx<WebhookRow[]>`
    update webhook_endpoints set state = 'paused', disabled_reason = ${input.reason}, updated_at = ${input.now}
    where tenant_id = ${owner} and responsible = ${input.responsible} and state = 'enabled'
    returning ${tx(COLUMNS)}`;
}

export async function deleteWebhookRow(
  tx: Tx,
  owner: WebhookOwner,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await tx<WebhookRow[]>`
    delete from webhook_endpoints where tenant_id = ${owner} and webhook_id = ${webhookId}
    returning ${tx(COLUMNS)}`;
  return row;
}
