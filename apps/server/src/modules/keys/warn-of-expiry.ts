import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { said } from "@turnpike/domain/text/said";
import { publishEvent } from "#modules/notifications/index.ts";
import { type NotifyDeps, notifyMembers } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  type DueWarningRow,
  insertWarnings,
  listDueWarnings,
  listTenantsWithEndingKeys,
} from "./key-expiry.store.ts";
import type { KeyUsage } from "./keys.ports.ts";

export type WarnDeps = Pick<AppServices, "transact" | "logger"> &
  NotifyDeps & { keyUsage: KeyUsage };

/** Days before the expiry of a key, each warned of once. */
const WARNING_DAYS = [14, 3, 1] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;
const TENANTS_PAGE = 100;
const KEYS_PAGE = 1_000;
/** Keys that a notice names; further ones are counted. */
const KEYS_NAMED_MAX = 10;

type Ending = { count: number; named: DueWarningRow[] };

function toWithin(days: number): string {
  return days === 1 ? said("within a day") : said(`within ${String(days)} days`);
}

function toNotice(
  days: number,
  { count, named }: Ending,
): { subject: string; title: string; body: string } {
  const [first] = named;
  const within = toWithin(days);
  const subject =
    count === 1 ? `A key expires ${within}` : `${String(count)} keys expire ${within}`;
  const title =
    count === 1 && first !== undefined
      ? `The key ${toMailedName(first.name, first.key_id)} expires ${within}`
      : subject;
  const lines = named.map((key) => {
    const named = `${toMailedName(key.name, key.key_id)} (${key.start}…${key.last_four})`;
    const until = `${key.expires_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return key.is_rolled
      ? said(`${named} until ${until}: it was rolled and is still used`)
      : said(`${named} until ${until}`);
  });
  const more = count > named.length ? [said(`and ${String(count - named.length)} more`)] : [];
  const advice =
    "From then on calls with it are refused. Extend its expiry or create a new key: a rolled key keeps its expiry.";
  return { subject, title, body: [...lines, ...more, "", advice].join("\n") };
}

/** A rolled key ends on purpose, so it is worth a warning only while it is still used. */
async function dropUnusedRolled(
  deps: WarnDeps,
  tx: Tx,
  input: { tenantId: TenantId; due: readonly DueWarningRow[]; now: Date },
): Promise<DueWarningRow[]> {
  const { tenantId, due, now } = input;
  const rolled = due.filter((key) => key.is_rolled).map((key) => key.key_id);
  if (rolled.length === 0) {
    return [...due];
  }
  const since = new Date(now.getTime() - DAY_MS);
  const used = await deps.keyUsage.listUsedSince(tx, { tenantId, keyIds: rolled, since });
  return due.filter((key) => !key.is_rolled || used.has(key.key_id));
}

async function warnTenant(deps: WarnDeps, tx: Tx, tenantId: TenantId, now: Date): Promise<void> {
  const endings = new Map<number, Ending>();
  let after = "";
  for (;;) {
    const page = { now, days: WARNING_DAYS, after, limit: KEYS_PAGE };
    const due = await listDueWarnings(tx, tenantId, page);
    const warnings = await dropUnusedRolled(deps, tx, { tenantId, due, now });
    const given = await insertWarnings(tx, tenantId, { warnings, now });
    for (const key of warnings.filter((warning) => given.has(warning.key_id))) {
      const ending = endings.get(key.days_before) ?? { count: 0, named: [] };
      await publishEvent(deps, tx, {
        tenantId,
        type: "key.expiring",
        data: {
          tenantId,
          keyId: key.key_id,
          name: key.name,
          start: key.start,
          lastFour: key.last_four,
          expiresAt: key.expires_at.toISOString(),
          daysLeft: key.days_before,
        },
      });
      ending.count += 1;
      if (ending.named.length < KEYS_NAMED_MAX) {
        ending.named.push(key);
      }
      endings.set(key.days_before, ending);
    }
    const last = due.at(-1);
    if (due.length < KEYS_PAGE || last === undefined) {
      break;
    }
    after = last.key_id;
  }
  for (const [days, ending] of endings) {
    const notice = toNotice(days, ending);
    await notifyMembers(deps, tx, { tenantId, kind: "key.expires", link: "/api-keys", ...notice });
  }
}

/**
 * Warns tenants 14 days, 3 days and a day before their keys expire, in one notice for all keys that are due. A warning and its
 * notice are committed together, so each is sent once, however many processes run or are killed. A missed warning is sent
 * late, unless the next one is due by then.
 */
export async function warnOfExpiry(
  deps: WarnDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + Math.max(...WARNING_DAYS) * DAY_MS);
  let after = "";
  while (!signal.aborted) {
    const tenants = await deps.transact.asOperator((tx) =>
      listTenantsWithEndingKeys(tx, { now, until, after, limit: TENANTS_PAGE }),
    );
    for (const tenantId of tenants) {
      if (signal.aborted) {
        return;
      }
      await deps.transact.asOperator((tx) => warnTenant(deps, tx, tenantId, now));
    }
    const last = tenants.at(-1);
    if (last === undefined || tenants.length < TENANTS_PAGE) {
      return;
    }
    after = last;
  }
}
