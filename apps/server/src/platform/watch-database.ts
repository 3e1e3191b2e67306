import type { ConnectionTarget } from "@turnpike/db/client";
import { parseDatabaseAddress } from "@turnpike/db/database-address";
import { withTimeout } from "./bounded-wait.ts";
import { keepsSessions, readSynchronousStandbys } from "./database-sessions.store.ts";
import type { Logger } from "./logger.ts";
import type { Transact } from "./transact.ts";

/** What is wrong with the way to the database although it answers, in sentences. */
export type DatabaseTrouble = { pooler?: string; standby?: string };

export interface DatabaseWatch {
  /** As of the last look, at most a minute ago; empty before the first. */
  trouble(): DatabaseTrouble;
  stop(): Promise<void>;
}

type WatchDatabaseDeps = {
  target: ConnectionTarget;
  transact: Pick<Transact, "asOperator">;
  logger: Pick<Logger, "warn" | "debug">;
};

const LOOK_EVERY_MS = 60_000;
const LOOK_TIMEOUT_MS = 10_000;

const POOLER =
  "A pooler in transaction mode is between this node and the database: prepared statements and notifications break. Connect to the server itself, or let the pooler keep sessions.";
const STANDBY =
  "DATABASE_URL names several hosts and no standby is synchronous: a failover loses the last committed usage and lets quotas be exceeded. Set synchronous_standby_names.";

async function look({ target, transact }: WatchDatabaseDeps): Promise<DatabaseTrouble> {
  const hosts = "url" in target ? parseDatabaseAddress(target.url).hosts.length : 1;
  const names = hosts > 1 ? await transact.asOperator(readSynchronousStandbys) : undefined;
  return {
    ...((await keepsSessions(target)) ? {} : { pooler: POOLER }),
    ...(names === "" ? { standby: STANDBY } : {}),
  };
}

/** Looks at once and then every minute whether the way to the database can be relied on. */
export function watchDatabase(deps: WatchDatabaseDeps): DatabaseWatch {
  let trouble: DatabaseTrouble = {};
  let looking = Promise.resolve();

  async function update(): Promise<void> {
    try {
      const found = await withTimeout(look(deps), LOOK_TIMEOUT_MS);
      for (const [part, sentence] of Object.entries(found)) {
        if (!(part in trouble)) {
          deps.logger.warn({}, sentence);
        }
      }
      trouble = found;
    } catch (error) {
      // Whether it answers is another component.
      deps.logger.debug({ err: error }, "The way to the database could not be looked at");
    }
  }

  const start = (): void => {
    looking = looking.then(update);
  };
  const timer = setInterval(start, LOOK_EVERY_MS);
  start();
  return {
    trouble: () => trouble,
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
