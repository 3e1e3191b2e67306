import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let home: ProductHome;
let smtp: SmtpServer;
let folder: TempFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
  smtp = await startSmtpServer();
  folder = await makeTempFolder();
  await writeFile(
    join(folder.path, "turnpike.yaml"),
    `brand: { name: Acme }\nmail: { smtp: { host: 127.0.0.1, port: ${String(smtp.port)} } }\n`,
  );
});
afterAll(async () => {
  await smtp.close();
  await folder[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  await database.close();
});

describe("turnpike mail test", () => {
  it("sends through the configured server, and fails with its answer in plain words", async () => {
    const turnpike = createCommandLine({
      env: home.environment,
      workingFolder: folder.path,
    });
    smtp.answer("BODY", "250 2.0.0 queued as 4Dz1");
    const sent = await turnpike("mail", "test", "ada@example.test");
    expect(sent.stdout).toMatch(/Result +accepted\n[\s\S]*Server +250 2\.0\.0 queued as 4Dz1/);
    expect(sent.code).toBe(0);
    expect(smtp.mails[0]).toMatchObject({ to: ["ada@example.test"] });
    expect(smtp.mails[0]?.data).toContain("Subject: Acme: test mail");

    smtp.answer("RCPT", "550 5.7.1 relaying denied");
    const refused = await turnpike("mail", "test", "ada@example.test", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      outcome: "failed",
      explanation: expect.stringMatching(/rules of the server/),
    });
    expect((await turnpike("mail", "test", "no-address")).code).toBe(2);
  });
});

describe("turnpike tenants update", () => {
  it("leaves a mail to the owners, with the reason, for the product to send", async () => {
    const turnpike = createCommandLine({ env: home.environment, workingFolder: folder.path });
    const { tenantId } = JSON.parse(
      (await turnpike("tenants", "create", "--name", "Blue", "--json")).stdout,
    );
    const ensured = await turnpike(
      "users",
      "ensure",
      "--issuer",
      "https://idp.test",
      "--subject",
      "1",
      "--email",
      "ada@example.test",
      "--json",
    );
    const { userId } = JSON.parse(ensured.stdout);
    await database.sql`update users set email_verified = true where user_id = ${userId}`;
    await turnpike("members", "put", "--tenant", tenantId, userId, "--role", "owner");
    const suspended = await turnpike(
      "tenants",
      "update",
      tenantId,
      "--suspend",
      "--reason",
      "A leaked key.",
    );
    expect(suspended).toMatchObject({ code: 0 });
    expect(suspended.stdout).toMatch(/A leaked key\./);
    const mails = await database.sql<{ recipient: string; subject: string; body: string }[]>`
      select recipient, subject, body from mails where kind = 'tenant.suspended'
        and exists (select from pgboss.job where data ->> 'mailId' = mail_id and state = 'created')`;
    expect([...mails]).toMatchObject([
      { recipient: "ada@example.test", subject: "Acme: your tenant is suspended" },
    ]);
    expect(mails[0]?.body).toContain("“A leaked key.”");
  });
});
