import { execFile } from "node:child_process";
import { chmod, copyFile, cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { hasProgram } from "@turnpike/testkit/cluster/logged-program";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, "..");
/** The image that the Dockerfile begins with, by the name it has there. */
const BASE = "docker.io/library/node:24-bookworm-slim";
const NODE_USER_ID = 1000;
const READY_DEADLINE_MS = 600_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const CERTIFICATES = "etc/ssl/certs/ca-certificates.crt";

const whyNot = () =>
  process.getuid?.() === 0
    ? ["buildah", "debootstrap"].find((program) => !hasProgram(program))
    : "root";

/** The image is built with the package registry and the proxies of this machine. */
const registrySettings = () =>
  Object.entries(process.env).flatMap(([name, value]) =>
    /^(.*_proxy|npm_config_registry)$/i.test(name) ? [`--build-arg=${name}=${value ?? ""}`] : [],
  );

/** What the published image of Node has: Debian, Node, npm, and the user `node`. */
async function makeBase(folder: string): Promise<void> {
  const root = join(folder, "root");
  await run("debootstrap", ["--variant=minbase", "--include=ca-certificates", "bookworm", root], {
    maxBuffer: OUTPUT_MAX_BYTES,
  });
  await copyFile(join("/", CERTIFICATES), join(root, CERTIFICATES));
  await copyFile(process.execPath, join(root, "usr/local/bin/node"));
  await chmod(join(root, "usr/local/bin/node"), 0o755);
  const { stdout } = await run("sh", ["-c", "command -v npm"]);
  const npm = dirname(dirname(await realpath(stdout.trim())));
  const modules = join(root, "usr/local/lib/node_modules");
  await mkdir(modules, { recursive: true });
  await cp(npm, join(modules, "npm"), { recursive: true });
  for (const name of ["npm", "npx"]) {
    const target = `../lib/node_modules/npm/bin/${name}-cli.js`;
    await symlink(target, join(root, "usr/local/bin", name));
  }
  const id = String(NODE_USER_ID);
  await run("chroot", [root, "groupadd", "--gid", id, "node"]);
  await run("chroot", [root, "useradd", "--uid", id, "--gid", id, "--create-home", "node"]);
  await run("tar", ["-C", root, "-cf", join(folder, "root.tar"), "."]);
  await writeFile(
    join(folder, "Dockerfile"),
    `FROM scratch\nADD root.tar /\nENV NODE_EXTRA_CA_CERTS=/${CERTIFICATES}\n`,
  );
}

it("builds the image, serves as a user that is not root, and stops when it is asked to", async ({
  skip,
}) => {
  const missing = whyNot();
  skip(missing !== undefined, `needs ${String(missing)}`);
  const folder = await makeTempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  // Debian's packages belong to users of the image, who must be able to enter.
  await chmod(folder.path, 0o755);
  const store = ["--root", join(folder.path, "store"), "--runroot", join(folder.path, "run")];
  const buildah = async (...args: string[]) =>
    await run("buildah", [...store, "--storage-driver", "vfs", ...args], {
      cwd: ROOT,
      env: { ...process.env, BUILDAH_ISOLATION: "chroot" },
      maxBuffer: OUTPUT_MAX_BYTES,
    });
  const { stdout: openFiles } = await run("sh", ["-c", "ulimit -Hn"]);
  const limits = /^\d+$/.test(openFiles.trim())
    ? [`--ulimit=nofile=${openFiles.trim()}:${openFiles.trim()}`]
    : [];
  const build = async (dockerfile: string, name: string, context: string) =>
    await buildah(
      ...["bud", "--pull-never", "--format", "docker", ...limits, ...registrySettings()],
      ...["--file", dockerfile, "--tag", name, context],
    );
  await makeBase(folder.path);
  await build(join(folder.path, "Dockerfile"), BASE, folder.path);
  // Only what is committed, as a clone has it.
  const source = join(folder.path, "source");
  await run("git", ["clone", "--quiet", ROOT, source]);
  await build(join(source, "packaging/container/Dockerfile"), "turnpike", source);

  const container = (await buildah("from", "--pull-never", "localhost/turnpike")).stdout.trim();
  const [port, gatewayPort] = [await findFreePort(), await findFreePort()];
  const settings = [`PORT=${String(port)}`, `GATEWAY_PORT=${String(gatewayPort)}`];
  const image = JSON.parse((await buildah("inspect", container)).stdout).Docker.config;
  expect(image).toMatchObject({ User: "node", Volumes: { "/data": {} } });
  const inside = ["run", ...settings.map((each) => `--env=${each}`), container, "--"];
  const ended = buildah(...inside, ...image.Entrypoint, ...image.Cmd).catch(
    (error: unknown) => error,
  );
  const reply = await pollUntil(
    "the product in the container is ready",
    async () => {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).catch(
        () => undefined,
      );
      return answer?.ok === true ? answer : undefined;
    },
    READY_DEADLINE_MS,
  );
  expect(await reply.json()).toMatchObject({ status: "ready" });
  const show = async (...command: string[]) => (await buildah(...inside, ...command)).stdout.trim();
  expect(await show("id", "-u")).toBe(String(NODE_USER_ID));
  // Chroots of a machine share its processes, so its own port is what the health check of the image asks.
  const [, ...check] = image.Healthcheck.Test as string[];
  await buildah(...inside, ...check.map((part) => part.replace(":3000", `:${String(port)}`)));
  const pid = Number(await show("cat", "/data/turnpike.pid"));
  process.kill(pid, "SIGTERM");
  expect(await ended).toMatchObject({ stdout: expect.stringContaining("Turnpike is ready.") });
  await expect(fetch(`http://127.0.0.1:${String(port)}/health/ready`)).rejects.toThrow();
});
