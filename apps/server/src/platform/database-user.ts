import { chmod, chown, stat } from "node:fs/promises";
import { join } from "node:path";
import { clusterPaths } from "./postgres-cluster.ts";
import { StartupError } from "./startup-error.ts";
import { canUserAccess, describeUser, findUser, type UnixUser } from "./unix-user.ts";

/** Tried in this order when root names no user. */
const USUAL_USERS = ["turnpike", "postgres", "nobody"] as const;

const ROOT_UID = 0;

/**
 * Decides who runs the database. PostgreSQL refuses to be root, so root hands it to the owner of the database that is
 * there, else to the configured user, else to the first of `turnpike`, `postgres` and `nobody` that exists. Anybody else
 * runs it as themselves.
 *
 * @returns Undefined for the user of this process.
 * @throws {StartupError} `DATABASE_USER_MISSING`; `DATA_FOLDER_NOT_WRITABLE` when the database belongs to another user.
 */
export async function chooseDatabaseUser(
  folder: string,
  configured: string | undefined,
): Promise<UnixUser | undefined> {
  const ownUid = process.getuid?.() ?? ROOT_UID;
  const cluster = clusterPaths(folder).cluster;
  const owner = await stat(join(cluster, "PG_VERSION")).catch(() => undefined);
  if (ownUid !== ROOT_UID) {
    if (owner !== undefined && owner.uid !== ownUid) {
      throw await foreignDatabase(cluster, owner.uid);
    }
    return undefined;
  }
  if (owner?.uid === ROOT_UID) {
    throw new StartupError({
      code: "DATABASE_USER_MISSING",
      message: `The database in ${cluster} belongs to root, and PostgreSQL refuses to run as root`,
      hint: `Give it to another user: \`chown -R postgres ${cluster}\``,
    });
  }
  return owner === undefined
    ? await findDatabaseUser(configured)
    : { uid: owner.uid, gid: owner.gid };
}

async function foreignDatabase(cluster: string, uid: number): Promise<StartupError> {
  const name = await describeUser(uid);
  return new StartupError({
    code: "DATA_FOLDER_NOT_WRITABLE",
    message: `The database in ${cluster} belongs to ${name}`,
    hint: `Start Turnpike as ${name}, or set TURNPIKE_DATA_DIR to a folder of your own`,
  });
}

async function findDatabaseUser(configured: string | undefined): Promise<UnixUser> {
  const names = configured === undefined ? USUAL_USERS : [configured];
  for (const name of names) {
    const user = await findUser(name);
    if (user !== undefined && user.uid !== ROOT_UID) {
      return user;
    }
  }
  throw new StartupError({
    code: "DATABASE_USER_MISSING",
    message: `PostgreSQL refuses to run as root, and there is no other user named ${names.join(", ")}`,
    hint: "Create one (`useradd --system turnpike`) or name one in TURNPIKE_DATABASE_USER",
  });
}

/**
 * Lets the database's user pass through the data folder, by its group and without reading it.
 *
 * @throws {StartupError} `DATA_FOLDER_NOT_ENTERABLE` when a folder above shuts that user out.
 */
export async function ensureUserCanEnter(folder: string, user: UnixUser): Promise<void> {
  if (await canUserAccess(user, "-x", folder)) {
    return;
  }
  const { uid } = await stat(folder);
  if (uid === ROOT_UID) {
    await chown(folder, ROOT_UID, user.gid);
    await chmod(folder, 0o710);
  }
  if (!(await canUserAccess(user, "-x", folder))) {
    const name = await describeUser(user.uid);
    throw new StartupError({
      code: "DATA_FOLDER_NOT_ENTERABLE",
      message: `The database runs as ${name}, who cannot enter the data folder ${folder}`,
      hint: `Set TURNPIKE_DATA_DIR to a folder that ${name} can reach, such as one under /var/lib, or TURNPIKE_DATABASE_USER to a user who can enter this one`,
    });
  }
}
