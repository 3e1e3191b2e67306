import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { systemClock } from "#platform/clock.ts";
import { openJournal } from "#platform/journal.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { Transact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import type { MeteredCall } from "../ledger/usage-group.ts";
import {
  UsageRecorder,
  type UsageRecorderDeps,
  type UsageRecorderOptions,
} from "../ledger/usage-recorder.ts";

export const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
export const PERIOD_START_MS = Date.UTC(2026, 0, 1);
export const PERIOD_END_MS = Date.UTC(2026, 1, 1);
export const logger = createLogger({ level: "silent" });

export function callOf(
  tenantId: TenantId,
  keyId: KeyId,
  more: Partial<MeteredCall> = {},
): MeteredCall {
  return {
    tenantId,
    keyId,
    environment: "live",
    meterId: "requests",
    outcome: "VALID",
    status: 200,
    method: "GET",
    route: "/users/{id}",
    occurredAtMs: Date.UTC(2026, 0, 10, 12, 0, 30),
    periodStartMs: PERIOD_START_MS,
    periodEndMs: PERIOD_END_MS,
    quantity: 1,
    leaseId: undefined,
    ...more,
  };
}

/** A recorder on a journal of its own, which `cleanups` close. */
export async function openRecorderOn(
  { transact, cleanups }: { transact: Transact; cleanups: (() => Promise<unknown>)[] },
  more: Partial<UsageRecorderDeps> = {},
  options: Partial<UsageRecorderOptions> = {},
) {
  const folder = await makeTempFolder();
  const journal =
    more.journal ?? (await openJournal({ folder: join(folder.path, "j"), segmentBytes: 2_000 }));
  const recorder = new UsageRecorder(
    {
      journal,
      commit: (groups) => commitGroups({ transact, logger }, groups),
      setAside: () => Promise.resolve(),
      newId: newUuidId,
      processId: newUuidId("process"),
      clock: systemClock,
      pause: (ms, signal) => delay(ms, undefined, { signal }),
      logger,
      ...more,
    },
    {
      groupIntervalMs: 5,
      groupsWaitingMax: 1_000,
      bytesWaitingMax: 10_000_000,
      bytesInMemoryMax: 100_000,
      retryMaxMs: 50,
      ...options,
    },
  );
  cleanups.push(() => journal.close());
  return { recorder };
}
