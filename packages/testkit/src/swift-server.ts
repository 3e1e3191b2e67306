import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { hasProgram, type LoggedProgram, startLogged } from "./cluster/logged-program.ts";
import { THIS_MACHINE } from "./cluster/place.ts";
import { findFreePort } from "./find-free-port.ts";
import type { ForeignS3Server } from "./foreign-s3-server.ts";
import { pollUntil } from "./poll-until.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** What keeps accounts, their buckets and the objects in these. */
const KEEPERS = ["account", "container", "object"] as const;
const RING_BUILDER = "swift-ring-builder";
const PROGRAMS = [RING_BUILDER, ...[...KEEPERS, "proxy"].map((kind) => `swift-${kind}-server`)];
const REGION = "eu-central-1";
const SECRET = "a-secret-key-that-only-tests-use";
/** The fewest that Swift takes; one disk has all of them. */
const PARTITION_POWER = 2;
const FILTERS = [
  ...["catch_errors", "gatekeeper", "healthcheck", "cache", "listing_formats", "s3api"],
  ...["tempauth", "bulk", "copy", "slo", "dlo"],
];

const missing = PROGRAMS.find((name) => !hasProgram(name));
/** Why tests that need Swift are skipped, or undefined where it is installed. */
export const SWIFT_MISSING =
  missing === undefined
    ? undefined
    : `${missing} is not installed: apt-get install swift-proxy swift-account swift-container swift-object`;

type Sections = Readonly<Record<string, Readonly<Record<string, string | number>>>>;

function toIni(sections: Sections): string {
  return Object.entries(sections)
    .map(([name, settings]) => {
      const lines = Object.entries(settings).map(([key, value]) => `${key} = ${String(value)}`);
      return [`[${name}]`, ...lines, ""].join("\n");
    })
    .join("\n");
}

/**
 * Starts the OpenStack Swift of this machine as a store that speaks S3: one copy of everything, one process each for accounts, containers, objects and the door. Only
 * where {@link SWIFT_MISSING} is undefined.
 *
 * @param options.pageSize - Keys of a page of a listing.
 */
export async function startSwiftServer({
  pageSize,
}: {
  pageSize: number;
}): Promise<ForeignS3Server> {
  const folder = await makeTempFolder();
  const programs: LoggedProgram[] = [];
  const devices = join(folder.path, "devices");
  const logPath = join(folder.path, "swift.log");
  await mkdir(join(devices, "disk"), { recursive: true });

  const settingsOf = (port: number) => ({
    bind_ip: THIS_MACHINE.host,
    bind_port: port,
    // One process, which is the one that is ended.
    workers: 0,
    user: userInfo().username,
    swift_dir: folder.path,
    devices,
    mount_check: "false",
    fallocate_reserve: 0,
  });

  async function start(kind: string, sections: Sections): Promise<void> {
    const path = join(folder.path, `${kind}-server.conf`);
    await writeFile(path, toIni(sections));
    const command = [`swift-${kind}-server`, path, "--verbose"];
    programs.push(await startLogged({ command, place: THIS_MACHINE, logPath }));
  }

  async function startKeeper(kind: (typeof KEEPERS)[number]): Promise<void> {
    const port = await findFreePort();
    const builder = join(folder.path, `${kind}.builder`);
    const build = (...args: string[]) => execFileSync(RING_BUILDER, [builder, ...args]);
    build("create", String(PARTITION_POWER), "1", "0");
    build("add", `r1z1-${THIS_MACHINE.host}:${String(port)}/disk`, "1");
    build("rebalance");
    await start(kind, {
      DEFAULT: settingsOf(port),
      "pipeline:main": { pipeline: `${kind}-server` },
      // A listing has an object as soon as its write is answered, however busy the machine is.
      [`app:${kind}-server`]: { use: `egg:swift#${kind}`, container_update_timeout: 60 },
    });
  }

  async function close(): Promise<void> {
    await Promise.all(programs.map((program) => program.stop("SIGKILL")));
    await folder[Symbol.asyncDispose]();
  }

  const port = await findFreePort();
  const url = `http://${THIS_MACHINE.host}:${String(port)}`;
  const readLog = () => readFile(logPath, "utf8");
  try {
    for (const kind of KEEPERS) {
      await startKeeper(kind);
    }
    await start("proxy", {
      DEFAULT: settingsOf(port),
      "pipeline:main": { pipeline: [...FILTERS, "proxy-server"].join(" ") },
      "app:proxy-server": { use: "egg:swift#proxy", account_autocreate: "true" },
      ...Object.fromEntries(
        FILTERS.map((name) => [`filter:${name}`, { use: `egg:swift#${name}` }]),
      ),
      // None listens there: nothing is remembered between two requests.
      "filter:cache": { use: "egg:swift#memcache", memcache_servers: "127.0.0.1:1" },
      "filter:s3api": {
        use: "egg:swift#s3api",
        location: REGION,
        max_bucket_listing: pageSize,
        cors_preflight_allow_origin: "*",
      },
      "filter:tempauth": { use: "egg:swift#tempauth", user_acme_turnpike: `${SECRET} .admin` },
    });
    await pollUntil("Swift answers", async () => {
      const ended = programs.find((program) => program.hasEnded());
      if (ended !== undefined) {
        throw new Error(`A process of Swift ended: ${await ended.ended}. ${await readLog()}`);
      }
      const answer = await fetch(`${url}/healthcheck`).catch(() => undefined);
      return answer?.ok === true;
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    keys: { accessKeyId: "acme:turnpike", secretAccessKey: SECRET, region: REGION },
    close,
  };
}
