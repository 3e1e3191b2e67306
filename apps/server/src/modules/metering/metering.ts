import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDataError } from "@turnpike/db/database-errors";
import type { NewId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { isId, mintedAtMs } from "@turnpike/domain/ids/ids";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Change } from "#platform/change-feed.ts";
import type { Clock } from "#platform/clock.ts";
import { openJournal, readLeftBehind } from "#platform/journal.ts";
import type { Logger } from "#platform/logger.ts";
import type { Transact } from "#platform/transact.ts";
import { LeaseHolder } from "./leases/lease-holder.ts";
import { createLeaseLedger, parseLeaseRecall } from "./leases/lease-ledger.ts";
import { forfeitLeases } from "./leases/leases.store.ts";
import { commitGroups } from "./ledger/commit-groups.ts";
import { toCommits } from "./ledger/commit-size.ts";
import { decodeGroup, encodeGroup } from "./ledger/group-record.ts";
import { markProcessStopped, upsertProcess } from "./ledger/ledger.store.ts";
import type { UsageGroup } from "./ledger/usage-group.ts";
import { UsageRecorder, type UsageRecorderOptions } from "./ledger/usage-recorder.ts";
import { GROUPS_KEPT_DAYS } from "./prune-metering.ts";

export type MeteringDeps = {
  transact: Transact;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  /** Where the journal lives; one process at a time. */
  folder: string;
  /** Of the machine, as operators know it. */
  nodeName?: string | undefined;
};

export type MeteringOptions = Pick<UsageRecorderOptions, "groupIntervalMs" | "durability">;

export type Metering = {
  recorder: UsageRecorder;
  leases: LeaseHolder;
  processId: ProcessId;
  /** Takes a change from the change feed: other processes ask for units. */
  applyChange(change: Change): void;
  /**
   * Commits what is recorded and gives back what is leased to a tenant whose calls are over.
   *
   * @returns False when some of it waits for a call that is not over, or for the next time.
   */
  finishTenant(tenantId: TenantId): Promise<boolean>;
  /** Commits what is recorded and gives leases back, for at most `timeoutMs` each, and closes the journal. */
  stop(timeoutMs: number): Promise<void>;
};

const SEGMENT_BYTES = 8 * 1024 * 1024;
/** How much may wait during an outage: a group takes some hundred bytes of memory, its bytes are in the journal. */
const GROUPS_WAITING_MAX = 500_000;
const BYTES_WAITING_MAX = 4 * 1024 * 1024 * 1024;
/** A few seconds of the heaviest load on a million keys, or hours of it on a few keys. */
const BYTES_IN_MEMORY_MAX = 16 * 1024 * 1024;
const UPKEEP_INTERVAL_MS = 500;
const HEARTBEAT_INTERVAL_MS = 10_000;
/** Shorter than a lease lives: an idle process gives its leases back before the database takes them for lost. */
const IDLE_LEASE_MS = 40_000;
const DAY_MS = 24 * 3600 * 1000;
const PROCESS_FILE = "process-id";

/** Groups that were in a journal, and how many of them the ledger did not have yet. */
export type Recovered = { groups: number; fresh: number; damaged: string[] };

/**
 * Commits what an earlier process left in the journal. Only then may its leases be forfeited: the usage in the journal was spent
 * from them and is billed, and the rest may have been spent by calls that the crash lost.
 */
async function recover(
  deps: MeteringDeps,
  folders: { journal: string; setAside: string },
  oldestMs: number,
): Promise<Recovered> {
  const leftBehind = await readLeftBehind(folders.journal);
  let groups = 0;
  let fresh = 0;
  for await (const records of leftBehind.records) {
    // A segment is a few megabytes.
    for (const batch of toCommits(records.map(decodeGroup))) {
      const tooOld = batch.filter((group) => mintedAtMs(group.groupId) < oldestMs);
      for (const group of tooOld) {
        await setAside(
          folders.setAside,
          group,
          deps.logger,
          "The journal is too old to be replayed.",
        );
      }
      fresh += await commitOrSetAside(
        deps,
        folders.setAside,
        batch.filter((group) => !tooOld.includes(group)),
      );
      groups += batch.length;
    }
  }
  const { damaged } = await leftBehind.discard();
  if (groups > 0) {
    deps.logger.info({ groups, fresh }, "Committed what an earlier process left in the journal");
  }
  if (damaged.length > 0) {
    deps.logger.error({ damaged }, "Journal segments are damaged and were set aside");
  }
  return { groups, fresh, damaged };
}

