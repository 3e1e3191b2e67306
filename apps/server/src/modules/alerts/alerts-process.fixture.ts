import { type ConnectionTarget, connect } from "@turnpike/db/client";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { openJobQueue } from "#platform/job-queue.ts";
import type { Transact } from "#platform/transact.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";

export type AlertsProcessInput = { target: ConnectionTarget; now: string };

/** Says on standard output where a process stands in its transactions, so that it can be killed there. */
function telling(transact: Transact): Transact {
  const say = (moment: string) => process.stdout.write(`${moment}\n`);
  return {
    ...transact,
    asOperator: async (work) => {
      say("begins");
      const result = await transact.asOperator(async (tx) => {
        const inner = await work(tx);
        say("commits");
        return inner;
      });
      say("committed");
      return result;
    },
    asAnalyst: async (input, work) => {
      say("asks");
      return await transact.asAnalyst(input, work);
    },
  };
}

/** Looks at what is due, as a process of its own, and ends. */
export async function runAlertsProcess({ target, now }: AlertsProcessInput): Promise<void> {
  const sql = connect(target, {
    connectionsMax: 4,
    applicationName: "alerts",
    statementTimeoutMs: 0,
  });
  const services = createLiveServices({ sql });
  const jobs = await openJobQueue({ target, logger: services.logger, isPrepared: true });
  const world = {
    ...services,
    clock: createFakeClock(now),
    transact: telling(services.transact),
    jobs,
    notices: { sendsMail: true, brandName: "Acme API", consoleUrl: "https://console.example.com" },
  };
  await evaluateAlerts(world, new AbortController().signal);
  await jobs.close();
  await sql.end();
}
