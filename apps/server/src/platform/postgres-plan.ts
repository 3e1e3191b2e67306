import { createHash } from "node:crypto";
import { chown, lstat, mkdir, mkdtemp, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chooseDatabaseUser, ensureUserCanEnter } from "./database-user.ts";
import { type PostgresInstallation, preparePostgresBinaries } from "./postgres-binaries.ts";
import {
  BOOTSTRAP_USER,
  clusterPaths,
  ensureCluster,
  PRODUCT_DATABASE,
} from "./postgres-cluster.ts";
import { StartupError } from "./startup-error.ts";
import type { UnixUser } from "./unix-user.ts";

/** How to reach the server; `host` is the folder of its Unix socket. */
export type PostgresConnection = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
};

const PORT = 5432;
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 10_000;
/** `sun_path` has 108 bytes on Linux and 104 on macOS, the last of them a zero. */
const SOCKET_PATH_BYTES_MAX = process.platform === "linux" ? 107 : 103;

/** What the product relies on; `postgresql.conf` in the folder decides the rest. */
const SETTINGS = {
  // The product's pools, a second process of the command line, and room for psql.
  max_connections: "60",
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  // A statement of a killed client would otherwise go on, and keep its locks, until it has a result to send.
  client_connection_check_interval: "1s",
  // Short statements gain nothing from compilation.
  jit: "off",
  logging_collector: "off",
  log_destination: "stderr",
  log_checkpoints: "off",
  // The detail of an error quotes rows.
  log_error_verbosity: "terse",
} as const;

/** Everything that a start, and each start after a crash, needs to know. */
export type PostgresPlan = {
  folder: string;
  cluster: string;
  logPath: string;
  user: UnixUser | undefined;
  command: string[];
  connection: PostgresConnection;
  majorVersion: number;
  readyTimeoutMs: number;
  stopTimeoutMs: number;
};

/** What may be asked of a plan beyond the product's own. */
export type PostgresPlanOptions = {
  /** The data folder: exists, is locked by this process. */
  folder: string;
  /** Name of the user to run as when this process is root. */
  databaseUser?: string | undefined;
  /** Settings beyond the product's own, which they override. */
  settings?: Readonly<Record<string, string>>;
  /** Recovery after a crash replays up to a gigabyte of log; default 120,000. */
  readyTimeoutMs?: number;
  /** For a fast shutdown, before an immediate one; default 10,000. */
  stopTimeoutMs?: number;
};

/**
 * Prepares everything short of the server itself: its user, programs that this user can run, the database's folder and
 * the folder of its socket.
 *
 * @throws {StartupError} when one of them cannot be had.
 */
export async function makePostgresPlan(
  options: PostgresPlanOptions,
  installation: PostgresInstallation,
): Promise<PostgresPlan> {
  const { folder } = options;
  const paths = clusterPaths(folder);
  const user = await chooseDatabaseUser(folder, options.databaseUser);
  if (user !== undefined) {
    await ensureUserCanEnter(folder, user);
  }
  const binaries = await preparePostgresBinaries({
    installation,
    user,
    copiesFolder: paths.binaries,
  });
  const password = await ensureCluster({ folder, binaries, user });
  const socketFolder = await ensureSocketFolder(folder, user);
  const settings = {
    ...SETTINGS,
    ...options.settings,
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: `"${socketFolder}"`,
    unix_socket_permissions: "0700",
  };
  return {
    folder,
    cluster: paths.cluster,
    logPath: paths.log,
    user,
    command: [
      join(binaries.binFolder, "postgres"),
      "-D",
      paths.cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    connection: {
      host: socketFolder,
      port: PORT,
      user: BOOTSTRAP_USER,
      password,
      database: PRODUCT_DATABASE,
    },
    majorVersion: binaries.majorVersion,
    readyTimeoutMs: options.readyTimeoutMs ?? READY_TIMEOUT_MS,
    stopTimeoutMs: options.stopTimeoutMs ?? STOP_TIMEOUT_MS,
  };
}

/**
 * The folder of the socket: in the data folder, or a short private one under /tmp where the path would be too long for
 * the kernel or holds a character that separates addresses.
 */
async function ensureSocketFolder(folder: string, user: UnixUser | undefined): Promise<string> {
  const inFolder = clusterPaths(folder).socket;
  const path = join(inFolder, `.s.PGSQL.${PORT}`);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX && !/[",:]/.test(path)) {
    return await ensurePrivateFolder(inFolder, user);
  }
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  const short = `/tmp/turnpike-${hash}`;
  try {
    return await ensurePrivateFolder(short, user);
  } catch {
    // The name is taken; a random one cannot be, and is written into postmaster.pid.
    const random = await mkdtemp(`${short}-`);
    return await ensurePrivateFolder(random, user);
  }
}

async function ensurePrivateFolder(path: string, user: UnixUser | undefined): Promise<string> {
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") {
        return false;
      }
      throw error;
    },
  );
  const found = await lstat(path);
  const ownUid = process.getuid?.() ?? 0;
  if (user !== undefined && found.isDirectory() && found.uid === ownUid) {
    await chown(path, user.uid, user.gid);
  }
  const uid = user?.uid ?? ownUid;
  const isPrivate = found.isDirectory() && (found.mode & 0o077) === 0;
  if (!isNew && !(isPrivate && (found.uid === uid || found.uid === ownUid))) {
    throw new StartupError({
      code: "DATA_FOLDER_EXPOSED",
      message: `${path} is not a private folder of the database's user`,
      hint: "Remove it and start again",
    });
  }
  return path;
}

/** Removes the folder of the socket when it lies outside the data folder. */
export async function removeShortSocketFolder(plan: PostgresPlan): Promise<void> {
  if (dirname(plan.connection.host) !== plan.folder) {
    // Not empty only when the server was killed; the folder is then found and used again.
    await rmdir(plan.connection.host).catch(() => undefined);
  }
}
