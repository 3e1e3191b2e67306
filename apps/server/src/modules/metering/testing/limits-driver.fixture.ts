import { setTimeout as delay } from "node:timers/promises";
import { isConnectionError } from "@turnpike/db/database-errors";
import type { KeyId } from "@turnpike/domain/ids/ids";
import {
  type CallQuestion,
  type DecidingProcess,
  isProcessGone,
} from "@turnpike/testkit/deciding-process";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { changePlan } from "#modules/entitlements/index.ts";
import { revokeKey, rollKey, updateKey } from "#modules/keys/index.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { pruneMetering } from "../prune-metering.ts";
import { type Fleet, LIMITS, OPEN_PLAN, OPERATOR, planOf } from "./limits-fleet.fixture.ts";
import {
  LimitsReference,
  type ModelKey,
  type ModelTenant,
  readBilled,
  readHeld,
  readTaken,
  takenOf,
} from "./limits-reference.fixture.ts";

const NEXT_PERIOD_MS = 31 * 24 * 3600 * 1000;
const PAUSED_MS = 600_000;

export type Random = { below(count: number): number; pick<Item>(items: readonly Item[]): Item };
type HeldCall = {
  process: DecidingProcess;
  callId: number;
  tenant: ModelTenant;
  key: ModelKey;
  period: number;
  cost: number;
};

function assertHolds(isTrue: boolean, what: string, state: unknown): void {
  if (!isTrue) {
    throw new Error(`Does not hold: ${what}: ${JSON.stringify(state)}`);
  }
}

/** Acts on a fleet, and checks after each action that every limit held. */
export class LimitsDriver {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #reference = new LimitsReference();
  readonly #held: HeldCall[] = [];
  readonly #periods = new Set<number>();
  /** Units that each process held in the database when it was killed. */
  readonly #heldAtKill = new Map<string, number>();
  /** The longest time from the commit of a change to the last call that did not follow it, in milliseconds. */
  slowestChangeMs = 0;
  admitted = 0;

  constructor(fleet: Fleet, random: Random) {
    this.#fleet = fleet;
    this.#random = random;
  }

