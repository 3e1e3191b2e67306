import type { KeyId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { createSeededIds } from "@turnpike/testkit/seeded-ids";
import { createLogger } from "#platform/logger.ts";
import type { HardLimit, LeaseHold } from "../leases/lease-entry.ts";
import { LeaseHolder } from "../leases/lease-holder.ts";
import { GroupBuilder, type UsageGroup } from "../ledger/usage-group.ts";
import { createSimLedger, type SimNetwork } from "./lease-world.fixture.ts";

const logger = createLogger({ level: "silent" });
const MONTH_MS = 30 * 24 * 3600 * 1000;
const TENANT = "ten_00000000000000000000000000000000" as TenantId;
const KEY = "key_00000000000000000000000000000000" as KeyId;

/** @param period - Counts billing periods from 0. */
export function periodStartMs(period: number): number {
  return period * MONTH_MS;
}

export type SimCall = { hold: LeaseHold; limit: HardLimit };

/**
 * One incarnation of a process that meters: the real lease holder and a minimal recorder, with a group being filled, a journal
 * that survives, and a commit that is repeated until it is answered.
 */
export class SimNode {
  readonly id: ProcessId;
  readonly holder: LeaseHolder;
  readonly calls: SimCall[] = [];
  /** Groups on disk that may not be committed. */
  readonly journal: UsageGroup[];
  limit: number;
  period = 0;
  isPaused = false;
  clockMs = 1_000;
  readonly #network: SimNetwork;
  readonly #newId: ReturnType<typeof createSeededIds>;
  #builder = new GroupBuilder();
  #committing: Promise<void> | undefined;
  #isUpkeepDone = true;

  constructor(input: { network: SimNetwork; seed: number; limit: number }) {
    this.#newId = createSeededIds(input.seed);
    this.#network = input.network;
    this.id = this.#newId("process");
    this.limit = input.limit;
    this.journal = [];
    this.holder = new LeaseHolder({
      ledger: createSimLedger(input.network, this.id),
      clock: { now: () => new Date(0), monotonicMs: () => this.clockMs },
      newId: this.#newId,
      processId: this.id,
      logger,
      flush: () => this.flush(),
    });
  }

  hardLimit(): HardLimit {
    return {
      tenantId: TENANT,
      meterId: "requests",
      environment: "live",
      periodStartMs: periodStartMs(this.period),
      periodEndMs: periodStartMs(this.period + 1),
      limit: this.limit,
    };
  }

  /** @returns The call, if it was admitted. */
  spend(quantity: number): SimCall | undefined {
    const limit = this.hardLimit();
    const result = this.holder.spend(limit, quantity);
    if (result.status === "unknown") {
      this.holder.refill(limit, quantity).catch(() => undefined);
    }
    if (result.status !== "spent") {
      return;
    }
    const call = { hold: result.hold, limit };
    this.calls.push(call);
    return call;
  }

  /** Takes a call in flight from the list. */
  takeCall(nth: number): SimCall | undefined {
    return this.calls.splice(nth % Math.max(1, this.calls.length), 1)[0];
  }

  record({ hold, limit }: SimCall): void {
    this.#builder.add({
      ...limit,
      keyId: KEY,
      outcome: "VALID",
      status: 200,
      method: undefined,
      route: undefined,
      occurredAtMs: 0,
      quantity: hold.quantity,
      leaseId: hold.lease.leaseId,
    });
    this.holder.settle(hold);
  }

  closeGroup(): void {
    if (this.#builder.size > 0) {
      const groupId = this.#newId("group");
      this.journal.push(this.#builder.build({ groupId, processId: this.id, recordedAtMs: null }));
      this.#builder = new GroupBuilder();
    }
    this.#committing ??= this.#commitJournal().finally(() => {
      this.#committing = undefined;
    });
  }

  async #commitJournal(): Promise<void> {
    while (this.journal.length > 0) {
      const batch = [...this.journal];
      const commit = () => this.#network.database.commit(batch);
      const isDone = await this.#network
        .send(this.id, () => ({ commit, granting: 0 }))
        .then(
          () => true,
          () => false,
        );
      if (isDone) {
        this.journal.splice(0, batch.length);
      }
    }
  }

  async flush(): Promise<void> {
    this.closeGroup();
    while (this.#committing !== undefined) {
      await this.#committing;
    }
  }

  /** Runs one round at a time, as in a process. */
  upkeep(idleMs: number): void {
    if (this.#isUpkeepDone) {
      this.#isUpkeepDone = false;
      this.holder.releaseIdle(idleMs);
      void this.holder
        .returnRetired(() => this.flush())
        .catch(() => undefined)
        .finally(() => {
          this.#isUpkeepDone = true;
        });
    }
  }
}
