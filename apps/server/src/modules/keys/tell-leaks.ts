import type { TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { type TellDeps, tellOperators, tellTenant } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { defineJob } from "#platform/define-job.ts";
import {
  INSTALLATION,
  listOwnersOfUntold,
  type ToldLeakRow,
  takeUntoldLeaks,
} from "./leaks.store.ts";

export type TellLeaksDeps = AppServices & TellDeps;

/** Sooner than somebody who reads public places all day would use a key. */
export const tellLeaksJob = defineJob({
  name: "keys.tell-leaks",
  schema: z.object({}),
  retryLimit: 7,
  retryDelaySeconds: 5,
  retryDelaySecondsMax: 3_600,
  expireInSeconds: 15 * 60,
});

const OWNERS_PAGE = 100;
/** Places in one notice; the next one has the others. */
const LEAKS_OF_NOTICE = 1_000;
const PLACES_NAMED_MAX = 10;
const PLACE_LENGTH_MAX = 300;

function toNotice(leaks: readonly ToldLeakRow[]): { title: string; body: string } {
  const keys = new Map(leaks.map((leak) => [leak.key_id, leak]));
  const [first] = keys.values();
  const isRevoked = leaks.every((leak) => leak.revoked);
  const end = isRevoked ? "found in public and revoked" : "found in public";
  const title =
    keys.size === 1 && first !== undefined
      ? `The key ${first.name} was ${end}`
      : `${String(keys.size)} keys were ${end}`;
  const lines = leaks.slice(0, PLACES_NAMED_MAX).map((leak) => {
    const place = leak.url === "" ? "no address given" : leak.url.slice(0, PLACE_LENGTH_MAX);
    return `${leak.name} (${leak.start}…${leak.last_four})${leak.revoked ? ", revoked" : ""}: ${leak.source}, ${place}`;
  });
  const more =
    leaks.length > PLACES_NAMED_MAX
      ? [`and ${String(leaks.length - PLACES_NAMED_MAX)} more places`]
      : [];
  const advice = isRevoked
    ? "Calls with it are refused since then. Create another key where one is needed."
    : "Whoever reads it there can use it. Roll the key without grace, or revoke it; removing the text alone does not help.";
  return { title, body: [...lines, ...more, "", advice].join("\n") };
}

async function tellOwner(deps: TellLeaksDeps, owner: string): Promise<boolean> {
  return await deps.transact.asOperator(async (tx) => {
    const now = deps.clock.now();
    const leaks = await takeUntoldLeaks(tx, owner, { now, limit: LEAKS_OF_NOTICE });
    if (leaks.length === 0) {
      return false;
    }
    const notice = toNotice(leaks);
    if (owner === INSTALLATION) {
      await tellOperators(deps, tx, { kind: "key.leaked", ...notice });
    } else {
      const tenantId = owner as TenantId;
      await tellTenant(deps, tx, { tenantId, kind: "key.leaked", link: "/api-keys", ...notice });
    }
    return true;
  });
}

/**
 * Tells tenants of keys of theirs that were found in public, and operators of service keys: one notice for what is new. What
 * is told is marked in the same transaction, so it is told once, whatever is killed and however many processes work.
 */
export async function tellLeaks(
  deps: TellLeaksDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  let hasMore = true;
  while (hasMore && !signal.aborted) {
    const owners = await deps.transact.asOperator((tx) => listOwnersOfUntold(tx, OWNERS_PAGE));
    hasMore = false;
    for (const owner of owners) {
      hasMore = (await tellOwner(deps, owner)) || hasMore;
    }
  }
}
