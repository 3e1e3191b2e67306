import { once } from "node:events";
import type { ConnectionTarget } from "@turnpike/db/client";
import { createLiveServices } from "@turnpike/testkit/test-services";
import {
  createForecasterHere,
  findIncidentsHere,
  scanAll,
} from "../../apps/server/src/modules/intelligence/index.ts";
import { openDatabase } from "../../apps/server/src/platform/open-database.ts";
import { benchBilling } from "../rig/seed-billing.ts";

/** Looks at all tenants once, as the job of each hour does, and reports how long it took. */
const target = JSON.parse(process.argv[2] ?? "{}") as ConnectionTarget;
const database = await openDatabase({ target, applicationName: "bench", connectionsMax: 2 });
const deps = {
  ...benchBilling(createLiveServices(database).transact, new Date()),
  findIncidents: findIncidentsHere,
  forecaster: createForecasterHere(),
};
const startedAtMs = performance.now();
const tenants = await scanAll(deps, new AbortController().signal);
process.send?.({
  tenants,
  ms: performance.now() - startedAtMs,
  maxRssBytes: process.resourceUsage().maxRSS * 1024,
});
// Until the processor time of the database's processes has been read.
await once(process, "message");
await database.close();
process.disconnect();
