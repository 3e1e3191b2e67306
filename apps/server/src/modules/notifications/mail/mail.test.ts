import { mailPreview, mail as mailSchema, mailTest } from "@turnpike/contract/outbox";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { makeDeliveryReport } from "@turnpike/domain/mail/delivery-report.fixture";
import type { MailContent } from "@turnpike/domain/mail/mail-content";
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
import { TEST_BRAND } from "../testing/mail-brand.fixture.ts";
import { deliverMail, deliverMailJob } from "./deliver-mail.ts";
import { findMailStates } from "./find-mail-states.ts";
import {
  createMailTransport,
  hashRecipient,
  MailDeliveryError,
  type MailSettings,
  type MailTransport,
} from "./mail-transport.ts";
import { type MailInput, sendMail } from "./send-mail.ts";

/** What is in a mail is not looked into. */
const LOGO = Buffer.from("a picture");

describe("mail", () => {
  let database: TestDatabase;
  let services: AppServices;
  let queue: JobQueue & { close(): Promise<void> };
  let smtp: SmtpServer;
  let api: ApiFixture;
  /** What the API sends test mails with. */
  let current: MailTransport;
  const lines: string[] = [];
  const from = "turnpike@sender.test";
  const invitation = {
    to: "ada@example.test",
    subject: "Welcome",
    content: [
      { kind: "paragraph", text: "Hello,\nfollow https://console.test/join?token=geheim\n.\nBye" },
    ],
    kind: "invitation",
  } satisfies MailInput;
  const text = "Hello,\nfollow https://console.test/join?token=geheim\n.\nBye";

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
      sender: { type: "service_key", id: "svc_3", scopes: ["outbox:read", "outbox:write"] },
      other: { type: "service_key", id: "svc_2", scopes: ["tenants:read"] },
      key: {
        type: "key",
        id: "key_1",
        tenantId: await insertTestTenant(database.sql),
        scopes: ["outbox:read"],
      },
    };
    api = await serveModule({
      router: {
        outbox: createOutboxRoutes({
          ...services,
          jobs: queue,
          brand: { ...TEST_BRAND, name: "Acme" },
          findLogo: () => Promise.resolve(LOGO),
          mailTransport: {
            keepsText: false,
            deliver: (mail) => current.deliver(mail),
            close: () => current.close(),
          },
        }),
      },
      rawRoutes: createOutboxRawRoutes(services),
      actors,
    });
  });
  beforeEach(async () => {
    smtp.mails.length = 0;
    current = createMailTransport(smtpSettings(), services);
    await database.sql`delete from refused_addresses`;
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
    brand: TEST_BRAND,
    smtp: { host: "127.0.0.1", port, secure: false },
  });

  async function deliver(
    mailId: string,
    options: { settings?: MailSettings; isLast?: boolean; logo?: Uint8Array } = {},
  ): Promise<void> {
    const mailTransport = createMailTransport(options.settings ?? smtpSettings(), {
      ...services,
      findLogo: () => Promise.resolve(options.logo),
    });
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
      text,
    });
    await deliver(mailId);
    expect(smtp.mails).toHaveLength(1);
    const [received] = smtp.mails;
    expect(received).toMatchObject({ from, to: [invitation.to] });
    const [head = "", , body = ""] = (received?.data ?? "").split("\r\n\r\n");
    expect(head).toContain("Subject: Welcome\r\n");
    expect(head).toContain(`Message-ID: <${mailId}@sender.test>`);
    expect(body.split("\r\n----")[0]).toBe(text.replaceAll("\n", "\r\n"));
    expect(await find(mailId)).toMatchObject({
      state: "sent",
      attempts: 1,
      text: null,
      lastError: null,
    });
  });

  it("is in the language that its reader chose, else in that of the page, and in the outbox too", async () => {
    const asked = { to: "reader@example.com", language: "de" } as const;
    const content: MailContent = [
      { kind: "title", text: "The mail server works" },
      { kind: "facts", facts: [["Tenant", "The mail server works", "people"]] },
    ];
    const { mailId } = await send({ ...asked, content });
    const preview = async () =>
      (await (await api.call("program", "GET", `/v1/outbox/${mailId}/preview`)).json()) as object;
    expect(await preview()).toMatchObject({ html: expect.stringContaining('lang="de"') });
    expect((await find(mailId))?.text).toBe(
      "Der Mailserver funktioniert\n\nMandant: The mail server works",
    );
    await deliver(mailId);
    const data = smtp.mails[0]?.data ?? "";
    expect(data).toContain("Der Mailserver funktioniert");
    expect(data).toContain('lang=3D"de"');

    await database.sql`
      insert into users (user_id, issuer, subject, email, language, created_at, updated_at)
      values ('usr_reader', 'https://a.test', 'reader', 'Reader@example.com', 'en', now(), now())`;
    const { mailId: later } = await send({ ...asked, content });
    expect((await find(later))?.text).toContain("The mail server works\n\nTenant");
  });

  it("sends files and HTML with the text, keeps them until a server takes the mail, and then erases them", async () => {
    const pdf = Buffer.from("%PDF-1.7\n\u0000 ä files of any bytes");
    const { mailId } = await send({
      content: [{ kind: "title", text: "Hello <Ada>" }],
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
    expect(data.replaceAll("=\r\n", "")).toContain("Hello &lt;Ada&gt;");
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

  it("brings its logo along, beside its files, and asks no address for it", async () => {
    const file = {
      name: "invoice.pdf",
      mediaType: "application/pdf",
      content: Buffer.from("%PDF"),
    };
    const { mailId } = await send({ attachments: [file] });
    await deliver(mailId, { logo: LOGO });
    const source = smtp.mails[0]?.data ?? "";
    const html =
      /Content-Type: text\/html[\s\S]*?\r\n\r\n([\s\S]*?)\r\n----/.exec(source)?.[1] ?? "";
    expect(html.replaceAll("=\r\n", "")).toContain("cid:logo@sender.test");
    expect(source).toMatch(
      /Content-Type: image\/png; name=logo\.png\r\n(?:[^\r]+\r\n)*Content-ID: <logo@sender\.test>\r\n(?:[^\r]+\r\n)*Content-Disposition: inline/,
    );
    expect(source).toContain(LOGO.toString("base64"));
    expect(source).toContain("filename=invoice.pdf");
    expect(html).not.toMatch(/src=3D"(?!cid:)/);
  });

  it("shows operators a mail as its reader sees it, as long as its text is kept", async () => {
    const { mailId } = await send({
      content: [{ kind: "link", label: "Join <b>", address: "https://console.test/join" }],
    });
    const preview = (actor: string, id = mailId) =>
      api.call(actor, "GET", `/v1/outbox/${id}/preview`);
    const answer = await preview("program");
    expect(answer.status).toBe(200);
    const { html } = mailPreview.parse(await answer.json());
    expect(html).toContain("Join &lt;b&gt;</a>");
    expect(html).toContain(`src="data:image/png;base64,${LOGO.toString("base64")}"`);
    expect((await preview("other")).status).toBe(403);
    expect((await preview("key")).status).toBe(403);
    expect((await preview("program", `mail_${"0".repeat(32)}`)).status).toBe(404);
    await database.sql`update mails set content = null where mail_id = ${mailId}`;
    expect(await (await preview("program")).json()).toEqual({ html: null });
    await deliver(mailId);
    expect((await preview("program")).status).toBe(404);
  });

  it("retries after a temporary refusal, keeps the text meanwhile, and gives the reason in one line", async () => {
    const { mailId } = await send();
    smtp.answer("RCPT", "450 try later", "250 ok");
    const failure = await deliver(mailId).catch((error: unknown) => error);
    // Logging this error must not log the address.
    services.logger.error({ err: failure }, "job failed");
    expect(failure).toBeInstanceOf(MailDeliveryError);
    const waiting = await find(mailId);
    expect(waiting).toMatchObject({ state: "queued", attempts: 1, text });
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

    const unlucky = await send({ to: "grace@example.test" });
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
    const mailTransport = createMailTransport(smtpSettings(), services);
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
      brand: TEST_BRAND,
      smtp: { host: "127.0.0.1", port: smtp.port, secure: false, user: "turnpike" },
      smtpPassword: "geheim",
    };
    await expect(deliver(mailId, { settings })).rejects.toThrow();
    expect(smtp.mails).toHaveLength(0);
    expect((await find(mailId))?.lastError).toMatch(/TLS/i);
  });

  it("keeps a mail readable on the outbox page when there is no mail server", async () => {
    const { mailId } = await send();
    await deliver(mailId, { settings: { from, brand: TEST_BRAND } });
    expect(await find(mailId)).toMatchObject({ state: "sent", text });
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

  it("lists by state, kind and part of the address, taken literally", async () => {
    const { mailId } = await send({ to: "under_score@example.test", kind: "filtered" });
    const idsOf = async (query: string) =>
      (await outbox(query)).items.map((item) => mailSchema.parse(item).mailId);
    expect(await idsOf("?kind=filtered&state=queued&to=R_SCORE")).toEqual([mailId]);
    expect(await idsOf("?kind=filtered&to=r%25score")).toEqual([]);
    expect(await idsOf("?kind=filtered&state=sent")).toEqual([]);
  });

  const post = async (path: string, body: object, actor = "sender") => {
    const answer = await api.call(actor, "POST", `/v1/outbox${path}`, body);
    return { status: answer.status, body: await answer.json() };
  };
  const test = async (to = "operator@example.test") => {
    const { status, body } = await post("/test", { to });
    expect(status).toBe(200);
    return mailTest.parse(body);
  };

  it("tests the mail server with a mail, and says what it answered", async () => {
    smtp.answer("BODY", "250 2.0.0 Ok: queued as 4Dz1");
    const taken = await test();
    expect(taken).toMatchObject({ outcome: "accepted", answer: "250 2.0.0 Ok: queued as 4Dz1" });
    expect(smtp.mails[0]?.data).toContain("Subject: Acme: test mail\r\n");
    expect(await find(taken.mailId)).toMatchObject({ kind: "test", state: "sent", text: null });

    smtp.answer("MAIL", "553 5.7.1 <turnpike@sender.test>: not yours");
    expect(await test()).toMatchObject({
      outcome: "failed",
      explanation: expect.stringMatching(/rules of the server/),
      answer: expect.stringContaining("553 5.7.1"),
    });
    smtp.answer("MAIL");
    smtp.answer("RCPT", "550 5.1.1 <operator@example.test>: no such user");
    const refused = await test();
    expect(refused.explanation).toBe("There is no such mailbox.");
    expect(refused.answer).not.toContain("operator@");
    expect(await find(refused.mailId)).toMatchObject({ state: "failed", text: expect.anything() });

    for (const actor of ["program", "other", "key"]) {
      expect((await post("/test", { to: "a@b.test" }, actor)).status).toBe(403);
    }
    expect((await post("/test", { to: "a@b.test\r\nBcc: c@d.test" })).status).toBe(400);
  });

  it("names what stands between it and the mail server", async () => {
    const gone = await startSmtpServer();
    await gone.close();
    const settings = smtpSettings();
    const base = { host: "127.0.0.1", port: smtp.port, secure: false };
    for (const [smtpOf, explanation] of [
      [{ ...base, port: gone.port }, /Nothing answers at this port/],
      [{ ...base, host: "mail.invalid" }, /The name of the mail server/],
      [{ ...base, secure: true }, /does not speak TLS at this port/],
      [{ ...base, user: "turnpike" }, /No TLS connection/],
    ] as const) {
      current = createMailTransport(
        { ...settings, smtp: smtpOf, smtpPassword: "geheim" },
        services,
      );
      const { outcome, explanation: said } = await test();
      expect([outcome, said]).toEqual(["failed", expect.stringMatching(explanation)]);
    }
    expect(smtp.mails).toEqual([]);
  });

  it("holds mails to an address that refused one for good, until an operator lifts that", async () => {
    const to = "Gone@example.test";
    smtp.answer("RCPT", "550 5.1.1 no such user", "250 ok");
    const first = await send({ to, about: "ivt_1" });
    await deliver(first.mailId);
    const second = await send({ to: "gone@EXAMPLE.test" });
    await deliver(second.mailId);
    expect(await find(second.mailId)).toMatchObject({
      state: "held",
      attempts: 0,
      explanation: "There is no such mailbox.",
    });
    const states = await services.transact.asOperator((tx) =>
      findMailStates(tx, ["ivt_1", "ivt_2"]),
    );
    expect([...states]).toEqual([
      ["ivt_1", { state: "failed", explanation: "There is no such mailbox." }],
    ]);
    const listed = await api.call("program", "GET", "/v1/outbox/refused-addresses?address=gone");
    expect((await listed.json()).items).toMatchObject([{ address: "gone@example.test" }]);
    expect((await api.call("other", "GET", "/v1/outbox/refused-addresses")).status).toBe(403);

    expect((await post(`/${second.mailId}/resend`, {})).status).toBe(409);
    expect((await post("/refused-addresses/lift", { address: to }, "program")).status).toBe(403);
    expect((await post("/refused-addresses/lift", { address: to })).status).toBe(200);
    expect((await post("/refused-addresses/lift", { address: to })).status).toBe(404);
    expect((await post(`/${second.mailId}/resend`, {})).status).toBe(200);
    await deliver(second.mailId);
    expect(smtp.mails).toHaveLength(1);
    expect((await post(`/${second.mailId}/resend`, {})).status).toBe(409);
  });

  it("still sends what a person asked for to such an address, which works again once a server takes it", async () => {
    const to = "back@example.test";
    smtp.answer("RCPT", "550 5.1.1 no such user", "250 ok");
    await deliver((await send({ to })).mailId);
    const asked = await send({ to, isAsked: true });
    await deliver(asked.mailId);
    expect(await find(asked.mailId)).toMatchObject({ state: "sent" });
    const later = await send({ to });
    await deliver(later.mailId);
    expect(await find(later.mailId)).toMatchObject({ state: "sent" });
  });

  it("takes rules, full mailboxes and temporary trouble for no fault of the address", async () => {
    for (const answer of ["550 5.7.1 spam", "552 5.2.2 full", "450 4.1.1 later"]) {
      const { mailId } = await send({ to: "fine@example.test" });
      smtp.answer("RCPT", answer);
      await deliver(mailId).catch(() => undefined);
      expect((await find(mailId))?.explanation).not.toBeNull();
    }
    expect(await database.sql`select from refused_addresses`).toHaveLength(0);
  });

  it("understands reports of mails that came back, for the address they went to alone", async () => {
    const { mailId } = await send({ to: "Ada@example.test" });
    const messageId = `${mailId}@sender.test`;
    const bounce = (recipient: string, more: object = {}) =>
      post("/bounces", { report: makeDeliveryReport({ messageId, recipient, ...more }) });
    expect((await bounce("ada@example.test")).body).toMatchObject({ mailId: null });
    await deliver(mailId);
    expect((await bounce("victim@example.test")).body).toMatchObject({ mailId: null });
    expect((await bounce("ada@example.test", { messageId: "1@other.test" })).body).toMatchObject({
      mailId: null,
    });
    expect(await database.sql`select from refused_addresses`).toHaveLength(0);
    expect(await bounce("ada@EXAMPLE.test")).toMatchObject({
      status: 200,
      body: { mailId, isAddressRefused: true, explanation: "There is no such mailbox." },
    });
    expect(await find(mailId)).toMatchObject({ state: "bounced" });
    expect((await bounce("ada@example.test")).body).toMatchObject({ mailId: null });
    const next = await send({ to: "ada@example.test" });
    await deliver(next.mailId);
    expect(await find(next.mailId)).toMatchObject({ state: "held" });

    expect((await post("/bounces", { report: "Subject: Away\n\nI am away." })).status).toBe(400);
    const denied = { report: makeDeliveryReport({ messageId, recipient: "ada@example.test" }) };
    expect((await post("/bounces", denied, "program")).status).toBe(403);
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
