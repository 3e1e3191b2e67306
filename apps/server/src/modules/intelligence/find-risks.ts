import { SUMMARISED_KEYS_MAX } from "@turnpike/contract/usage";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { summariseKeys } from "#modules/analytics/index.ts";
import { listInvoices } from "#modules/billing/index.ts";
import { listKeys } from "#modules/keys/index.ts";
import { getLimits } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "./ask-usage.ts";
import type { FoundInsight } from "./found-insight.ts";

const DAY_MS = 24 * 60 * 60_000;
const EXPIRES_WITHIN_DAYS = 14;
const UNUSED_DAYS = 30;
const NEAR_PERCENT = 90;
const INVOICES_MAX = 20;

type Fact = Omit<FoundInsight, "facts" | "isOver"> & Pick<FoundInsight["facts"], "text" | "action">;

/** A fact is counted, not judged. */
function toFound({ text, action, ...fact }: Fact): FoundInsight {
  return { ...fact, isOver: false, facts: { text, confidence: 1, evidence: null, action } };
}

async function findKeyRisks(deps: AppServices, tenantId: TenantId): Promise<FoundInsight[]> {
  const context = systemContext(deps);
  const nowMs = deps.clock.now().getTime();
  const { items } = await listKeys(deps, context, {
    tenantId,
    environment: "live",
    state: "active",
    sort: "createdAt",
    limit: SUMMARISED_KEYS_MAX,
  });
  const expiring = items.flatMap(({ keyId, expiresAt, rolledToKeyId }) => {
    const atMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
    // A rolled key ends on purpose.
    return atMs - nowMs > EXPIRES_WITHIN_DAYS * DAY_MS || rolledToKeyId !== null
      ? []
      : [
          toFound({
            kind: "key_expiring",
            fingerprint: `key_expiring ${keyId} ${String(expiresAt)}`,
            sinceMs: atMs - EXPIRES_WITHIN_DAYS * DAY_MS,
            text: `The key ${keyId} expires on ${String(expiresAt).slice(0, 10)}; from then on its calls are refused.`,
            action: { do: "extend_key", keyId },
          }),
        ];
  });
  const old = items.filter(
    ({ createdAt }) => nowMs - Date.parse(createdAt) >= UNUSED_DAYS * DAY_MS,
  );
  if (old.length === 0) {
    return expiring;
  }
  const summaries = await summariseKeys(deps, context, {
    tenantId,
    keys: old.map(({ keyId }) => keyId),
    timeZone: "UTC",
  });
  const createdAt = new Map(old.map((key) => [key.keyId, key.createdAt]));
  const unused = summaries.items.flatMap(({ keyId, lastUsedAt }) => {
    const idleSinceMs = Date.parse(lastUsedAt ?? createdAt.get(keyId) ?? "");
    return nowMs - idleSinceMs < UNUSED_DAYS * DAY_MS
      ? []
      : [
          toFound({
            kind: "key_unused",
            fingerprint: `key_unused ${keyId}`,
            sinceMs: idleSinceMs + UNUSED_DAYS * DAY_MS,
            text: `The key ${keyId} ${lastUsedAt === null ? "was never used" : `was last used on ${lastUsedAt.slice(0, 10)}`}: a key without a use is only a risk.`,
            action: { do: "revoke_key", keyId },
          }),
        ];
  });
  return [...expiring, ...unused];
}

async function findNearQuotas(deps: AppServices, tenantId: TenantId): Promise<FoundInsight[]> {
  const { quotas } = await getLimits(deps, systemContext(deps), { tenantId });
  return quotas.flatMap(({ meter, environment, limit, remaining, periodStart, resetAt }) => {
    const percent = limit === 0 ? 0 : Math.floor((100 * (limit - Number(remaining))) / limit);
    return environment === "test" || percent < NEAR_PERCENT
      ? []
      : [
          toFound({
            kind: "quota_near",
            fingerprint: `quota_near ${meter} ${periodStart}`,
            sinceMs: deps.clock.now().getTime(),
            text: `${String(percent)} % of the quota of ${meter} is used; it begins anew on ${resetAt.slice(0, 10)}.`,
            action: { do: "change_plan" },
          }),
        ];
  });
}

async function findOverdue(deps: AppServices, tenantId: TenantId): Promise<FoundInsight[]> {
  const { items } = await listInvoices(deps, systemContext(deps), {
    tenantId,
    environment: "live",
    state: "open",
    limit: INVOICES_MAX,
  });
  const nowMs = deps.clock.now().getTime();
  return items.flatMap(({ invoiceId, number, dueAt, due, currency }) =>
    Date.parse(dueAt) > nowMs
      ? []
      : [
          toFound({
            kind: "invoice_overdue",
            fingerprint: `invoice_overdue ${invoiceId}`,
            sinceMs: Date.parse(dueAt),
            text: `The invoice ${number} was due on ${dueAt.slice(0, 10)}: ${due} ${currency} are open.`,
            action: { do: "pay_invoice", invoiceId },
          }),
        ],
  );
}

/** Finds what needs attention without being unusual: keys, quotas, invoices. Of many keys, the oldest are looked at. */
export async function findRisks(deps: AppServices, tenantId: TenantId): Promise<FoundInsight[]> {
  return [
    ...(await findKeyRisks(deps, tenantId)),
    ...(await findNearQuotas(deps, tenantId)),
    ...(await findOverdue(deps, tenantId)),
  ];
}
