import { type ConnectionTarget, connect } from "@turnpike/db/client";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { openJobQueue } from "#platform/job-queue.ts";
import type { Transact } from "#platform/transact.ts";
import { evaluateAlerts } from "../evaluate-alerts.ts";

export type AlertsProcessInput = {
  target: ConnectionTarget;
  now: string;
  /** The process stops for good at its n-th step, so that it is killed at work; null: it runs to its end. */
  stopAtStep: number | null;
};

/** The name of its connections in `pg_stat_activity`. */
export const ALERTS_PROCESS = "alerts-process";

/** Stops a process at one of its steps, and writes a line when it has. */
function stopping(transact: Transact, stopAtStep: number | null): Transact {
  let steps = 0;
  const step = async (): Promise<void> => {
    steps += 1;
    if (stopAtStep !== null && steps >= stopAtStep) {
      process.stdout.write("stopped\n");
      await new Promise(() => undefined);
    }
  };
  return {
    ...transact,
    asOperator: async (work) => {
      await step();
      const result = await transact.asOperator(async (tx) => {
        const inner = await work(tx);
        await step();
        return inner;
      });
      await step();
      return result;
    },
    asAnalyst: async (input, work) => {
      await step();
      return await transact.asAnalyst(input, work);
    },
  };
}

/** Evaluates all due alerts in a process of its own. */
export async function runAlertsProcess({
  target,
  now,
  stopAtStep,
}: AlertsProcessInput): Promise<void> {
  const sql = connect(target, {
    connectionsMax: 4,
    applicationName: ALERTS_PROCESS,
    statementTimeoutMs: 0,
  });
  const services = createLiveServices({ sql });
  const jobs = await openJobQueue({ target, logger: services.logger, isPrepared: true });
  const world = {
    ...services,
    clock: createFakeClock(now),
    transact: stopping(services.transact, stopAtStep),
    jobs,
    notices: { sendsMail: true, brandName: "Acme API", consoleUrl: "https://console.example.com" },
  };
  await evaluateAlerts(world, new AbortController().signal);
  await jobs.close();
  await sql.end();
}
