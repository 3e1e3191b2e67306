import { chmod, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const PLACE = "/dev/shm";
/** What the databases, profiles and logs of a run take at most, with as much again to spare. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Tells whether temporary files of tests may be kept in memory: the place is a file system in memory on which programs may be run,
 * and both it and the machine have room.
 *
 * @param {{ mounts: string, freeBytes: number, memoryBytes: number }} machine `mounts` is `/proc/mounts`.
 */
export function hasRoomInMemory({ mounts, freeBytes, memoryBytes }) {
  const mount = mounts
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, place]) => place === PLACE);
  const [, , type, options = ""] = mount ?? [];
  return (
    type === "tmpfs" &&
    !options.split(",").some((option) => option === "noexec" || option === "ro") &&
    freeBytes >= ROOM_BYTES &&
    memoryBytes >= ROOM_BYTES
  );
}

/**
 * Makes a folder in memory for the temporary files of a run. To copy the template of a database takes a seventh of the time there.
 *
 * @returns {Promise<{ path: string, remove: () => Promise<void> } | undefined>} Nothing where a machine has no room for it.
 */
export async function makeMemoryFolder() {
  try {
    const [mounts, { bavail, bsize }] = await Promise.all([
      readFile("/proc/mounts", "utf8"),
      statfs(PLACE),
    ]);
    const memoryBytes = process.availableMemory();
    if (!hasRoomInMemory({ mounts, freeBytes: bavail * bsize, memoryBytes })) {
      return;
    }
    const path = await mkdtemp(join(PLACE, "turnpike-run-"));
    // Like any folder for temporary files: PostgreSQL has a user of its own.
    await chmod(path, 0o1777);
    return { path, remove: () => rm(path, { recursive: true, force: true }) };
  } catch {
    // Other systems keep nothing there.
    return;
  }
}
