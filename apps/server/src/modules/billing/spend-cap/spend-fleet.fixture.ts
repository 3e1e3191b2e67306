import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  type DecidingProcess,
  isProcessGone,
  startDecidingProcess,
} from "@turnpike/testkit/deciding-process";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { createKey } from "#modules/keys/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { CAPPED_METERS } from "./spend-cap.fixture.ts";

/** Calls that a process decides at once: as many as keep it busy while the answers travel. */
const BATCH = 48;
/** Refused by a limit, or because a busy machine has not decided in time. */
const REFUSED = ["SPEND_CAP_REACHED", "PAYMENT_REQUIRED", "LIMITS_UNAVAILABLE", "OVERLOADED"];

/** A tenant that spends, and what was let through for it. */
export type Spender = {
  tenantId: TenantId;
  key: string;
  /** Units of calls that were answered. */
  admitted: number;
  /** Units of calls that a killed process may have let through: their answers never came. */
  unknown: number;
};

/** A folder, and the process on it: a new one while the one before is being replaced. */
type Slot = { folder: string; process: Promise<DecidingProcess> };

/** Programs that decide calls as the product does, each in a process of its own, under full load until they have to stop. */
export async function openSpendFleet(
  database: TestDatabase,
  deps: BillingDeps,
  { processes }: { processes: number },
) {
  const folder = await makeTempFolder();
  const started = new Set<DecidingProcess>();

  async function start(own: string): Promise<DecidingProcess> {
    const process = await startDecidingProcess({ target: database.target, folder: own });
    started.add(process);
    return process;
  }

  const slots: Slot[] = [];
  for (let place = 0; place < processes; place += 1) {
    const own = join(folder.path, String(place));
    await mkdir(own);
    slots.push({ folder: own, process: start(own) });
  }
  await Promise.all(slots.map(({ process }) => process));

  async function makeSpender(planId: string): Promise<Spender> {
    const plans = createBilledPlans(deps);
    const input = { name: "Spender", planId };
    const { tenantId } = await createTenant({ ...deps, plans }, OPERATOR_CONTEXT, input);
    const made = await createKey(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, name: "Load", environment: "live" as const, scopes: [], metadata: {} },
    });
    return { tenantId, key: made.key, admitted: 0, unknown: 0 };
  }

  /** Sends one batch, of all meters of all spenders. */
  async function sendBatch(process: DecidingProcess, spenders: readonly Spender[]) {
    const sent = Array.from({ length: BATCH }, (_, place) => ({
      spender: spenders[place % spenders.length] as Spender,
      meter:
        CAPPED_METERS[Math.floor(place / spenders.length) % CAPPED_METERS.length] ?? "requests",
    }));
    const calls = sent.map(({ spender, meter }) => ({
      ...{ key: spender.key, meter, cost: 1, ends: "billed" as const },
    }));
    let answers: Awaited<ReturnType<DecidingProcess["calls"]>>;
    try {
      answers = await process.calls(calls);
    } catch (error) {
      if (!isProcessGone(error)) {
        throw error;
      }
      for (const { spender } of sent) {
        spender.unknown += 1;
      }
      return;
    }
    for (const [place, { code }] of answers.entries()) {
      const spender = sent[place]?.spender;
      if (spender !== undefined && code === "VALID") {
        spender.admitted += 1;
      } else if (!REFUSED.includes(code)) {
        throw new Error(`A call was answered with ${code}.`);
      }
    }
  }

  return {
    makeSpender,

    /** Keeps every process busy, two batches each, while something is done. One that was killed is loaded again once it is replaced. */
    async loadWhile(spenders: readonly Spender[], act: () => Promise<void>): Promise<void> {
      let stops = false;
      const callers = slots.flatMap((slot) =>
        [0, 1].map(async () => {
          while (!stops) {
            await sendBatch(await slot.process, spenders);
          }
        }),
      );
      try {
        // A caller that fails ends the wait.
        await Promise.race([act(), ...callers]);
      } finally {
        stops = true;
        await Promise.all(callers);
      }
    },

    /** Kills a process with SIGKILL and starts another on its folder, which recovers what its journal holds. */
    async killOne(place: number): Promise<void> {
      const slot = slots[place % slots.length];
      if (slot !== undefined) {
        const killed = await slot.process;
        killed.kill("SIGKILL");
        slot.process = killed.ended.then(() => start(slot.folder));
        await slot.process;
      }
    },

    /** Ends all processes: they commit what they recorded, and give back what they hold. */
    async drain(): Promise<void> {
      await Promise.all(
        slots.map(async (slot) => {
          const process = await slot.process;
          await process.ask({ ask: "drain" });
          await process.ended;
        }),
      );
    },

    async close(): Promise<void> {
      for (const process of started) {
        process.kill("SIGKILL");
        await process.ended;
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}
