import { notification } from "@turnpike/contract/notifications";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { AppServices } from "#platform/app-services.ts";
import { notify } from "./in-app/notify.ts";
import { createNotificationsRoutes } from "./notifications.routes.ts";
import { pruneNotifications } from "./prune-notifications.ts";

const MEMBER = `usr_${"1".repeat(32)}` as UserId;
const COLLEAGUE = `usr_${"2".repeat(32)}` as UserId;

describe("notifications over HTTP", () => {
  let database: TestDatabase;
  let services: AppServices;
  let api: ApiFixture;
  let ours: TenantId;
  let theirs: TenantId;

  beforeAll(async () => {
    database = await createTestDatabase();
    services = createLiveServices(database);
    ours = await insertTestTenant(database.sql);
    theirs = await insertTestTenant(database.sql);
    const scopes = ["notifications:read", "notifications:write"] as const;
    const actors: Record<string, Actor> = {
      ours: { type: "key", id: "key_ours", tenantId: ours, scopes },
      theirs: { type: "key", id: "key_theirs", tenantId: theirs, scopes },
      reader: { type: "key", id: "key_reader", tenantId: ours, scopes: ["notifications:read"] },
      program: { type: "service_key", id: "svc_1", scopes },
      member: {
        type: "user",
        id: MEMBER,
        isOperator: false,
        roles: new Map([[ours, "viewer"]]),
      },
      owner: { type: "user", id: COLLEAGUE, isOperator: false, roles: new Map([[ours, "owner"]]) },
      otherProgram: { type: "service_key", id: "svc_2", scopes: ["usage:read"] },
    };
    api = await serveModule({
      router: { notifications: createNotificationsRoutes(services) },
      actors,
    });
  });
  afterAll(async () => {
    await api.close();
    await database.close();
  });

  const path = (tenant: TenantId, rest = "") => `/v1/tenants/${tenant}/notifications${rest}`;
  const hello = { kind: "usage.threshold", title: "Hello", body: "World" };
  const create = (input: object, tenant = ours, as = "program") =>
    api.call(as, "POST", path(tenant), input);
  const created = async (input: object, tenant = ours) => {
    const answer = await create(input, tenant);
    expect(answer.status).toBe(201);
    return notification.parse(await answer.json());
  };
  const list = async (as: string, tenant: TenantId, query = "") => {
    const answer = await api.call(as, "GET", path(tenant, query));
    expect(answer.status).toBe(200);
    const page = await answer.json();
    return {
      ...page,
      ids: page.items.map((item: { notificationId: string }) => item.notificationId),
    };
  };

  it("shows a member their own notifications and those for all, but not a colleague's", async () => {
    const forAll = await created(hello);
    const mine = await created({ ...hello, userId: MEMBER });
    const hers = await created({ ...hello, userId: COLLEAGUE });
    for (const query of ["", `?userId=${COLLEAGUE}`]) {
      const { ids } = await list("member", ours, query);
      expect(ids).toEqual(expect.arrayContaining([forAll.notificationId, mine.notificationId]));
      expect(ids).not.toContain(hers.notificationId);
    }
    const read = (id: string) => api.call("member", "POST", path(ours, `/${id}/read`), {});
    expect((await read(mine.notificationId)).status).toBe(200);
    expect((await read(hers.notificationId)).status).toBe(404);
    expect((await list("program", ours, "?unread=true")).ids).toContain(hers.notificationId);
  });

  it("lets a member read for no one else: what is for all stays unread for the others", async () => {
    const forAll = await created(hello);
    const unreadOf = async (as: string) => (await list(as, ours, "?unread=true")).ids;
    const readPath = path(ours, `/${forAll.notificationId}/read`);
    expect((await api.call("member", "POST", readPath, {})).status).toBe(200);
    await api.call("member", "POST", path(ours, "/read"), { upTo: `ntf_${"f".repeat(32)}` });
    expect(await unreadOf("member")).toEqual([]);
    for (const other of ["owner", "ours", "program"]) {
      expect(await unreadOf(other)).toContain(forAll.notificationId);
    }
    expect((await api.call("owner", "POST", readPath, {})).status).toBe(200);
    expect(await unreadOf("owner")).not.toContain(forAll.notificationId);
  });

  it("shows a tenant's key nothing that is for a person, also if it asks for that person's", async () => {
    const mine = await created({ ...hello, userId: MEMBER });
    const forAll = await created(hello);
    for (const query of ["", `?userId=${MEMBER}`, "?unread=true"]) {
      const { ids } = await list("ours", ours, query);
      expect(ids).toContain(forAll.notificationId);
      expect(ids).not.toContain(mine.notificationId);
    }
    const read = api.call("ours", "POST", path(ours, `/${mine.notificationId}/read`), {});
    expect((await read).status).toBe(404);
    const input = { userId: MEMBER, upTo: `ntf_${"f".repeat(32)}` };
    await api.call("ours", "POST", path(ours, "/read"), input);
    expect((await list("member", ours, "?unread=true")).ids).toContain(mine.notificationId);
  });

  it("lists what was created, newest first, page by page", async () => {
    const tenant = await insertTestTenant(database.sql);
    const first = await created({ ...hello, link: "/billings?tab=1" }, tenant);
    const second = await created(hello, tenant);
    const page = await list("program", tenant, "?limit=1");
    expect(page.ids).toEqual([second.notificationId]);
    const next = await list("program", tenant, `?limit=1&cursor=${page.nextCursor}`);
    expect(next.items).toEqual([first]);
    expect(next.nextCursor).toBeNull();
  });

  it("gives a user their own notifications and those for all, but not another user's", async () => {
    const tenant = await insertTestTenant(database.sql);
    const [ada, bob] = [services.newId("user"), services.newId("user")];
    const all = await created(hello, tenant);
    const forAda = await created({ ...hello, userId: ada }, tenant);
    await created({ ...hello, userId: bob }, tenant);
    const page = await list("program", tenant, `?userId=${ada}`);
    expect(page.ids).toEqual([forAda.notificationId, all.notificationId]);
  });

  it("marks as read, where the first time counts, and can leave out read ones", async () => {
    const one = await created(hello);
    const other = await created(hello);
    const read = async () =>
      (await api.call("ours", "POST", path(ours, `/${one.notificationId}/read`), {})).json();
    const first = notification.parse(await read());
    expect(first.readAt).not.toBeNull();
    expect(await read()).toEqual(first);
    const { ids } = await list("ours", ours, "?unread=true");
    expect(ids).toContain(other.notificationId);
    expect(ids).not.toContain(one.notificationId);
  });

  it("marks as read up to the newest seen: a member's own and those for all, of one tenant", async () => {
    const tenant = await insertTestTenant(database.sql);
    const [ada, bob] = [services.newId("user"), services.newId("user")];
    const own = await created({ ...hello, userId: ada }, tenant);
    const forAll = await created(hello, tenant);
    const hers = await created({ ...hello, userId: bob }, tenant);
    const other = await insertTestTenant(database.sql);
    const elsewhere = await created(hello, other);
    const seen = await created(hello, tenant);
    const later = await created(hello, tenant);
    const readAll = async () => {
      const input = { userId: ada, upTo: seen.notificationId };
      return await (await api.call("program", "POST", path(tenant, "/read"), input)).json();
    };
    expect(await readAll()).toEqual({ read: 3 });
    const unreadOf = async (userId: string) =>
      (await list("program", tenant, `?unread=true&userId=${userId}`)).ids;
    expect(await unreadOf(ada)).toEqual([later.notificationId]);
    // Nothing was read for anyone else.
    expect(await unreadOf(bob)).toEqual([
      later.notificationId,
      seen.notificationId,
      hers.notificationId,
      forAll.notificationId,
    ]);
    expect((await list("program", other, "?unread=true")).ids).toEqual([elsewhere.notificationId]);
    const read = (await list("program", tenant, `?userId=${ada}`)).items.filter(
      (item: { readAt: string | null }) => item.readAt !== null,
    );
    expect(read.map((item: { notificationId: string }) => item.notificationId)).toEqual([
      seen.notificationId,
      forAll.notificationId,
      own.notificationId,
    ]);
    expect(await readAll()).toEqual({ read: 0 });
    const foreign = await api.call("theirs", "POST", path(tenant, "/read"), {
      upTo: seen.notificationId,
    });
    expect(foreign.status).toBe(404);
    const mine = { userId: COLLEAGUE, upTo: `ntf_${"f".repeat(32)}` };
    const forColleague = await created({ ...hello, userId: COLLEAGUE });
    await api.call("member", "POST", path(ours, "/read"), mine);
    expect((await list("program", ours, "?unread=true")).ids).toContain(
      forColleague.notificationId,
    );
  });

  it("marks at most a thousand at once, newest first", async () => {
    const tenant = await insertTestTenant(database.sql);
    await database.sql`
      insert into notifications (tenant_id, notification_id, kind, title, body, created_at)
      select ${tenant}, 'ntf_' || lpad(n::text, 32, '0'), 'test', 'A title', '', now() from generate_series(1, 1001) n`;
    const readAll = async () => {
      const input = { upTo: `ntf_${"f".repeat(32)}` };
      return await (await api.call("program", "POST", path(tenant, "/read"), input)).json();
    };
    expect(await readAll()).toEqual({ read: 1_000 });
    expect((await list("program", tenant, "?unread=true")).ids).toEqual([
      `ntf_${"1".padStart(32, "0")}`,
    ]);
    expect([await readAll(), await readAll()]).toEqual([{ read: 1 }, { read: 0 }]);
  });

  it("publishes new and read notifications to every process", async () => {
    const { notificationId } = await created(hello);
    await api.call("ours", "POST", path(ours, `/${notificationId}/read`), {});
    const rows = await database.sql`
      select kind, tenant_id from changes where entity_id = ${notificationId}`;
    expect(rows).toEqual([
      { kind: "notification", tenant_id: ours },
      { kind: "notification", tenant_id: ours },
    ]);
  });

  it("exists if and only if the caller's transaction commits", async () => {
    const tenant = await insertTestTenant(database.sql);
    const tell = (fails: boolean) =>
      services.transact.asTenant(tenant, async (tx) => {
        await notify(services, tx, { tenantId: tenant, ...hello });
        if (fails) {
          throw new Error("undo");
        }
      });
    await expect(tell(true)).rejects.toThrow("undo");
    expect((await list("program", tenant)).ids).toEqual([]);
    await tell(false);
    expect((await list("program", tenant)).ids.length).toBe(1);
  });

  it("sanitises text from outside, and refuses a link that leads elsewhere", async () => {
    const tell = (input: object) =>
      services.transact.asOperator((tx) =>
        notify(services, tx, { tenantId: ours, ...hello, ...input }),
      );
    const told = await tell({ title: "a\r\nb\u202ec", body: "x\u0000\ny" });
    expect(told).toMatchObject({ title: "a bc", body: "x\ny" });
    for (const link of [
      "https://evil.test",
      "//evil.test",
      "/\\evil",
      "javascript:x",
      "/a\tb",
      "",
    ]) {
      await expect(tell({ link })).rejects.toThrow();
      expect((await create({ ...hello, link })).status).toBe(400);
    }
  });

  it("answers for another tenant as if it did not exist", async () => {
    const { notificationId } = await created(hello);
    const missing = `ntf_${"0".repeat(32)}`;
    const answers = [];
    for (const id of [notificationId, missing]) {
      const answer = await api.call("theirs", "POST", path(theirs, `/${id}/read`), {});
      const { requestId, ...body } = await answer.json();
      answers.push({ status: answer.status, body });
    }
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]).toEqual(answers[1]);
    expect((await api.call("theirs", "GET", path(ours))).status).toBe(404);
    expect((await list("theirs", theirs)).ids).toEqual([]);
    const seen = await services.transact.asTenant(theirs, (tx) => tx`select 1 from notifications`);
    expect(seen).toEqual([]);
  });

  it("lets only operators' programs create, and only those with the scope", async () => {
    expect((await create(hello, ours, "ours")).status).toBe(403);
    expect((await create(hello, ours, "otherProgram")).status).toBe(403);
    expect((await create(hello, ours, "unknown")).status).toBe(401);
    const nowhere = `ten_${"0".repeat(32)}` as TenantId;
    expect((await create(hello, nowhere)).status).toBe(404);
    const { notificationId } = await created(hello);
    const read = await api.call("reader", "POST", path(ours, `/${notificationId}/read`), {});
    expect(read.status).toBe(403);
  });

  it("deletes notifications after 180 days", async () => {
    const tenant = await insertTestTenant(database.sql);
    const userId: UserId = services.newId("user");
    await created({ ...hello, userId }, tenant);
    const at = (days: number) => ({
      ...services,
      clock: { ...services.clock, now: () => new Date(Date.now() + days * 86_400_000) },
    });
    await pruneNotifications(at(179));
    expect((await list("program", tenant)).ids.length).toBe(1);
    await pruneNotifications(at(181));
    expect((await list("program", tenant)).ids).toEqual([]);
  });
});
