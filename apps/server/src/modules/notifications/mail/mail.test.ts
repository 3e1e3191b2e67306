import { mail as mailSchema } from "@turnpike/contract/notifications";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { AppServices } from "#platform/app-services.ts";
import { registerJob } from "#platform/define-job.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { startJobRunner } from "#platform/job-runner.ts";
import { createLogger } from "#platform/logger.ts";
import { createOutboxRawRoutes, createOutboxRoutes } from "../notifications.routes.ts";
import { pruneNotifications } from "../prune-notifications.ts";
import { deliverMail, deliverMailJob } from "./deliver-mail.ts";
import {
  createMailTransport,
  hashRecipient,
  MailDeliveryError,
  type MailSettings,
} from "./mail-transport.ts";
import { type MailInput, sendMail } from "./send-mail.ts";

describe("mail", () => {
  let database: TestDatabase;
  let services: AppServices;
  let queue: JobQueue & { close(): Promise<void> };
  let smtp: SmtpServer;
  let api: ApiFixture;
  const lines: string[] = [];
  const from = "turnpike@sender.test";
  const invitation = {
    to: "ada@example.test",
    subject: "Welcome",
    text: "Hello,\nfollow https://console.test/join?token=geheim\n.\nBye",
    kind: "invitation",
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    services = {
      ...createLiveServices(database),
      logger: createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }),
    };
    queue = await openJobQueue({ target: database.target, logger: services.logger });
    smtp = await startSmtpServer();
    const actors: Record<string, Actor> = {
      operator: { type: "operator", id: "op" },
      program: { type: "service_key", id: "svc_1", scopes: ["outbox:read"] },
      other: { type: "service_key", id: "svc_2", scopes: ["tenants:read"] },
      key: {
        type: "key",
        id: "key_1",
        tenantId: await insertTestTenant(database.sql),
        scopes: ["outbox:read"],
      },
    };
    api = await serveModule({
      router: { outbox: createOutboxRoutes(services) },
      rawRoutes: createOutboxRawRoutes(services),
      actors,
    });
  });
  beforeEach(() => {
    smtp.mails.length = 0;
    for (const command of ["MAIL", "RCPT", "DATA", "BODY"] as const) {
      smtp.answer(command);
    }
  });
  afterAll(async () => {
    await api.close();
    await smtp.close();
    await queue.close();
    await database.close();
  });

  const send = (input: Partial<MailInput> = {}) =>
    services.transact.asOperator((tx) =>
      sendMail({ ...services, jobs: queue }, tx, { ...invitation, ...input }),
    );
  const smtpSettings = (port = smtp.port): MailSettings => ({
    from,
    smtp: { host: "127.0.0.1", port, secure: false },
  });

  async function deliver(
    mailId: string,
    options: { settings?: MailSettings; isLast?: boolean } = {},
  ): Promise<void> {
    const mailTransport = createMailTransport(options.settings ?? smtpSettings(), services.logger);
    try {
      await deliverMail(
        { ...services, mailTransport },
        { mailId },
        { isLast: options.isLast ?? false },
      );
    } finally {
      mailTransport.close();
    }
  }

  async function outbox(query = ""): Promise<{ items: unknown[]; nextCursor: string | null }> {
    const answer = await api.call("program", "GET", `/v1/outbox${query}`);
    expect(answer.status).toBe(200);
    return await answer.json();
  }
  async function find(mailId: string) {
    const { items } = await outbox("?limit=100");
    return items.map((item) => mailSchema.parse(item)).find((item) => item.mailId === mailId);
  }

  it("sends a mail exactly as written, and then erases its text", async () => {
    const { mailId } = await send();
    expect(await find(mailId)).toMatchObject({
      state: "queued",
      attempts: 0,
      text: invitation.text,
    });
    await deliver(mailId);
    expect(smtp.mails).toHaveLength(1);
    const [received] = smtp.mails;
    expect(received).toMatchObject({ from, to: [invitation.to] });
    const [head = "", body = ""] = (received?.data ?? "").split("\r\n\r\n");
    expect(head).toContain("Subject: Welcome\r\n");
    expect(head).toContain(`Message-ID: <${mailId}@sender.test>`);
    expect(body.trimEnd()).toBe(invitation.text.replaceAll("\n", "\r\n"));
    expect(await find(mailId)).toMatchObject({
      state: "sent",
      attempts: 1,
      text: null,
      lastError: null,
    });
  });

  it("sends files and HTML with the text, keeps them until a server takes the mail, and then erases them", async () => {
    const pdf = Buffer.from("%PDF-1.7\n\u0000 ä files of any bytes");
    const { mailId } = await send({
      html: "<p>Hello</p>",
      attachments: [{ name: "Rechnung ä.pdf", mediaType: "application/pdf", content: pdf }],
    });
    const download = async (actor = "program", position: string | number = 1) =>
      await api.call(actor, "GET", `/v1/outbox/${mailId}/attachments/${String(position)}`);
    // The server is down: nothing is lost.
    smtp.answer("MAIL", "451 later");
    await expect(deliver(mailId)).rejects.toThrow(MailDeliveryError);
    expect((await find(mailId))?.attachments).toEqual([
      {
        ...{ position: 1, name: "Rechnung ä.pdf", mediaType: "application/pdf" },
        ...{ bytes: pdf.byteLength, isKept: true },
      },
    ]);
    const answer = await download();
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    const file = await fetch(`${api.url}/v1/outbox/${mailId}/attachments/1`, {
      headers: { authorization: "Bearer program" },
    });
    expect(Buffer.from(await file.arrayBuffer()).equals(pdf)).toBe(true);
    expect((await download("other")).status).toBe(403);
    expect((await download("program", 2)).status).toBe(404);
    expect((await download("program", "1e0")).status).toBe(404);

    smtp.answer("MAIL");
    await deliver(mailId);
    await deliver(mailId);
    expect(smtp.mails).toHaveLength(1);
    const data = smtp.mails[0]?.data ?? "";
    expect(data.replaceAll("\r\n", "")).toContain(pdf.toString("base64"));
    expect(data).toContain("multipart/alternative");
    expect(data).toContain("<p>Hello</p>");
    expect(await find(mailId)).toMatchObject({ text: null, attachments: [{ isKept: false }] });
    expect((await download()).status).toBe(404);
  });

  it("sends a mail once, however often it is delivered", async () => {
    const { mailId } = await send();
    await deliver(mailId);
    await deliver(mailId);
    expect(smtp.mails).toHaveLength(1);
  });

  it("lets neither subject nor recipient add a header, nor a name reverse the subject", async () => {
    const { mailId } = await send({
      subject: "Hi \u202eevil\r\nBcc: all@example.test\u2028X-A: b",
    });
    await deliver(mailId);
    const head = smtp.mails[0]?.data.split("\r\n\r\n")[0] ?? "";
    expect(head.split("\r\n").filter((line) => /^(bcc|x-a)/i.test(line))).toEqual([]);
    expect(head).toContain("Subject: Hi evil Bcc: all@example.test X-A: b");
    expect(smtp.mails[0]?.to).toEqual([invitation.to]);
    for (const to of [
      "a@b.test\r\nBcc: c@d.test",
      "a@b.test, c@d.test",
      "Ada <a@b.test>",
      "a@b.test>\r\nRCPT TO:<c@d.test",
      "",
    ]) {
      await expect(send({ to })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    }
  });

  it("retries after a temporary refusal, keeps the text meanwhile, and gives the reason in one line", async () => {
    const { mailId } = await send();
    smtp.answer("RCPT", "450 try later", "250 ok");
    const failure = await deliver(mailId).catch((error: unknown) => error);
    // Logging this error must not log the address.
    services.logger.error({ err: failure }, "job failed");
    expect(failure).toBeInstanceOf(MailDeliveryError);
    const waiting = await find(mailId);
    expect(waiting).toMatchObject({ state: "queued", attempts: 1, text: invitation.text });
    expect(waiting?.lastError).toContain("450 try later");
    await deliver(mailId);
    expect(await find(mailId)).toMatchObject({ state: "sent", attempts: 2, lastError: null });
    expect(smtp.mails).toHaveLength(1);
  });

  it("gives up at once on a permanent refusal, otherwise after the last attempt", async () => {
    const refused = await send();
    smtp.answer("RCPT", "550 <ada@example.test>: no such user");
    await deliver(refused.mailId);
    expect(await find(refused.mailId)).toMatchObject({ state: "failed", attempts: 1 });
    smtp.answer("RCPT", "250 ok");
    await deliver(refused.mailId);
    expect(smtp.mails).toHaveLength(0);

    const unlucky = await send();
    smtp.answer("BODY", "451 disk full");
    await expect(deliver(unlucky.mailId, { isLast: true })).rejects.toThrow();
    expect(await find(unlucky.mailId)).toMatchObject({ state: "failed" });
  });

  it("retries when there is no answer at the mail server's address", async () => {
    const { mailId } = await send();
    const gone = await startSmtpServer();
    await gone.close();
    await expect(deliver(mailId, { settings: smtpSettings(gone.port) })).rejects.toThrow();
    expect(await find(mailId)).toMatchObject({ state: "queued", attempts: 1 });
  });

  it("takes turns by tenant: one tenant's mails do not hold up another's, nor those of new passwords", async () => {
    const flooding = "ten_flooding" as TenantId;
    const quiet = "ten_quiet" as TenantId;
    for (let number = 0; number < 12; number += 1) {
      await send({ subject: `Flood ${String(number)}`, tenantId: flooding });
    }
    await send({ subject: "Quiet", tenantId: quiet });
    await send({ subject: "New password", kind: "password" });
    const mailTransport = createMailTransport(smtpSettings(), services.logger);
    const runner = await startJobRunner({
      target: database.target,
      jobs: [
        registerJob({
          job: deliverMailJob,
          run: (payload, attempt) => deliverMail({ ...services, mailTransport }, payload, attempt),
        }),
      ],
      logger: services.logger,
    });
    const subjects = () =>
      smtp.mails.flatMap(
        ({ data }) => /^Subject: (Flood \d+|Quiet|New password)\r$/m.exec(data)?.[1] ?? [],
      );
    await pollUntil("all are sent", () => subjects().length === 14);
    await runner.stop(5_000);
    mailTransport.close();
    const flood = Array.from({ length: 12 }, (_, number) => `Flood ${String(number)}`);
    expect(subjects()).toEqual([flood[0], "Quiet", "New password", ...flood.slice(1)]);
  });

  it("never sends the password to a server without TLS", async () => {
    const { mailId } = await send();
    const settings: MailSettings = {
      from,
      smtp: { host: "127.0.0.1", port: smtp.port, secure: false, user: "turnpike" },
      smtpPassword: "geheim",
    };
    await expect(deliver(mailId, { settings })).rejects.toThrow();
    expect(smtp.mails).toHaveLength(0);
    expect((await find(mailId))?.lastError).toMatch(/TLS/i);
  });

  it("keeps a mail readable on the outbox page when there is no mail server", async () => {
    const { mailId } = await send();
    await deliver(mailId, { settings: { from } });
    expect(await find(mailId)).toMatchObject({ state: "sent", text: invitation.text });
    expect(smtp.mails).toHaveLength(0);
  });

  it("logs neither recipients nor texts, only a hash to find them by", () => {
    const log = lines.join("");
    expect(log).not.toContain("geheim");
    expect(log).not.toContain("ada@example.test");
    expect(log).toContain("job failed");
    expect(log).toContain(hashRecipient("ADA@example.test"));
  });

  it("sends nothing if the transaction is rolled back", async () => {
    const before = await database.sql`select count(*) from pgboss.job where name = 'mail.deliver'`;
    const rows = await database.sql`select count(*) from mails`;
    await services.transact
      .asOperator(async (tx) => {
        await sendMail({ ...services, jobs: queue }, tx, invitation);
        throw new Error("undo");
      })
      .catch(() => undefined);
    expect(await database.sql`select count(*) from pgboss.job where name = 'mail.deliver'`).toEqual(
      before,
    );
    expect(await database.sql`select count(*) from mails`).toEqual(rows);
  });

  it("cannot be read by the tenant role at all", async () => {
    const tenant = await insertTestTenant(database.sql);
    await expect(
      services.transact.asTenant(tenant, (tx) => tx`select * from mails`),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("lists newest first, page by page, only to operators and their programs", async () => {
    const [first, second] = [await send(), await send()];
    const page = await outbox("?limit=1");
    expect(page.items[0]).toMatchObject({ mailId: second.mailId });
    const next = await outbox(`?limit=1&cursor=${String(page.nextCursor)}`);
    expect(next.items[0]).toMatchObject({ mailId: first.mailId });
    expect((await api.call("operator", "GET", "/v1/outbox")).status).toBe(200);
    expect((await api.call("other", "GET", "/v1/outbox")).status).toBe(403);
    expect((await api.call("key", "GET", "/v1/outbox")).status).toBe(403);
    expect((await api.call("unknown", "GET", "/v1/outbox")).status).toBe(401);
    expect((await api.call("program", "GET", "/v1/outbox?limit=101")).status).toBe(400);
  });

  it("deletes mails after 30 days", async () => {
    const { mailId } = await send();
    const at = (days: number) => ({
      ...services,
      clock: { ...services.clock, now: () => new Date(Date.now() + days * 86_400_000) },
    });
    await pruneNotifications(at(29));
    expect(await find(mailId)).toBeDefined();
    await pruneNotifications(at(31));
    expect(await find(mailId)).toBeUndefined();
  });
});
