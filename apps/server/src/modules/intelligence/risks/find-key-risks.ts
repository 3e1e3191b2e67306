import { SUMMARISED_KEYS_MAX } from "@turnpike/contract/usage";
import { isId, type KeyId, type TenantId } from "@turnpike/domain/ids/ids";
import { TRACED_SCOPES } from "@turnpike/domain/insights/traced-scopes";
import { summariseKeys } from "#modules/analytics/index.ts";
import { listTracesOf } from "#modules/audit/index.ts";
import { listKeys, listPublicKeys } from "#modules/keys/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { joinNames, toFound } from "./fact.ts";

const DAY_MS = 24 * 60 * 60_000;
const EXPIRES_WITHIN_DAYS = 14;
const UNUSED_DAYS = 30;

type Keys = Awaited<ReturnType<typeof listKeys>>["items"];
type Looking = { tenantId: TenantId; keys: Keys; nowMs: number };

function findExpiring({ keys, nowMs }: Looking): FoundInsight[] {
  return keys.flatMap(({ keyId, expiresAt, rolledToKeyId }) => {
    const atMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
    // A rolled key ends on purpose.
    return atMs - nowMs > EXPIRES_WITHIN_DAYS * DAY_MS || rolledToKeyId !== null
      ? []
      : [
          toFound({
            kind: "key_expiring",
            fingerprint: `key_expiring ${keyId} ${String(expiresAt)}`,
            sinceMs: atMs - EXPIRES_WITHIN_DAYS * DAY_MS,
            text: `The key ${keyId} expires on ${String(expiresAt).slice(0, 10)}; from then on its calls are denied.`,
            action: { do: "extend_key", keyId },
          }),
        ];
  });
}

/** Where each key was last used; null for one that never was. */
async function readLastUses(
  deps: AppServices,
  { tenantId, keys }: Looking,
): Promise<Map<KeyId, string | null>> {
  const { items } = await summariseKeys(deps, systemContext(deps), {
    tenantId,
    keys: keys.map(({ keyId }) => keyId),
    timeZone: "UTC",
  });
  return new Map(items.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
}

function findUnused(
  { keys, nowMs }: Looking,
  lastUses: ReadonlyMap<KeyId, string | null>,
): FoundInsight[] {
  return keys.flatMap(({ keyId, createdAt }) => {
    const lastUsedAt = lastUses.get(keyId) ?? null;
    const idleSinceMs = Date.parse(lastUsedAt ?? createdAt);
    return nowMs - idleSinceMs < UNUSED_DAYS * DAY_MS
      ? []
      : [
          toFound({
            kind: "key_unused",
            fingerprint: `key_unused ${keyId}`,
            sinceMs: idleSinceMs + UNUSED_DAYS * DAY_MS,
            text:
              lastUsedAt === null
                ? `The key ${keyId} was never used: a key without a use is only a risk.`
                : `The key ${keyId} was last used on ${lastUsedAt.slice(0, 10)}: a key without a use is only a risk.`,
            action: { do: "revoke_key", keyId },
          }),
        ];
  });
}

/** Scopes of keys whose use leaves an entry in the audit trail, and which left none. */
async function findOverbroad(
  deps: AppServices,
  { tenantId, keys, nowMs }: Looking,
): Promise<FoundInsight[]> {
  const able = keys.flatMap(({ keyId, scopes }) => {
    const traced = TRACED_SCOPES.filter(({ scope }) => scopes.includes(scope));
    return traced.length === 0 ? [] : [{ keyId, traced }];
  });
  if (able.length === 0) {
    return [];
  }
  const traces = await deps.transact.asTenant(tenantId, (tx) =>
    listTracesOf(tx, tenantId, {
      actorIds: able.map(({ keyId }) => keyId),
      since: new Date(nowMs - UNUSED_DAYS * DAY_MS),
    }),
  );
  return able.flatMap(({ keyId, traced }) => {
    const isUsed = (nouns: readonly string[]) =>
      traces.some(({ actorId, noun }) => actorId === keyId && nouns.includes(noun));
    const idle = traced.filter(({ nouns }) => !isUsed(nouns)).map(({ scope }) => scope);
    return idle.length === 0
      ? []
      : [
          toFound({
            kind: "key_overbroad",
            fingerprint: `key_overbroad ${keyId} ${idle.join(" ")}`,
            sinceMs: nowMs,
            text: `The key ${keyId} has ${joinNames(idle)} and has not used ${idle.length === 1 ? "it" : "them"} for ${String(UNUSED_DAYS)} days: what it does not need, a thief could use.`,
            action: { do: "narrow_key", keyId },
          }),
        ];
  });
}

/** Keys that were found in public and still work. */
async function findLeaked(deps: AppServices, { tenantId }: Looking): Promise<FoundInsight[]> {
  const now = deps.clock.now();
  const leaks = await deps.transact.asTenant(tenantId, (tx) => listPublicKeys(tx, tenantId, now));
  return leaks.flatMap(({ keyId, places, foundAt }) =>
    isId("key", keyId)
      ? [
          toFound({
            kind: "key_leaked",
            fingerprint: `key_leaked ${keyId}`,
            sinceMs: foundAt.getTime(),
            text:
              places === 1
                ? `The key ${keyId} was found in public on ${foundAt.toISOString().slice(0, 10)} and still works: a copy of it must be expected.`
                : `The key ${keyId} was found in public on ${foundAt.toISOString().slice(0, 10)}, in ${String(places)} places, and still works: a copy of it must be expected.`,
            action: { do: "revoke_key", keyId },
          }),
        ]
      : [],
  );
}

/** Finds live keys that expire, leaked, are unused, or may more than they use. Of many keys, the oldest are looked at. */
export async function findKeyRisks(deps: AppServices, tenantId: TenantId): Promise<FoundInsight[]> {
  const nowMs = deps.clock.now().getTime();
  const { items } = await listKeys(deps, systemContext(deps), {
    tenantId,
    environment: "live",
    state: "active",
    sort: "createdAt",
    limit: SUMMARISED_KEYS_MAX,
  });
  if (items.length === 0) {
    return [];
  }
  const all = { tenantId, keys: items, nowMs };
  const isOld = ({ createdAt }: Keys[number]) =>
    nowMs - Date.parse(createdAt) >= UNUSED_DAYS * DAY_MS;
  const old = { ...all, keys: items.filter(isOld) };
  const sure = [...findExpiring(all), ...(await findLeaked(deps, all))];
  if (old.keys.length === 0) {
    return sure;
  }
  const unused = findUnused(old, await readLastUses(deps, old));
  // A key without a use is in one insight: its scopes go with it.
  const told = new Set(unused.map(({ facts: { action } }) => "keyId" in action && action.keyId));
  const used = { ...old, keys: old.keys.filter(({ keyId }) => !told.has(keyId)) };
  return [...sure, ...unused, ...(await findOverbroad(deps, used))];
}
