import type { TenantId } from "@turnpike/domain/ids/ids";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { said } from "@turnpike/domain/text/said";
import { z } from "zod";
import { type NotifyDeps, notifyMembers, notifyOperators } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { defineJob } from "#platform/define-job.ts";
import {
  type ClaimedLeakRow,
  claimLeaks,
  INSTALLATION,
  listOwnersToNotify,
} from "./leaks.store.ts";

export type NotifyOfLeaksDeps = AppServices & NotifyDeps;

/** Short, because a key found in public can be abused within minutes. */
export const notifyOfLeaksJob = defineJob({
  name: "keys.notify-of-leaks",
  schema: z.object({}),
  retryLimit: 7,
  retryDelaySeconds: 5,
  retryDelaySecondsMax: 3_600,
  expireInSeconds: 15 * 60,
});

const OWNERS_PAGE = 100;
/** Locations in one notice; the next one has the rest. */
const LEAKS_OF_NOTICE = 1_000;
const LOCATIONS_NAMED_MAX = 10;
const LOCATION_LENGTH_MAX = 300;

function toLocation({ name, key_id, start, last_four, revoked, source, url }: ClaimedLeakRow) {
  const key = `${toMailedName(name, key_id)} (${start}…${last_four})`;
  const location = url.slice(0, LOCATION_LENGTH_MAX);
  if (revoked) {
    return location === ""
      ? said(`${key}, revoked: ${source}, no address given`)
      : said(`${key}, revoked: ${source}, ${location}`);
  }
  return location === ""
    ? said(`${key}: ${source}, no address given`)
    : `${key}: ${source}, ${location}`;
}

function toNotice(leaks: readonly ClaimedLeakRow[]): {
  subject: string;
  title: string;
  body: string;
} {
  const keys = new Map(leaks.map((leak) => [leak.key_id, leak]));
  const [first] = keys.values();
  const isRevoked = leaks.every((leak) => leak.revoked);
  const end = isRevoked ? said("found in public and revoked") : said("found in public");
  const subject = keys.size === 1 ? `A key was ${end}` : `${String(keys.size)} keys were ${end}`;
  const title =
    keys.size === 1 && first !== undefined
      ? `The key ${toMailedName(first.name, first.key_id)} was ${end}`
      : subject;
  const lines = leaks.slice(0, LOCATIONS_NAMED_MAX).map(toLocation);
  const more =
    leaks.length > LOCATIONS_NAMED_MAX
      ? [said(`and ${String(leaks.length - LOCATIONS_NAMED_MAX)} more locations`)]
      : [];
  const advice = isRevoked
    ? "Calls with it have been refused since then. Create a new key where you need one."
    : "Anyone who finds it there can use it. Roll the key without a grace period, or revoke it. Removing the text is not enough.";
  return { subject, title, body: [...lines, ...more, "", advice].join("\n") };
}

async function notifyOwner(deps: NotifyOfLeaksDeps, owner: string): Promise<boolean> {
  return await deps.transact.asOperator(async (tx) => {
    const now = deps.clock.now();
    const leaks = await claimLeaks(tx, owner, { now, limit: LEAKS_OF_NOTICE });
    if (leaks.length === 0) {
      return false;
    }
    const notice = toNotice(leaks);
    if (owner === INSTALLATION) {
      await notifyOperators(deps, tx, { kind: "key.leaked", ...notice });
    } else {
      const tenantId = owner as TenantId;
      await notifyMembers(deps, tx, { tenantId, kind: "key.leaked", link: "/api-keys", ...notice });
    }
    return true;
  });
}

/**
 * Notifies tenants of their keys that were found in public, and operators of service keys: one notice for all new locations.
 * The locations are marked in the same transaction, so each is in one notice, however many processes run or are killed.
 */
export async function notifyOfLeaks(
  deps: NotifyOfLeaksDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  let hasMore = true;
  while (hasMore && !signal.aborted) {
    const owners = await deps.transact.asOperator((tx) => listOwnersToNotify(tx, OWNERS_PAGE));
    hasMore = false;
    for (const owner of owners) {
      hasMore = (await notifyOwner(deps, owner)) || hasMore;
    }
  }
}
