import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasProgram, type LoggedProgram, startLogged } from "./cluster/logged-program.ts";
import { THIS_MACHINE } from "./cluster/place.ts";
import { findFreePort } from "./find-free-port.ts";
import type { ForeignS3Server } from "./foreign-s3-server.ts";
import { pollUntil } from "./poll-until.ts";
import { makeTempFolder } from "./temp-folder.ts";

const MAP_MAKER = "monmaptool";
const PROGRAMS = [MAP_MAKER, "ceph-mon", "ceph-osd", "ceph", "radosgw", "radosgw-admin"];
const KEYS = {
  accessKeyId: "AKIDTESTS",
  secretAccessKey: "a-secret-key-that-only-tests-use",
  region: "us-east-1",
};
const MEMORY_BYTES = 1024 * 1024 * 1024;
/** Of one command to the cluster: on a busy machine its parts come up slowly. */
const COMMAND_LIMIT_MS = 120_000;

const missing = PROGRAMS.find((name) => !hasProgram(name));
/** Why tests that need Ceph are skipped, or undefined where it is installed. */
export const CEPH_MISSING =
  missing === undefined
    ? undefined
    : `${missing} is not installed: apt-get install ceph-mon ceph-osd radosgw`;

const toSettings = (folder: string, monitorPort: number, clusterId: string) => `[global]
fsid = ${clusterId}
mon host = v1:${THIS_MACHINE.host}:${String(monitorPort)}
mon initial members = a
public addr = ${THIS_MACHINE.host}
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
mon allow pool size one = true
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${String(MEMORY_BYTES)}
osd class update on start = false
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 2
rgw data = ${folder}/rgw
run dir = ${folder}
crash dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
mon cluster log file = ${folder}/cluster.log
`;

/**
 * Starts the Ceph of this machine as a store that speaks S3: one monitor, one store of objects in memory, and the gateway. Only where
 * {@link CEPH_MISSING} is undefined.
 */
export async function startCephServer(): Promise<ForeignS3Server> {
  const folder = await makeTempFolder();
  const programs: LoggedProgram[] = [];
  const at = (name: string) => join(folder.path, name);
  const settings = at("ceph.conf");
  const logPath = at("programs.log");
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, ["-c", settings, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: COMMAND_LIMIT_MS,
    });
  const start = async (program: string, ...args: string[]) => {
    const command = [program, "-c", settings, ...args, "-f"];
    programs.push(await startLogged({ command, place: THIS_MACHINE, logPath }));
  };

  async function startCluster(): Promise<void> {
    const clusterId = randomUUID();
    const monitorPort = await findFreePort();
    const monitor = `v1:${THIS_MACHINE.host}:${String(monitorPort)}/0`;
    await writeFile(settings, toSettings(folder.path, monitorPort, clusterId));
    await Promise.all(["mon", "osd"].map((name) => mkdir(at(name))));
    execFileSync(MAP_MAKER, ["--create", "--addv", "a", monitor, "--fsid", clusterId, at("map")], {
      stdio: "ignore",
    });
    run("ceph-mon", "--mkfs", "-i", "a", "--monmap", at("map"));
    await start("ceph-mon", "-i", "a");
    const storeId = randomUUID();
    run("ceph", "osd", "create", storeId);
    run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", storeId);
    await start("ceph-osd", "-i", "0");
  }

  async function close(): Promise<void> {
    await Promise.all(programs.map((program) => program.stop("SIGKILL")));
    await folder[Symbol.asyncDispose]();
  }

  const port = await findFreePort();
  const url = `http://${THIS_MACHINE.host}:${String(port)}`;
  try {
    await startCluster();
    const door = `beast endpoint=${THIS_MACHINE.host}:${String(port)}`;
    await start("radosgw", "-n", "client.rgw.a", "--rgw-frontends", door);
    await pollUntil("Ceph answers", async () => {
      const ended = programs.find((program) => program.hasEnded());
      if (ended !== undefined) {
        throw new Error(
          `A process of Ceph ended: ${await ended.ended}. ${await readFile(logPath, "utf8")}`,
        );
      }
      const answer = await fetch(url).catch(() => undefined);
      return answer?.ok === true;
    });
    run(
      "radosgw-admin",
      ...["user", "create", "--uid=turnpike", "--display-name=Turnpike"],
      ...[`--access-key=${KEYS.accessKeyId}`, `--secret=${KEYS.secretAccessKey}`],
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { url, keys: KEYS, close };
}
