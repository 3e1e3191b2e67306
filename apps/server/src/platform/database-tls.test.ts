import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openJobQueue } from "./job-queue.ts";
import { createLogger } from "./logger.ts";
import { openDatabase } from "./open-database.ts";

/** Of the system; without it these tests are left out. */
const OPENSSL = "openssl";
const logger = createLogger({ level: "silent" });

/** `SSLRequest` of the protocol, before which a client says nothing. */
const SSL_REQUEST_BYTES = 8;

let database: TestDatabase;
let folder: TempFolder;
let authority: string;
let encrypted = 0;
/** Speaks TLS in front of the database of the test run, with a certificate that only its own authority vouches for. */
const server = createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.once("readable", () => {
    socket.read(SSL_REQUEST_BYTES);
    socket.write("S");
    const secured = new TLSSocket(socket, {
      isServer: true,
      key: readFileSync(join(folder.path, "key.pem")),
      cert: readFileSync(authority),
    });
    const { host, port } = database.target;
    const behind = connect(join(host, `.s.PGSQL.${String(port)}`));
    secured.on("secure", () => {
      encrypted += 1;
    });
    secured.on("error", () => behind.destroy());
    behind.on("error", () => secured.destroy());
    secured.pipe(behind).pipe(secured);
  });
});

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  authority = join(folder.path, "cert.pem");
  execFileSync(OPENSSL, [
    ...["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test"],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ...["-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", join(folder.path, "key.pem"), "-out", authority],
  ]);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

function urlOf(host: string, tls: string): string {
  const { user, password, database: name } = database.target;
  const { port } = server.address() as AddressInfo;
  return `postgres://${user}:${password}@${host}:${String(port)}/${name}?${tls.replace("FILE", encodeURIComponent(authority))}`;
}

/** Each driver's word on an address: undefined, or why it does not open. */
async function openByBoth(url: string): Promise<(string | undefined)[]> {
  const target = { url };
  const opening = [
    openDatabase({ target, applicationName: "test", connectionsMax: 1 }),
    openJobQueue({ target, logger }),
  ];
  const outcomes = await Promise.allSettled(opening);
  return await Promise.all(
    outcomes.map(async (outcome) => {
      if (outcome.status === "rejected") {
        expect(outcome.reason).toMatchObject({ code: "DATABASE_UNREACHABLE" });
        return String(outcome.reason.message);
      }
      await outcome.value.close();
      return undefined;
    }),
  );
}

describe.skipIf(spawnSync(OPENSSL, ["version"]).status !== 0)("a database behind TLS", () => {
  it.each([
    ["localhost", "sslmode=require"],
    ["localhost", "sslmode=require&sslrootcert=FILE"],
    ["127.0.0.1", "sslmode=verify-ca&sslrootcert=FILE"],
    ["localhost", "sslmode=verify-full&sslrootcert=FILE"],
    ["localhost", "sslrootcert=FILE"],
  ])("is taken by both drivers at %s with %s", async (host, tls) => {
    const before = encrypted;
    expect(await openByBoth(urlOf(host, tls))).toEqual([undefined, undefined]);
    expect(encrypted).toBeGreaterThan(before + 1);
  });

  it.each([
    ["localhost", "sslmode=verify-full", /self-signed certificate/],
    ["localhost", "sslmode=verify-ca&sslrootcert=system", /self-signed certificate/],
    ["127.0.0.1", "sslmode=verify-full&sslrootcert=FILE", /IP: 127\.0\.0\.1 is not in the cert/],
    ["localhost", "sslmode=verify-full&sslrootcert=/nonexistent.pem", /\/nonexistent\.pem/],
  ])("is refused by both at %s with %s, in a line that says why", async (host, tls, why) => {
    const reasons = await openByBoth(urlOf(host, tls));
    expect(reasons).toEqual([expect.stringMatching(why), expect.stringMatching(why)]);
  });
});
