import type { ConnectionTarget } from "@turnpike/db/client";
import { closeDue } from "../../apps/server/src/modules/billing/index.ts";
import { openDatabase } from "../../apps/server/src/platform/open-database.ts";
import { benchBilling } from "../rig/seed-billing.ts";

/** Closes what is due by one clock and then by a later one, as one process of the product would, and reports the second. */
type Order = { target: ConnectionTarget; warmUpAt: string; closeAt: string };

const { target, warmUpAt, closeAt } = JSON.parse(process.argv[2] ?? "{}") as Order;
const database = await openDatabase({ target, applicationName: "bench", connectionsMax: 2 });
await closeDue(benchBilling(database.transact, new Date(warmUpAt)));
const startedAtMs = performance.now();
const cpu = process.cpuUsage();
const { closed } = await closeDue(benchBilling(database.transact, new Date(closeAt)));
const { user, system } = process.cpuUsage(cpu);
process.send?.({
  closed,
  ms: performance.now() - startedAtMs,
  cpuMs: (user + system) / 1000,
  maxRssBytes: process.resourceUsage().maxRSS * 1024,
});
await database.close();
process.disconnect();
