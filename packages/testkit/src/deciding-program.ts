import { isConnectionError } from "@turnpike/db/database-errors";
import { AppError } from "@turnpike/domain/errors/app-error";
import { createEntitlementDirectory } from "../../../apps/server/src/modules/entitlements/index.ts";
import {
  createCallRecorder,
  createDecider,
  createRateLimiter,
} from "../../../apps/server/src/modules/gateway/index.ts";
import { createKeyDirectory } from "../../../apps/server/src/modules/keys/index.ts";
import { startMetering } from "../../../apps/server/src/modules/metering/index.ts";
import {
  CHANGES_CHANNEL,
  createChangeFeed,
} from "../../../apps/server/src/platform/change-feed.ts";
import { type Clock, systemClock } from "../../../apps/server/src/platform/clock.ts";
import { createLogger } from "../../../apps/server/src/platform/logger.ts";
import { newUuidId } from "../../../apps/server/src/platform/new-id.ts";
import { openDatabase } from "../../../apps/server/src/platform/open-database.ts";
import { createListen } from "../../../apps/server/src/platform/postgres-listen.ts";
import type {
  CallAnswer,
  CallQuestion,
  DecidingQuestion,
  DecidingSettings,
} from "./deciding-process.ts";
import { endWithParent } from "./fork-program.ts";

/**
 * A process that decides calls and meters them as the product does, without its listeners: it is asked over the channel of
 * its parent, and its clocks can be set. Started by `startDecidingProcess`.
 */
async function main(settings: DecidingSettings): Promise<void> {
  const skew = { wallMs: 0, monotonicMs: 0 };
  const clock: Clock = {
    now: () => new Date(Date.now() + skew.wallMs),
    monotonicMs: () => systemClock.monotonicMs() + skew.monotonicMs,
  };
  const logger = createLogger({ level: "error", destination: process.stderr });
  const database = await openDatabase({
    target: settings.target,
    applicationName: "deciding",
    connectionsMax: 6,
  });
  const { transact } = database;
  const services = { transact, clock, newId: newUuidId, logger };
  const changes = createChangeFeed({
    ...services,
    listen: createListen(settings.target, CHANGES_CHANNEL),
  });
  const metering = await startMetering(
    { ...services, folder: settings.folder },
    { groupIntervalMs: 5 },
  );
  const { monotonicMs, now } = clock;
  const entitlements = createEntitlementDirectory({ transact, monotonicMs });
  const directory = createKeyDirectory({ transact, monotonicMs, now, entitlements });
  changes.subscribe(entitlements.applyChange);
  changes.subscribe(directory.applyChange);
  changes.subscribe(metering.applyChange);
  const callRecorder = createCallRecorder({ ...metering, clock });
  const decideCall = createDecider({
    directory,
    entitlements,
    leases: metering.leases,
    rateLimiter: createRateLimiter({ monotonicMs }),
    clock,
    changesSilentMs: () => monotonicMs() - changes.lastHeardMs,
  });
  await changes.start();

  type Admitted = Extract<Awaited<ReturnType<typeof decideCall>>, { allowed: true }>;
  const held = new Map<number, { admission: Admitted; meterId: string }>();
  let calls = 0;

  function end(admission: Admitted, meterId: string, isBilled: boolean): void {
    const target = { meterId, method: undefined, rawTarget: undefined };
    callRecorder.recordAdmitted(
      admission,
      target,
      isBilled
        ? { kind: "status", status: 200 }
        : { kind: "failed", code: "UPSTREAM_UNREACHABLE", isBilled },
    );
  }

  async function decide(input: CallQuestion): Promise<CallAnswer> {
    const { meter: meterId = "requests" } = input;
    try {
      const decision = await decideCall({
        keyText: input.key,
        meterId,
        cost: input.cost,
        findAddress: () => undefined,
      });
      if (!decision.allowed) {
        return { code: decision.code };
      }
      calls += 1;
      if (input.ends === "later") {
        held.set(calls, { admission: decision, meterId });
      } else if (input.cost > 0) {
        end(decision, meterId, input.ends === "billed");
      }
      const quota = decision.limits.find(
        (limit) => limit.kind === "quota" && limit.scope === "tenant",
      );
      return {
        code: "VALID",
        callId: calls,
        periodStartMs: decision.periodStartMs,
        limit: quota?.limit,
      };
    } catch (error) {
      if (error instanceof AppError) {
        return { code: error.code };
      }
      if (isConnectionError(error)) {
        return { code: "DATABASE_UNAVAILABLE" };
      }
      throw error;
    }
  }

  async function answer(question: DecidingQuestion): Promise<unknown> {
    switch (question.ask) {
      case "calls":
        return await Promise.all(question.calls.map(decide));
      case "end": {
        const call = held.get(question.callId);
        held.delete(question.callId);
        if (call !== undefined) {
          end(call.admission, call.meterId, question.isBilled);
        }
        return call !== undefined;
      }
      case "skew":
        skew.wallMs = question.wallMs ?? skew.wallMs;
        skew.monotonicMs += question.addMonotonicMs ?? 0;
        return true;
      case "flush":
        await metering.leases.settleRefills();
        await metering.recorder.flush();
        return true;
      case "drain":
        await metering.stop(10_000);
        await changes.stop();
        await database.close();
        return true;
      default:
        return question satisfies never;
    }
  }

  process.on("message", (message: { id: number; question: DecidingQuestion }) => {
    answer(message.question).then(
      (result) => {
        process.send?.({ id: message.id, result });
        if (message.question.ask === "drain") {
          process.disconnect();
        }
      },
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    );
  });
  process.send?.({ id: 0, result: metering.processId });
}

endWithParent();
process.once("message", (settings: DecidingSettings) => {
  main(settings).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  });
});
