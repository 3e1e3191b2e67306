import { statfs } from "node:fs/promises";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "./app-services.ts";
import { countRecentChanges, readStoredTotals } from "./storage.store.ts";

export type StorageLimits = {
  reserveMegabytes: number;
  filesMegabytes: number;
  documentsMegabytes: number;
  tenantChangesPerDay: number;
};

/** Watches how much is stored, and refuses to store more for a tenant while there is no room. */
export type StorageGuard = {
  /**
   * Asked before anything is stored for a tenant; without one, only the disk counts.
   *
   * @param request.changes - How many it makes; default 1.
   * @param request.isOverdraft - True for what may take something away: twice the changes and half of the reserve are its bounds.
   * @throws {AppError} `STORAGE_FULL` while the disk has no more than its reserve; `STORAGE_QUOTA_REACHED` for a tenant with too
   *   many changes within a day, and for all while the quota of the installation is used up.
   */
  assertMayStore(
    tenantId: TenantId | undefined,
    request?: { changes?: number; isOverdraft?: boolean },
  ): Promise<void>;
  /** Why nothing more is stored, for the operator; undefined while there is room. */
  findTrouble(): string | undefined;
  /** Looks again now, in addition to every ten seconds. */
  look(): Promise<void>;
  stop(): void;
};

export const MEGABYTE = 1024 * 1024;
const LOOK_INTERVAL_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A tenant is counted again when it has made this share of the changes it had left: other processes may serve it as well. */
const COUNTED_AGAIN_AFTER = 1 / 4;
const TENANTS_MAX = 50_000;
/** How many times the changes of a day an overdraft may reach, and the part of the reserve that it leaves. */
const OVERDRAFT = { changes: 2, reserve: 1 / 2 };

/** Bytes that programs without special rights may still write to the disk of a folder. */
async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function findTrouble(
  limits: StorageLimits,
  seen: { freeBytes: number; files: number; documents: number },
): { code: "STORAGE_FULL" | "STORAGE_QUOTA_REACHED"; detail: string } | undefined {
  if (seen.freeBytes < limits.reserveMegabytes * MEGABYTE) {
    const detail = `The disk of the data folder has less than ${String(limits.reserveMegabytes)} MB left (storage.reserveMegabytes)`;
    return { code: "STORAGE_FULL", detail };
  }
  for (const kind of ["files", "documents"] as const) {
    const megabytes = limits[`${kind}Megabytes`];
    if (seen[kind] >= megabytes * MEGABYTE) {
      const detail = `The ${kind} of all tenants have reached ${String(megabytes)} MB (storage.${kind}Megabytes)`;
      return { code: "STORAGE_QUOTA_REACHED", detail };
    }
  }
  return;
}

/**
 * @param options.freeBytes - Of the disk of the data folder. Left out: what the system says.
 */
export function createStorageGuard(
  deps: Pick<AppServices, "transact" | "clock" | "logger">,
  limits: StorageLimits,
  options: { folder: string; freeBytes?: () => Promise<number> },
): StorageGuard {
  const freeBytes = options.freeBytes ?? (() => readFreeBytes(options.folder));
  /** How often a tenant may store something before it is counted again. */
  const counted = new Map<string, number>();
  let trouble: ReturnType<typeof findTrouble>;
  let isOverdrawn = false;

  async function look(): Promise<void> {
    try {
      const totals = await deps.transact.asOperator(readStoredTotals);
      const free = await freeBytes();
      const found = findTrouble(limits, { freeBytes: free, ...totals });
      if (found !== undefined && trouble === undefined) {
        deps.logger.warn({ detail: found.detail }, "Nothing more is stored for tenants");
      }
      trouble = found;
      isOverdrawn = free < limits.reserveMegabytes * MEGABYTE * OVERDRAFT.reserve;
    } catch (error) {
      // What was seen last stays true until it can be looked at again.
      deps.logger.debug({ err: error }, "Storage could not be looked at");
    }
  }

  async function assertChangesLeft(
    tenantId: TenantId,
    { changes: asked, isOverdraft }: { changes: number; isOverdraft: boolean },
  ): Promise<void> {
    const name = isOverdraft ? `overdraft ${tenantId}` : tenantId;
    const uncounted = counted.get(name) ?? 0;
    if (uncounted >= asked) {
      counted.set(name, uncounted - asked);
      return;
    }
    const countMax = limits.tenantChangesPerDay * (isOverdraft ? OVERDRAFT.changes : 1);
    const since = new Date(deps.clock.now().getTime() - DAY_MS);
    const changes = await deps.transact.asTenant(tenantId, (tx) =>
      countRecentChanges(tx, tenantId, { since, countMax }),
    );
    if (changes >= countMax) {
      throw new AppError({
        code: "STORAGE_QUOTA_REACHED",
        publicMessage: `This tenant has made ${String(countMax)} changes within 24 hours. What takes something away still works.`,
      });
    }
    if (counted.size >= TENANTS_MAX) {
      counted.clear();
    }
    const left = Math.floor((countMax - changes) * COUNTED_AGAIN_AFTER);
    counted.set(name, Math.max(0, left - (asked - 1)));
  }

  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS);
  timer.unref();
  return {
    async assertMayStore(tenantId, { changes = 1, isOverdraft = false } = {}) {
      if (trouble !== undefined && (isOverdrawn || !isOverdraft)) {
        throw new AppError({
          code: trouble.code,
          publicMessage:
            "There is no room to store anything more right now. What takes something away still works.",
        });
      }
      if (tenantId !== undefined) {
        await assertChangesLeft(tenantId, { changes, isOverdraft });
      }
    },
    findTrouble: () =>
      trouble === undefined ? undefined : `${trouble.detail}: nothing more is stored for tenants.`,
    look,
    stop: () => clearInterval(timer),
  };
}
