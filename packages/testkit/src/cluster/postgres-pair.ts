import { execFile } from "node:child_process";
import { appendFile, chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { connect, type Sql } from "@turnpike/db/client";
import { locatePostgres } from "../../../../apps/server/src/platform/postgres-binaries.ts";
import {
  BOOTSTRAP_USER,
  clusterPaths,
  findClusterVersion,
  PRODUCT_DATABASE,
  PRODUCT_USER,
} from "../../../../apps/server/src/platform/postgres-cluster.ts";
import {
  makePostgresPlan,
  type PostgresPlan,
} from "../../../../apps/server/src/platform/postgres-plan.ts";
import {
  adoptPostgres,
  findServerCommand,
  type PostgresProcess,
  readPostmasterFile,
  stopPostgres,
} from "../../../../apps/server/src/platform/postgres-process.ts";
import {
  ensureDatabase,
  obtainServer,
} from "../../../../apps/server/src/platform/postgres-server.ts";
import { pollUntil } from "../poll-until.ts";
import type { Place } from "./place.ts";

const run = promisify(execFile);

/** Where one server of a pair listens. */
export type PostgresPlace = Place & { port: number };

/** One of two servers; which of them is the primary changes when the standby is promoted. */
export type PostgresMember = {
  readonly place: PostgresPlace;
  readonly pid: number;
  /** In words, once the process is gone. Never rejects. */
  readonly ended: Promise<string>;
  /** The superuser's pool, through the server's Unix socket; of `postgres` unless named. The caller ends it. */
  connect(database?: string): Sql;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** A primary and a standby that has every commit before its client hears of it. */
export type PostgresPair = {
  primary: PostgresMember;
  standby: PostgresMember;
  /** For `DATABASE_URL` of the nodes: the product's own user. */
  urlOf(hosts: readonly PostgresPlace[]): string;
  /** Makes the standby the primary, after the old one is gone. It then has no standby. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

const STANDBY_NAME = "turnpike_standby";
const COPY_TIMEOUT_MS = 600_000;
const SETTINGS = {
  // Of several nodes, each with pools of its own.
  max_connections: "200",
  // A standby that was away comes back without a new copy.
  wal_keep_size: "512MB",
  wal_retrieve_retry_interval: "500ms",
};

/**
 * Starts the two servers of a folder, or goes on with those that are there. A server that was the primary before a promotion is
 * made anew as the standby of the other.
 *
 * @param input.folder - Exists; its servers run as another user than root, who must be able to enter it.
 * @param input.settings - Of both servers, beyond the product's own.
 */
export async function startPostgresPair(input: {
  folder: string;
  places: readonly [PostgresPlace, PostgresPlace];
  settings?: Readonly<Record<string, string>>;
}): Promise<PostgresPair> {
  const [first, second] = [join(input.folder, "postgres-1"), join(input.folder, "postgres-2")];
  for (const folder of [first, second]) {
    await mkdir(folder, { recursive: true, mode: 0o711 });
  }
  const markPath = join(input.folder, "postgres-primary");
  const isSwapped = (await readFile(markPath, "utf8").catch(() => "")) === second;
  const [primaryPlace, standbyPlace] = isSwapped
    ? [input.places[1], input.places[0]]
    : input.places;
  const primaryFolder = isSwapped ? second : first;
  const standbyFolder = isSwapped ? first : second;

  const settings = { ...SETTINGS, ...input.settings };
  const primaryPlan = await plan(primaryFolder, primaryPlace, settings);
  await rm(join(primaryPlan.cluster, "standby.signal"), { force: true });
  await ensureStandbyFolder(primaryPlan, standbyFolder);
  const standbyPlan = await plan(standbyFolder, standbyPlace, settings);
  await writeStandbyFiles(standbyPlan, primaryPlan.connection.password);

  const started: PostgresMember[] = [];
  const stop = async () => {
    // The primary first: its last commits wait for the standby.
    for (const member of started) {
      await member.stop();
    }
  };
  try {
    const primary = await start(primaryPlan, primaryPlace, {
      synchronous_standby_names: STANDBY_NAME,
    });
    started.push(primary);
    const standby = await start(standbyPlan, standbyPlace, {
      primary_conninfo: [
        `host=${primaryPlace.host} port=${String(primaryPlace.port)} user=${BOOTSTRAP_USER}`,
        `application_name=${STANDBY_NAME} passfile=${passfileOf(standbyPlan)} connect_timeout=5`,
      ].join(" "),
    });
    started.push(standby);
    await awaitSynchronous(primary);
    await ensureDatabase({ ...primaryPlan, connection: toSocket(primaryPlan, primaryPlace) });
    const { password } = primaryPlan.connection;
    return {
      primary,
      standby,
      urlOf: (hosts) => {
        const list = hosts.map(({ host, port }) => `${host}:${String(port)}`).join(",");
        return `postgres://${PRODUCT_USER}:${password}@${list}/${PRODUCT_DATABASE}`;
      },
      async promote() {
        const sql = standby.connect();
        try {
          await sql`select pg_promote(true, 60)`;
        } finally {
          await sql.end();
        }
        await writeFile(markPath, standbyFolder);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function plan(
  folder: string,
  place: PostgresPlace,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresPlan> {
  const made = await makePostgresPlan({ folder, settings }, await locatePostgres());
  const rules = join(made.cluster, "pg_hba.conf");
  const marker = "# The other server and the nodes.";
  if (!(await readFile(rules, "utf8")).includes(marker)) {
    await appendFile(
      rules,
      `${marker}\nhost all all samenet scram-sha-256\nhost replication all samenet scram-sha-256\n`,
    );
  }
  return { ...made, connection: toSocket(made, place) };
}

const toSocket = ({ connection }: PostgresPlan, { port }: PostgresPlace) => ({
  ...connection,
  port,
});

/** A standby begins as a copy of the primary's folder, which is whole while no server runs on it. */
async function ensureStandbyFolder(primary: PostgresPlan, folder: string): Promise<void> {
  const { cluster, password } = clusterPaths(folder);
  const isStandby = await readFile(join(cluster, "standby.signal")).then(
    () => true,
    () => false,
  );
  if (isStandby && (await findClusterVersion(cluster)) !== undefined) {
    return;
  }
  await stopLeftover(primary);
  const unfinished = `${cluster}.copy`;
  await rm(unfinished, { recursive: true, force: true });
  await rm(cluster, { recursive: true, force: true });
  await run("cp", ["-a", primary.cluster, unfinished], { timeout: COPY_TIMEOUT_MS });
  await run("cp", ["-a", clusterPaths(primary.folder).password, password]);
  await rename(unfinished, cluster);
}

/** Ends a server that a killed caller left running. */
async function stopLeftover({ cluster, stopTimeoutMs }: PostgresPlan): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file !== undefined && (await findServerCommand(file.pid, cluster)) !== undefined) {
    await stopPostgres(adoptPostgres(file.pid, cluster), stopTimeoutMs);
  }
}

const passfileOf = (standby: PostgresPlan) => join(standby.cluster, "standby.pgpass");

async function writeStandbyFiles(standby: PostgresPlan, password: string): Promise<void> {
  const passfile = passfileOf(standby);
  await writeFile(passfile, `*:*:*:*:${password}\n`, { mode: 0o600 });
  await chmod(passfile, 0o600);
  const signal = join(standby.cluster, "standby.signal");
  await writeFile(signal, "");
  if (standby.user !== undefined) {
    for (const path of [passfile, signal]) {
      await chown(path, standby.user.uid, standby.user.gid);
    }
  }
}

async function start(
  made: PostgresPlan,
  place: PostgresPlace,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresMember> {
  // A host of its own may be given further addresses.
  const addresses = place.within.length === 0 ? place.host : "*";
  // Later settings of a command line win over the product's own, which listens on a socket alone.
  const further = { ...settings, listen_addresses: addresses, port: String(place.port) };
  const command = [
    ...made.command,
    ...Object.entries(further).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const server = await obtainServer(leadTo(place, { ...made, command }));
  return toMember(server, made, place);
}

/** Only root enters a namespace, and PostgreSQL refuses to be root: its user is taken on inside. */
function leadTo({ within }: Place, made: PostgresPlan): PostgresPlan {
  if (within.length === 0) {
    return made;
  }
  const { user, command } = made;
  const asUser =
    user === undefined
      ? []
      : [
          ...["setpriv", `--reuid=${String(user.uid)}`, `--regid=${String(user.gid)}`],
          "--clear-groups",
        ];
  return { ...made, user: undefined, command: [...within, ...asUser, ...command] };
}

function toMember(
  server: PostgresProcess,
  made: PostgresPlan,
  place: PostgresPlace,
): PostgresMember {
  let isGone = false;
  const ended = server.exited.finally(() => {
    isGone = true;
  });
  return {
    place,
    pid: server.pid,
    ended,
    connect: (database = "postgres") =>
      connect(
        { ...made.connection, port: place.port, database },
        {
          connectionsMax: 1,
          applicationName: "cluster",
          statementTimeoutMs: 120_000,
          // Five seconds are too few on a busy machine.
          connectTimeoutMs: 60_000,
        },
      ),
    async kill() {
      if (!isGone) {
        process.kill(server.pid, "SIGKILL");
        await ended;
      }
    },
    async stop() {
      if (!isGone) {
        await stopPostgres(server, made.stopTimeoutMs);
      }
    },
  };
}

async function awaitSynchronous(primary: PostgresMember): Promise<void> {
  const sql = primary.connect();
  try {
    await pollUntil("the standby is synchronous", async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_replication where sync_state = 'sync'`;
      return row?.count === 1;
    });
  } finally {
    await sql.end();
  }
}
