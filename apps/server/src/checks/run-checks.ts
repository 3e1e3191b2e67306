import { CHECK_IDS, type CheckId, type Checks } from "@turnpike/contract/checks";
import { listOnTheirWay } from "#modules/moves/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Config } from "../config.ts";
import type { PublicUrls } from "../public-urls.ts";
import { type Finding, toCheck } from "./check.ts";
import { checkCells } from "./check-cells.ts";
import { checkClickHouse } from "./check-clickhouse.ts";
import {
  checkAddresses,
  checkBrand,
  checkLegal,
  checkPayments,
  checkProxy,
  checkSecrets,
} from "./check-configuration.ts";
import { checkDatabase, checkDemo, checkNodes, checkOperators } from "./check-database.ts";
import { checkFiles } from "./check-files.ts";
import { checkOffer } from "./check-offer.ts";
import { checkBackup, checkDisk, checkMail, checkSignIn, checkUpstreams } from "./probe.ts";

export type ChecksInput = {
  config: Config;
  urls: PublicUrls;
  clock: Clock;
  /** Null where the database cannot be opened. */
  services: Pick<AppServices, "transact" | "clock" | "logger" | "newId" | "randomBytes"> | null;
  /** APIs of the newest start, which may have been given them on its command line; they count where the configuration names none. */
  started?: readonly { name: string; url: string }[] | undefined;
  /** Why it cannot be opened. */
  databaseTrouble?: string;
  version: string;
};

/** Of each check: a mail server is asked in several steps. */
const CHECK_TIMEOUT_MS = 10_000;

/** What only the database knows. */
const UNKNOWN: Finding = {
  state: "unknown",
  seen: "The database could not be asked.",
  advice: "Repair the database first.",
};

function noDatabase(seen: string): Finding {
  return {
    state: "failed",
    seen,
    advice: "Without its database the product does not start: see Operations.",
  };
}

async function inTime(finding: Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await withTimeout(Promise.resolve(finding), CHECK_TIMEOUT_MS);
  } catch (error) {
    return {
      state: "unknown",
      seen: `This could not be checked: ${error instanceof Error ? error.message : String(error)}`,
      advice: "Try again; the log may say more.",
    };
  }
}

async function checkCellsOf(
  { transact }: Pick<AppServices, "transact">,
  config: Config,
  now: Date,
): Promise<Finding> {
  return await checkCells(config, await transact.asOperator(listOnTheirWay), now);
}

/**
 * Checks whether the installation is ready for customers: the one list that the operator's console and `turnpike doctor` show.
 * Changes nothing but for a few bytes that are written to the file store and deleted. A check that fails or takes too long is `unknown` and holds up no other.
 */
export async function runChecks(input: ChecksInput): Promise<Checks> {
  const { config, urls, services } = input;
  const now = input.clock.now();
  const database = services === null ? undefined : checkDatabase(services, config);
  const offer = services === null ? undefined : checkOffer(services, config);
  const running: Readonly<Record<CheckId, Finding | Promise<Finding>>> = {
    upstreams: checkUpstreams(config.upstreams ?? input.started),
    addresses: checkAddresses(urls),
    proxy: checkProxy(config, urls),
    database: database?.then((both) => both.database) ?? noDatabase(input.databaseTrouble ?? ""),
    disk: checkDisk(config),
    files: services === null ? UNKNOWN : checkFiles(services, config),
    clickhouse: services === null ? UNKNOWN : checkClickHouse(services, config),
    clock: database?.then((both) => both.clock) ?? UNKNOWN,
    nodes: services === null ? UNKNOWN : checkNodes(services),
    cells: services === null ? UNKNOWN : checkCellsOf(services, config, now),
    backup: checkBackup(config, now),
    secrets: checkSecrets(config),
    mail: checkMail(config),
    sign_in: checkSignIn(config),
    operators: services === null ? UNKNOWN : checkOperators(services, config),
    brand: checkBrand(config),
    plans: offer?.then(({ plans }) => plans) ?? UNKNOWN,
    seller: offer?.then(({ seller }) => seller) ?? UNKNOWN,
    legal: checkLegal(config),
    payments: checkPayments(config),
    demo: services === null ? UNKNOWN : checkDemo(services),
  };
  const checks = await Promise.all(
    CHECK_IDS.map(async (id) => toCheck(id, await inTime(running[id]))),
  );
  return {
    checkedAt: now.toISOString(),
    version: input.version,
    configFile: config.configPath,
    checks,
  };
}
