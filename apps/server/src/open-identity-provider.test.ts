import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memberKeys } from "#modules/keys/index.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import { readConfig } from "./config.ts";
import { openIdentityProvider } from "./open-identity-provider.ts";
import { openSso, readIdentitySecret } from "./open-sso.ts";

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database.close();
});

const CONSOLE_URL = "http://console.test";

async function open(env: Record<string, string> = {}) {
  const services = createLiveServices(database);
  const config = readConfig(
    { TURNPIKE_DATA_DIR: folder.path, ...env },
    { isRoot: false, workingFolder: folder.path },
  );
  const queue = await openJobQueue({ target: database.target, logger: services.logger });
  const identitySecret = await readIdentitySecret(config);
  const provider = await openIdentityProvider({
    installation: { config, services },
    jobs: queue,
    consoleUrl: CONSOLE_URL,
    identitySecret,
    sso: openSso({ config, services, memberKeys }, { consoleUrl: CONSOLE_URL, identitySecret }),
  });
  if (provider === undefined) {
    throw new Error("There is no built-in sign-in.");
  }
  return {
    provider,
    close: async () => {
      await provider.stop();
      await queue.close();
    },
  };
}

describe("the built-in sign-in of an installation", () => {
  it("keeps its secret in the secrets folder, where no other user can read it", async () => {
    const { provider, close } = await open();
    const path = join(folder.path, "secrets", "identity-secret");
    expect((await readFile(path, "utf8")).length).toBeGreaterThanOrEqual(32);
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect(provider).toMatchObject({ issuer: `${CONSOLE_URL}/idp`, clientId: "console" });
    await close();
  });

  it("takes its secret from the environment, beside a machine that has its own", async () => {
    const own = await open();
    const secret = "another secret that is as long as it must be";
    const other = await open({ TURNPIKE_IDENTITY_SECRET: secret });
    const [ours] = own.provider.publicKeys();
    expect(other.provider.publicKeys().map(({ kid }) => kid)).toContain(ours?.kid);
    expect(other.provider.publicKeys()[0]?.kid).not.toBe(ours?.kid);
    await Promise.all([own.close(), other.close()]);
  });

  it("queues its mails like every other", async () => {
    const { provider, close } = await open();
    await database.sql`
      insert into accounts (
        account_id, email, email_verified, name, password_hash, password_changed_at, mail_window_started_at, created_at,
        updated_at)
      values ('acc_1', 'ada@example.test', true, E'Ada\r\nBcc: x', 'none', now(), now(), now(), now())`;
    const server = createServer((req, res) => {
      provider.handle(req, res).catch(() => res.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${String(port)}/idp/password/forgot`, {
      method: "POST",
      headers: { origin: CONSOLE_URL, "content-type": "application/json" },
      body: JSON.stringify({ email: "ada@example.test" }),
    });
    expect(reply.status).toBe(202);
    await provider.settle();
    const [mail] = await database.sql`select recipient, kind, state, subject, body from mails`;
    expect(mail).toMatchObject({
      recipient: "ada@example.test",
      kind: "reset-password",
      state: "queued",
      subject: "Reset your password for Turnpike",
    });
    expect(mail?.["body"]).toMatch(/^Hello Ada Bcc: x,\n/);
    expect(mail?.["body"]).toMatch(/\nhttp:\/\/console\.test\/login#reset=[A-Za-z0-9_-]{43}\n/);
    server.close();
    server.closeAllConnections();
    await close();
  });
});
