import { said } from "@turnpike/domain/text/said";
import { listLostProcesses } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listLiveNodes } from "#platform/nodes.store.ts";
import { COMMAND_LINE } from "#platform/published.ts";
import type { Config } from "../config.ts";
import { type Finding, ok } from "./check.ts";
import { hasDemoTenant, hasOperator, readDatabaseFacts } from "./installation-facts.store.ts";

/** What may be lost with each of these settings off. */
const MUST_BE_ON = [
  ["fsync", "fsync"],
  ["full_page_writes", "fullPageWrites"],
] as const;
const SKEW_MS_MAX = 2_000;

/** Version and durability of the database, and how far its clock is from that of this process. */
export async function checkDatabase(
  { transact, clock }: Pick<AppServices, "transact" | "clock">,
  { databaseUrl }: Config,
): Promise<{ database: Finding; clock: Finding }> {
  const before = clock.now().getTime();
  const facts = await transact.asOperator(readDatabaseFacts);
  const after = clock.now().getTime();
  const skewMs = Math.max(before - facts.now.getTime(), facts.now.getTime() - after, 0);
  const name =
    databaseUrl === undefined
      ? said(`Embedded PostgreSQL ${facts.version}`)
      : `PostgreSQL ${facts.version}`;
  const off = MUST_BE_ON.filter(([, key]) => facts[key] !== "on").map(([setting]) => setting);
  return {
    database:
      off.length > 0
        ? {
            state: "failed",
            seen: `${name} with ${off.join(" and ")} off: a crash of the machine can destroy the ledger.`,
            advice: `Set ${off.join(" and ")} to on in its postgresql.conf.`,
          }
        : facts.synchronousCommit === "off"
          ? {
              state: "warning",
              seen: `${name} with synchronous_commit off: a crash loses the last committed calls.`,
              advice: "Set synchronous_commit to on.",
            }
          : ok(said(`${name}, durable.`)),
    clock:
      skewMs > SKEW_MS_MAX
        ? {
            state: "failed",
            seen: `This machine and the database differ by ${String(Math.round(skewMs / 1000))} s: billing periods and expiries are decided by both.`,
            advice: "Synchronise both by NTP.",
          }
        : ok("This machine and the database agree within two seconds."),
  };
}

export async function checkOperators(
  { transact }: Pick<AppServices, "transact">,
  { identity }: Config,
): Promise<Finding> {
  return identity.operators.length > 0 || (await transact.asOperator(hasOperator))
    ? ok("There is an operator.")
    : {
        state: "warning",
        seen: "There is no operator yet: the first person to use the setup link becomes one.",
        advice: "Open the setup link that the start printed, or a new one after a restart.",
      };
}

export async function checkDemo({ transact }: Pick<AppServices, "transact">): Promise<Finding> {
  return (await transact.asOperator(hasDemoTenant))
    ? {
        state: "warning",
        seen: "Demo tenants are among your customers, and their meters are published.",
        advice: `Remove them: ${COMMAND_LINE} demo --remove`,
      }
    : ok("There is none.");
}

/** The nodes of the database, and what those took with them that are gone. */
export async function checkNodes({ transact }: Pick<AppServices, "transact">): Promise<Finding> {
  const { nodes, lost } = await transact.asOperator(async (tx) => ({
    nodes: await listLiveNodes(tx, ""),
    lost: await listLostProcesses(tx),
  }));
  const [last] = lost;
  if (last !== undefined) {
    const calls = lost.reduce((sum, { callsWaiting }) => sum + callsWaiting, 0);
    const names = [...new Set(lost.map(({ nodeName }) => nodeName ?? "an unnamed one"))].join(", ");
    return {
      state: "warning",
      seen: `Silent with ${String(calls)} calls that were not committed at the last sign of life, at ${last.heardAt.toISOString()} at the latest: ${names}. Calls of up to ten seconds after it are not in this number.`,
      advice: `Start the node again, or commit its journal: ${COMMAND_LINE} journal recover <its data folder>`,
    };
  }
  return ok(
    nodes.length === 0
      ? "None serves at the moment."
      : `${nodes.map(({ name, version }) => `${name} (${version})`).join(", ")}.`,
  );
}
