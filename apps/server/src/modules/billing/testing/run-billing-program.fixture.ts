import { type RunningProgram, startProgram } from "@turnpike/testkit/program";
import type { ProgramOrder } from "./billing-program.fixture.ts";

/** Starts a process of billing, see `billing-program.fixture.ts`. */
export function startBillingProgram(order: ProgramOrder): RunningProgram {
  return startProgram({
    script: "apps/server/src/modules/billing/testing/billing-program.fixture.ts",
    args: [JSON.stringify(order)],
    env: {},
  });
}

/** @returns What it did; undefined when it was killed. @throws {Error} When it failed otherwise. */
export async function runBillingProgram(
  order: ProgramOrder,
): Promise<{ closed: number; passed: number } | undefined> {
  const { code, stdout, stderr } = await startBillingProgram(order).ended;
  if (code === null) {
    return;
  }
  if (code !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stdout);
}