  get #processes(): DecidingProcess[] {
    return this.#fleet.running.map(({ process }) => process);
  }

  get #tenant(): ModelTenant {
    return this.#random.pick(this.#reference.tenants);
  }

  async addTenant(limit: number): Promise<void> {
    this.#reference.tenants.push(await this.#fleet.makeTenant(limit));
  }

  // Actions.

  async burst(processes = this.#processes): Promise<void> {
    await Promise.all(processes.map((process) => this.#send(process, this.#makeCalls())));
  }

  #makeCalls(): { tenant: ModelTenant; key: ModelKey; call: CallQuestion }[] {
    return Array.from({ length: 1 + this.#random.below(25) }, () => {
      const tenant = this.#tenant;
      const key = this.#random.pick(tenant.keys);
      const ends = this.#random.pick([
        "billed",
        "billed",
        "billed",
        "billed",
        "failed",
        "later",
      ] as const);
      return {
        tenant,
        key,
        call: { key: key.key, cost: this.#random.pick([1, 1, 1, 2, 7]), ends },
      };
    });
  }

  async #send(
    process: DecidingProcess,
    calls: readonly { tenant: ModelTenant; key: ModelKey; call: CallQuestion }[],
  ): Promise<void> {
    let answers: Awaited<ReturnType<DecidingProcess["calls"]>>;
    try {
      answers = await process.calls(calls.map(({ call }) => call));
    } catch (error) {
      if (!isProcessGone(error)) {
        throw error;
      }
      for (const { tenant, key, call } of calls.filter((each) => each.call.ends === "billed")) {
        for (const owner of [tenant.tenantId, key.originKeyId, process.processId]) {
          this.#reference.addUnknown(owner, call.cost);
        }
      }
      return;
    }
    for (const [index, { callId, periodStartMs: period }] of answers.entries()) {
      const sent = calls[index];
      if (sent === undefined || callId === undefined || period === undefined) {
        continue;
      }
      const { tenant, key, call } = sent;
      this.#meet(period);
      if (call.ends !== "failed") {
        this.#count({ tenant, key, period }, call.cost);
      }
      if (call.ends === "later") {
        this.#held.push({ process, callId, tenant, key, period, cost: call.cost });
      } else if (call.ends === "billed") {
        this.#reference.ofProcess(process.processId).admitted += call.cost;
      }
    }
  }

  #meet(period: number): void {
    if (!this.#periods.has(period)) {
      this.#periods.add(period);
      for (const tenant of this.#reference.tenants) {
        this.#raiseAll(tenant);
      }
    }
  }

  #raiseAll(tenant: ModelTenant): void {
    for (const period of this.#periods) {
      this.#reference.raise(tenant.tenantId, period, tenant.limit ?? Number.POSITIVE_INFINITY);
      for (const { originKeyId, quota } of tenant.keys) {
        this.#reference.raise(originKeyId, period, quota ?? Number.POSITIVE_INFINITY);
      }
    }
  }

  #count(of: Pick<HeldCall, "tenant" | "key" | "period">, units: number): void {
    this.#reference.countOf(of.tenant.tenantId, of.period).admitted += units;
    this.#reference.countOf(of.key.originKeyId, of.period).admitted += units;
    this.admitted += units;
  }

  async endCalls(): Promise<void> {
    for (const call of this.#held.splice(0)) {
      const isBilled = this.#random.below(3) > 0;
      const isEnded = await call.process
        .ask({ ask: "end", callId: call.callId, isBilled })
        .catch(() => false);
      // When the process was killed meanwhile, the call was admitted and its units are forfeited.
      if (isEnded && isBilled) {
        this.#reference.ofProcess(call.process.processId).admitted += call.cost;
      } else if (isEnded) {
        this.#count(call, -call.cost);
      }
    }
  }

  async kill(): Promise<void> {
    const index = this.#random.below(this.#fleet.running.length);
    const { process, folder } = this.#fleet.running[index] as Fleet["running"][number];
    const sending = this.#send(process, this.#makeCalls());
    await delay(this.#random.below(8));
    process.kill("SIGKILL");
    for (const tenant of this.#reference.tenants) {
      tenant.hasLost ||= tenant.isUncovered;
    }
    await Promise.all([process.ended, sending]);
    await this.#fleet.waitForTransactions();
    this.#heldAtKill.set(
      process.processId,
      (await readHeld(this.#fleet.services)).get(process.processId) ?? 0,
    );
    const isReplaced = this.#random.below(3) === 0;
    // On the folder of the killed process its journal is replayed. On another folder the journal stays and the leases lapse.
    const startFolder = isReplaced ? await this.#fleet.makeFolder() : folder;
    this.#fleet.running[index] = await this.#fleet.start(startFolder);
  }

  async drain(): Promise<void> {
    const index = this.#random.below(this.#fleet.running.length);
    const { process, folder } = this.#fleet.running[index] as Fleet["running"][number];
    await this.endCalls();
    await process.ask({ ask: "drain" });
    await process.ended;
    const held = (await readHeld(this.#fleet.services)).get(process.processId) ?? 0;
    assertHolds(held === 0, "a process that drained holds nothing", { held });
    this.#fleet.running[index] = await this.#fleet.start(folder);
  }

  /** Stops a process past the deadline of its leases, which the database forfeits meanwhile. */
  async pause(): Promise<void> {
    const process = this.#random.pick(this.#processes);
    process.kill("SIGSTOP");
    const others = this.#processes.filter((other) => other !== process);
    await this.burst(others);
    await this.#expireLeases(process.processId);
    await this.burst(others);
    // The first message after it continues: how much time has passed.
    const skewed = process.ask({ ask: "skew", addMonotonicMs: PAUSED_MS });
    process.kill("SIGCONT");
    await skewed;
    await this.burst([process]);
  }

  async #expireLeases(processId: string | null): Promise<void> {
    await this.#fleet.services.transact.asMeter(
      (tx) => tx`update leases set expires_at = now() - interval '1 second'
        where process_id = ${processId} or ${processId}::text is null`,
    );
    await pruneMetering(this.#fleet.services);
  }

  /** Sets the clock of one process past the end of the period, or back. */
  async rollOver(): Promise<void> {
    const wallMs = this.#random.pick([0, NEXT_PERIOD_MS]);
    await this.#random.pick(this.#processes).ask({ ask: "skew", wallMs });
    await this.burst();
  }

  async changePlan(): Promise<void> {
    await this.#givePlan(this.#tenant, this.#random.pick([...LIMITS, ...LIMITS, undefined]));
  }

  async #givePlan(tenant: ModelTenant, limit: number | undefined): Promise<void> {
    if (tenant.isUncovered) {
      // Calls admitted without a limit are in the ledger before there is one.
      await this.endCalls();
      await this.#flushAll();
      await this.#checkUncovered(tenant);
    }
    const { services } = this.#fleet;
    const before = tenant.limit;
    tenant.limit = limit;
    this.#raiseAll(tenant);
    tenant.limit = limit === undefined ? undefined : Math.max(limit, before ?? 0);
    const input = {
      tenantId: tenant.tenantId,
      planId: limit === undefined ? OPEN_PLAN : planOf(limit),
    };
    await changePlan(services, OPERATOR, input);
    await this.#assertHeard(`a plan of ${String(limit)}`, async (process) => {
      const key = tenant.keys[0] as ModelKey;
      const [answer] = await process.calls([{ key: key.key, cost: 0, ends: "billed" }]);
      return (
        answer?.code === "QUOTA_EXCEEDED" || (answer?.code === "VALID" && answer.limit === limit)
      );
    });
    tenant.limit = limit;
    await this.#flushAll();
    if (limit !== undefined) {
      const taken = await readTaken(services);
      for (const period of this.#periods) {
        const now = takenOf(taken, tenant.tenantId, period);
        this.#reference.lower(tenant.tenantId, period, { limit, taken: now });
      }
    }
    tenant.isUncovered = limit === undefined;
  }

  /** Calls admitted without a limit are in the ledger, except those that a kill lost. */
  async #checkUncovered(tenant: ModelTenant): Promise<void> {
    const taken = await readTaken(this.#fleet.services);
    for (const period of this.#periods) {
      const ofPeriod = takenOf(taken, tenant.tenantId, period);
      if (tenant.hasLost) {
        this.#reference.forgetLost(tenant.tenantId, period, ofPeriod);
      }
      const { admitted } = this.#reference.countOf(tenant.tenantId, period);
      const state = { tenant, period, admitted, ...ofPeriod };
      const isThere = admitted <= ofPeriod.used + ofPeriod.held;
      assertHolds(isThere, "calls admitted without a limit are counted", state);
    }
    tenant.hasLost = false;
  }

  async addKey(): Promise<void> {
    const tenant = this.#tenant;
    await this.#fleet.makeKey(tenant, this.#random.pick([undefined, 30]));
    this.#raiseAll(tenant);
  }

  async rollAKey(): Promise<void> {
    const tenant = this.#tenant;
    const old = this.#random.pick(tenant.keys);
    const input = {
      tenantId: tenant.tenantId,
      keyId: old.keyId as KeyId,
      graceSeconds: 0,
    } as const;
    const rolled = await rollKey(this.#fleet.services, OPERATOR, input);
    tenant.keys[tenant.keys.indexOf(old)] = { ...old, keyId: rolled.keyId, key: rolled.key };
    await this.#assertRefused("a roll without grace", old);
  }

  async revoke(): Promise<void> {
    const tenant = this.#tenant;
    await this.#fleet.makeKey(tenant, undefined);
    const key = tenant.keys.pop() as ModelKey;
    await this.#use(key);
    const input = { tenantId: tenant.tenantId, keyId: key.keyId as KeyId };
    await revokeKey(this.#fleet.services, OPERATOR, input);
    await this.#assertRefused("a revocation", key);
  }

  async disable(): Promise<void> {
    const tenant = this.#tenant;
    const key = this.#random.pick(tenant.keys);
    await this.#use(key);
    const input = { tenantId: tenant.tenantId, keyId: key.keyId as KeyId };
    await updateKey(this.#fleet.services, OPERATOR, { ...input, disabled: true });
    await this.#assertRefused("disabling", key);
    await updateKey(this.#fleet.services, OPERATOR, { ...input, disabled: false });
    await this.#assertHeard("enabling", async (process) => !(await this.#isDead(process, key)));
  }

  /** Makes a key known to every process. */
  async #use(key: ModelKey): Promise<void> {
    for (const process of this.#processes) {
      await process.calls([{ key: key.key, cost: 0, ends: "billed" }]);
    }
  }

  async #isDead(process: DecidingProcess, key: ModelKey): Promise<boolean> {
    const [answer] = await process.calls([{ key: key.key, cost: 0, ends: "billed" }]);
    return ["REVOKED", "DISABLED", "EXPIRED", "INVALID_KEY"].includes(answer?.code ?? "");
  }

  async #assertRefused(what: string, key: ModelKey): Promise<void> {
    await this.#assertHeard(what, (process) => this.#isDead(process, key));
  }

  async #assertHeard(
    what: string,
    hasHeard: (process: DecidingProcess) => Promise<boolean>,
  ): Promise<void> {
    const startedAtMs = performance.now();
    await Promise.all(
      this.#processes.map(async (process) => {
        let lastUnheardMs = 0;
        await pollUntil(what, async () => {
          const askedAtMs = performance.now();
          const isHeard = await hasHeard(process);
          lastUnheardMs = isHeard ? lastUnheardMs : askedAtMs - startedAtMs;
          return isHeard;
        });
        this.slowestChangeMs = Math.max(this.slowestChangeMs, lastUnheardMs);
      }),
    );
  }

  /** Cuts the connections for wake-ups, so that changes are found by polling. */
  async deafen(): Promise<void> {
    await this.#fleet.cutListening();
    await this.#random.pick([() => this.revoke(), () => this.disable(), () => this.changePlan()])();
  }

  async killDatabase(): Promise<void> {
    const { server } = this.#fleet;
    const killedPid = server.pid;
    process.kill(killedPid, "SIGKILL");
    await this.burst();
    await this.endCalls();
    await this.burst();
    await pollUntil("the database is back", () => this.#isAnsweringAfter(killedPid), 600_000);
    await this.#flushAll();
  }

  /** Waits for another server, because sessions of a killed one answer for a moment longer. */
  async #isAnsweringAfter(killedPid: number): Promise<boolean> {
    const { server } = this.#fleet;
    if (!server.isUp() || server.pid === killedPid) {
      return false;
    }
    try {
      await readHeld(this.#fleet.services);
      return true;
    } catch (error) {
      if (!isConnectionError(error)) {
        throw error;
      }
      return false;
    }
  }

  async #flushAll(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.ask({ ask: "flush" })));
  }

  async prune(): Promise<void> {
    await pruneMetering(this.#fleet.services);
  }

  // Checks.

  async check(): Promise<void> {
    const { services } = this.#fleet;
    const taken = await readTaken(services);
    for (const tenant of this.#reference.tenants) {
      const owners = new Set([tenant.tenantId, ...tenant.keys.map((key) => key.originKeyId)]);
      for (const period of this.#periods) {
        for (const owner of owners) {
          this.#checkBalance({ owner, period, tenant }, takenOf(taken, owner, period));
        }
      }
    }
    const { drift, findings } = await reconcile(services, OPERATOR);
    assertHolds(drift === 0, "ledger, rollups and balances agree", findings);
  }

  #checkBalance(
    of: { owner: string; period: number; tenant: ModelTenant },
    taken: { used: number; held: number },
  ): void {
    const { admitted } = this.#reference.countOf(of.owner, of.period);
    const unknown = this.#reference.unknownOf(of.owner);
    const ceiling = this.#reference.ceilingOf(of.owner, of.period);
    const state = { ...of, ...taken, admitted, unknown, ceiling };
    const isLimited = ceiling < Number.POSITIVE_INFINITY;
    assertHolds(taken.used <= admitted + unknown, "nothing is billed twice", state);
    if (isLimited) {
      assertHolds(admitted <= ceiling, "admitted usage is within the limit", state);
      assertHolds(
        taken.used + taken.held <= ceiling,
        "used + leased + forfeited is within the limit",
        state,
      );
      assertHolds(admitted <= taken.used + taken.held, "admitted usage stays taken", state);
    }
  }

  /** Commits everything. Then each process that was never killed has billed exactly what it admitted. */
  async checkQuiet(): Promise<void> {
    await this.endCalls();
    await this.#flushAll();
    await this.check();
    const billed = await readBilled(this.#fleet.services);
    // Including processes that were killed before they answered anything.
    for (const processId of new Set([...this.#reference.byProcess.keys(), ...billed.keys()])) {
      const { admitted } = this.#reference.ofProcess(processId);
      const unknown = this.#reference.unknownOf(processId);
      const inLedger = billed.get(processId) ?? 0;
      const state = { processId, inLedger, admitted, unknown };
      if (!this.#heldAtKill.has(processId)) {
        assertHolds(inLedger === admitted, "admitted usage is billed once", state);
      }
      assertHolds(inLedger <= admitted + unknown, "nothing is billed twice", state);
    }
  }

  /** Drains every process, then spends all that is left, except what killed processes held. */
  async finish(): Promise<void> {
    await this.checkQuiet();
    const { services, running, start, makeFolder } = this.#fleet;
    await Promise.all(this.#processes.map((process) => process.ask({ ask: "drain" })));
    await this.#expireLeases(null);
    for (const [processId, held] of await readHeld(services)) {
      const atKill = this.#heldAtKill.get(processId);
      const state = { processId, held, atKill };
      assertHolds(
        atKill !== undefined && held <= atKill,
        "only a kill forfeits, and only what was held",
        state,
      );
    }
    running.splice(0, running.length, await start(await makeFolder()));
    const limit = Math.max(...LIMITS);
    for (const tenant of this.#reference.tenants) {
      await this.#givePlan(tenant, limit);
      await this.#spendAll(tenant, limit);
    }
    await this.check();
  }

  /** Spends until nothing is left. Leases that a change of plan released come back a little later, so it asks again. */
  async #spendAll(tenant: ModelTenant, limit: number): Promise<void> {
    const [process] = this.#processes as [DecidingProcess];
    const key = tenant.keys[0] as ModelKey;
    const call: CallQuestion = { key: key.key, cost: 1, ends: "billed" };
    const [period] = [...this.#periods].sort((a, b) => a - b) as [number];
    await pollUntil("only forfeited units are left", async () => {
      await this.#send(
        process,
        Array.from({ length: 100 }, () => ({ tenant, key, call })),
      );
      await this.#flushAll();
      const taken = await readTaken(this.#fleet.services);
      const { used, forfeited } = takenOf(taken, tenant.tenantId, period);
      return used + forfeited >= limit;
    });
  }
}
