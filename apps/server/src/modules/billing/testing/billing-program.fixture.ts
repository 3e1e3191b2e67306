import { randomBytes } from "node:crypto";
import type { ConnectionTarget } from "@turnpike/db/client";
import { connect } from "@turnpike/db/client";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { type ConfirmInput, confirmAction } from "../subscriptions/confirm-action.ts";
import { TEST_BILLING } from "./billing.fixture.ts";
import { countPoints } from "./interrupt.fixture.ts";

/** What a process does: closes what is due again and again, or confirms a quote. */
export type ProgramOrder = {
  target: ConnectionTarget;
  /** The time of its clock, which does not move. */
  now: string;
  task: { close: number } | { confirm: ConfirmInput };
  /** Kills itself, as `kill -9` does, at this point of its way through the database; 0 for never. */
  killAt: number;
};

/** A process of billing beside others. It writes what it did, as JSON; one that is killed writes nothing. */
async function main({ target, now, task, killAt }: ProgramOrder): Promise<void> {
  const sql = connect(target, {
    connectionsMax: 4,
    applicationName: "billing-program",
    statementTimeoutMs: 60_000,
  });
  const { transact, passed } = countPoints(sql, (count) => {
    if (count === killAt) {
      process.kill(process.pid, "SIGKILL");
    }
  });
  const deps: BillingDeps = {
    transact,
    clock: { now: () => new Date(now), monotonicMs: () => performance.now() },
    newId: newUuidId,
    logger: createLogger({ level: "error", destination: process.stderr }),
    randomBytes: (count) => randomBytes(count),
    billing: TEST_BILLING,
  };
  let closed = 0;
  if ("confirm" in task) {
    await confirmAction(deps, OPERATOR_CONTEXT, task.confirm);
  } else {
    for (let run = 0; run < task.close; run += 1) {
      closed += (await closeDue(deps)).closed;
    }
  }
  process.stdout.write(JSON.stringify({ closed, passed: passed() }));
  await sql.end();
}

await main(JSON.parse(process.argv[2] ?? "{}") as ProgramOrder);