/** Commits groups one by one when the ledger refuses one of them: it must not hold back the others or the start. */
async function commitOrSetAside(
  deps: MeteringDeps,
  folder: string,
  groups: readonly UsageGroup[],
): Promise<number> {
  try {
    return await commitGroups(deps, groups);
  } catch (error) {
    const [only] = groups;
    if (!isDataError(error) || only === undefined) {
      throw error;
    }
    if (groups.length === 1) {
      await setAside(folder, only, deps.logger, error);
      return 0;
    }
  }
  let fresh = 0;
  for (const group of groups) {
    fresh += await commitOrSetAside(deps, folder, [group]);
  }
  return fresh;
}

async function forfeitLeasesOfEarlierProcess(deps: MeteringDeps, file: string): Promise<void> {
  const earlier = await readFile(file, "utf8").catch(() => "");
  if (isId("process", earlier)) {
    const forfeited = await deps.transact.asMeter((tx) => forfeitLeases(tx, earlier));
    if (forfeited > 0) {
      deps.logger.warn({ forfeited }, "Leases of a process that crashed are forfeited");
    }
    await deps.transact.asMeter((tx) => markProcessStopped(tx, earlier));
  }
}

async function setAside(folder: string, group: UsageGroup, logger: Logger, reason: unknown) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${group.groupId}.json`);
  await writeFile(path, encodeGroup(group), { mode: 0o600 });
  logger.error({ err: reason, path }, "The ledger refuses a group; it was set aside");
}

/**
 * Commits groups that were set aside earlier: the reason may be gone. Groups from before `oldestMs` stay for a person to
 * inspect.
 */
async function retrySetAside(deps: MeteringDeps, folder: string, oldestMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => candidate.endsWith(".json"))) {
    const path = join(folder, name);
    try {
      const group = decodeGroup(await readFile(path));
      if (mintedAtMs(group.groupId) < oldestMs) {
        deps.logger.error({ path }, "A group that was set aside is too old to be committed");
        continue;
      }
      await commitGroups(deps, [group]);
      await rm(path);
    } catch (error) {
      deps.logger.error({ err: error, path }, "A group that was set aside is still refused");
    }
  }
}

function oldestReplayedMs({ clock }: Pick<MeteringDeps, "clock">): number {
  // A day less than group ids are kept, because the clocks of this machine and the database may differ.
  return clock.now().getTime() - (GROUPS_KEPT_DAYS - 1) * DAY_MS;
}

/**
 * Commits everything that a process left in its folder, which no other process uses meanwhile, and forfeits its leases. Repeating
 * it, or starting in the folder later, commits nothing twice.
 */
export async function recoverFolder(deps: MeteringDeps): Promise<Recovered> {
  const setAsideFolder = join(deps.folder, "journal-set-aside");
  const oldestMs = oldestReplayedMs(deps);
  const journal = join(deps.folder, "journal");
  const recovered = await recover(deps, { journal, setAside: setAsideFolder }, oldestMs);
  await retrySetAside(deps, setAsideFolder, oldestMs);
  await forfeitLeasesOfEarlierProcess(deps, join(deps.folder, PROCESS_FILE));
  return recovered;
}

/** Starts metering: recovers what an earlier process left, then opens the journal, the recorder and the lease holder. */
export async function startMetering(
  deps: MeteringDeps,
  options: MeteringOptions,
): Promise<Metering> {
  const journalFolder = join(deps.folder, "journal");
  const setAsideFolder = join(deps.folder, "journal-set-aside");
  const processFile = join(deps.folder, PROCESS_FILE);
  const processId = deps.newId("process");

  await recoverFolder(deps);
  const { nodeName } = deps;
  await deps.transact.asMeter((tx) => upsertProcess(tx, { processId, nodeName, callsWaiting: 0 }));
  await writeFile(processFile, processId, { mode: 0o600 });

  const journal = await openJournal({ folder: journalFolder, segmentBytes: SEGMENT_BYTES });
  const recorder = new UsageRecorder(
    {
      journal,
      commit: (groups, pace) => commitGroups(deps, groups, pace),
      setAside: async (group, reason) => {
        // Its calls were admitted and may be committed at a later start. Until then their units must stay taken.
        leases.keep(group.spends.map((spend) => spend.leaseId));
        await setAside(setAsideFolder, group, deps.logger, reason);
      },
      onUnreadable: () => leases.keep(undefined),
      newId: deps.newId,
      processId,
      clock: deps.clock,
      pause: (ms, signal) => delay(ms, undefined, { signal }),
      logger: deps.logger,
    },
    {
      ...options,
      groupsWaitingMax: GROUPS_WAITING_MAX,
      bytesWaitingMax: BYTES_WAITING_MAX,
      bytesInMemoryMax: BYTES_IN_MEMORY_MAX,
    },
  );
  const leases = new LeaseHolder({
    ...deps,
    ledger: createLeaseLedger(deps.transact),
    processId,
    flush: () => recorder.flush(),
    pause: delay,
  });

  let upkeep = Promise.resolve();
  function returnLeases(): void {
    upkeep = upkeep
      .then(() => leases.returnRetired(() => recorder.flush()))
      .then(
        () => undefined,
        (error: unknown) => deps.logger.debug({ err: error }, "Leases could not be given back yet"),
      );
  }
  const upkeepTimer = setInterval(() => {
    leases.releaseIdle(IDLE_LEASE_MS);
    returnLeases();
    recorder.retryJournal();
  }, UPKEEP_INTERVAL_MS);
  const heartbeatTimer = setInterval(() => {
    deps.transact
      .asMeter((tx) =>
        upsertProcess(tx, { processId, nodeName, callsWaiting: recorder.health.callsWaiting }),
      )
      .catch((error: unknown) => deps.logger.debug({ err: error }, "No heartbeat"));
  }, HEARTBEAT_INTERVAL_MS);

  async function finish(): Promise<void> {
    await upkeep;
    await leases.settleRefills();
    leases.release(undefined);
    let before = Number.POSITIVE_INFINITY;
    let left = await leases.returnRetired(() => recorder.flush());
    while (left > 0 && left < before) {
      before = left;
      left = await leases.returnRetired(() => recorder.flush());
    }
    if (left > 0) {
      deps.logger.warn({ left }, "Leases are left behind for calls that did not end in time");
    }
    await deps.transact.asMeter((tx) => markProcessStopped(tx, processId));
  }

  return {
    recorder,
    leases,
    processId,
    applyChange: (change) => {
      if (change.kind === "lease" && leases.recall(parseLeaseRecall(change.entityId))) {
        returnLeases();
      } else if (change.kind === "tenant") {
        leases.release(change.entityId as TenantId);
      } else if (change.kind === "reset") {
        leases.release(undefined);
      }
    },
    finishTenant: async (tenantId) => {
      leases.release(tenantId);
      await recorder.flush();
      await leases.returnRetired(() => recorder.flush());
      return !leases.holdsLeasesOf(tenantId);
    },
    stop: async (timeoutMs) => {
      clearInterval(upkeepTimer);
      clearInterval(heartbeatTimer);
      const isDrained = await recorder.drain(timeoutMs);
      if (isDrained) {
        await withTimeout(finish(), timeoutMs).catch((error: unknown) =>
          deps.logger.warn({ err: error }, "Leases could not be given back; they will lapse"),
        );
      } else {
        deps.logger.warn(recorder.health, "Usage stays in the journal for the next start");
      }
      await journal.close();
    },
  };
}
