import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PROPOSALS_MAX } from "@turnpike/contract/proposals";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listUntranslatedNotices } from "#modules/notifications/testing/untranslated.fixture.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const KEY = { do: "create_key", key: { name: "Proposed" } };

function propose(tenantId: TenantId, change: object = KEY) {
  const body = { change, reason: "For the nightly import." };
  return app.call(operator, "POST", `/v1/tenants/${tenantId}/proposals`, body);
}

/** A tenant with a proposal that waits, and ways to decide on it. */
async function makeProposal(change?: object) {
  const tenantId = await app.mintTenant("Acme");
  const path = `/v1/tenants/${tenantId}`;
  const { proposalId } = (await propose(tenantId, change)).json;
  const decide = (credential: string, decision: "accept" | "decline") =>
    app.call(credential, "POST", `${path}/proposals/${proposalId}/${decision}`, {});
  const listKeys = async () => (await app.call(operator, "GET", `${path}/keys`)).json.items;
  return { tenantId, path, proposalId, decide, listKeys };
}

describe("a proposal of an agent", () => {
  it("waits for a person, and is made once with the rights of the one who accepts", async () => {
    const tenantId = await app.mintTenant("Acme");
    const agent = await app.mintKey(tenantId, ["proposals:write", "proposals:read"]);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${agent}` } },
      }),
    );
    const made = await client.callTool({
      name: "propose_key",
      arguments: { name: "Nightly import", environment: "test", reason: "The import needs one." },
    });
    expect(made.structuredContent).toMatchObject({
      state: "open",
      reason: "The import needs one.",
    });
    await client.close();

    const path = `/v1/tenants/${tenantId}`;
    const { json } = await app.call(agent, "GET", `${path}/proposals`);
    const { proposalId, proposedBy } = json.items[0];
    expect(proposedBy).toMatch(/^key:key_/);
    const accept = (credential: string) =>
      app.call(credential, "POST", `${path}/proposals/${proposalId}/accept`, {});
    // A program with every scope accepts nothing, nor does a member whose role lacks the change.
    const [viewer, billing, developer] = await Promise.all(
      (["viewer", "billing", "developer"] as const).map((role) => app.mintMember(tenantId, role)),
    );
    for (const credential of [agent, operator, viewer?.token, billing?.token]) {
      expect((await accept(credential ?? "")).status).toBe(403);
    }
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => accept(developer?.token ?? "")),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const accepted = replies.find(({ status }) => status === 200)?.json;
    expect(accepted.createdKey).toMatchObject({
      name: "Nightly import",
      environment: "test",
      createdBy: `user:${developer?.userId ?? ""}`,
    });
    expect(accepted.createdKey.key).toMatch(/^tp_test_/);
    expect(accepted.proposal).toMatchObject({
      state: "accepted",
      decidedBy: `user:${developer?.userId ?? ""}`,
    });
    const after = await app.call(agent, "GET", `${path}/proposals?state=all`);
    expect(after.text).not.toContain(accepted.createdKey.key);

    const audit = await app.call(operator, "GET", `${path}/audit`);
    const actions = audit.json.items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(["proposal.created", "proposal.accepted", "key.created"]),
    );
    const notices = await app.call(viewer?.token, "GET", `${path}/notifications`);
    expect(notices.json.items[0]).toMatchObject({
      title: "An agent proposes to create the test key Nightly import",
    });
  });

  it("sets a spend cap when it is accepted by who may change billing", async () => {
    const { tenantId, path, decide } = await makeProposal({ do: "set_spend_cap", amount: "75.00" });
    const developer = await app.mintMember(tenantId, "developer");
    expect((await decide(developer.token, "accept")).status).toBe(403);
    const billing = await app.mintMember(tenantId, "billing");
    expect(await decide(billing.token, "accept")).toMatchObject({
      status: 200,
      json: { createdKey: null },
    });
    const cap = await app.call(operator, "GET", `${path}/billing/spend-cap`);
    expect(cap.json.tenantCap).toBe("75.00");
  });

  it("waits on when its change is refused, so that it can be declined", async () => {
    const key = { name: "Proposed", scopes: ["webhooks:write"] };
    const { tenantId, decide, listKeys } = await makeProposal({ do: "create_key", key });
    const developer = await app.mintMember(tenantId, "developer");
    // A developer holds no such scope, and so cannot give it.
    expect((await decide(developer.token, "accept")).status).toBe(403);
    expect(await listKeys()).toEqual([]);
    const audit = await app.call(operator, "GET", `/v1/tenants/${tenantId}/audit`);
    expect(audit.text).toContain("proposal.created");
    expect(audit.text).not.toContain("proposal.accepted");
    expect((await decide(developer.token, "decline")).json).toMatchObject({ state: "declined" });
    const owner = await app.mintMember(tenantId, "owner");
    expect(await decide(owner.token, "accept")).toMatchObject({ status: 409 });
    expect(await listKeys()).toEqual([]);
  });

  it("is not made when its key has been revoked, and names nothing that a mail would make a link", async () => {
    const tenantId = await app.mintTenant("Acme");
    const path = `/v1/tenants/${tenantId}`;
    const agent = await app.mintKey(tenantId, ["proposals:write"]);
    const owner = await app.mintMember(tenantId, "owner");
    const { json } = await app.call(agent, "POST", `${path}/proposals`, {
      change: { do: "create_key", key: { name: "win at evil.com" } },
      reason: "For the nightly import.",
    });
    const notices = await app.call(owner.token, "GET", `${path}/notifications`);
    expect(notices.json.items[0].title).toMatch(/^An agent proposes to create the live key whose/);
    const keyId = json.proposedBy.replace("key:", "");
    expect((await app.call(operator, "POST", `${path}/keys/${keyId}/revoke`)).status).toBe(200);
    const proposal = `${path}/proposals/${json.proposalId}`;
    expect(await app.call(owner.token, "POST", `${proposal}/accept`, {})).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("no longer has access") },
    });
    expect((await app.call(owner.token, "POST", `${proposal}/decline`, {})).status).toBe(200);
  });

  it("is one of at most a hundred of a day, however many were taken back", async () => {
    const { tenantId, proposalId, decide } = await makeProposal();
    await decide(operator, "decline");
    await database.sql`
      insert into proposals (tenant_id, proposal_id, change, reason, proposed_by, state, created_at, expires_at)
      select tenant_id, proposal_id || n, change, reason, proposed_by, state, created_at, expires_at
      from proposals, generate_series(1, 98) as n where proposal_id = ${proposalId}`;
    expect((await propose(tenantId)).status).toBe(201);
    expect(await propose(tenantId)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("within a day") },
    });
  });

  it("is taken back by the program that made it, and by no other", async () => {
    const { tenantId, decide } = await makeProposal();
    const other = await app.mintKey(tenantId, ["proposals:write"]);
    expect((await decide(other, "decline")).status).toBe(403);
    expect((await decide(operator, "decline")).json).toMatchObject({ state: "declined" });
  });

  it("expires after seven days", async () => {
    const { tenantId, path, proposalId, decide } = await makeProposal();
    await database.sql`
      update proposals set expires_at = now() - interval '1 second' where proposal_id = ${proposalId}`;
    const owner = await app.mintMember(tenantId, "owner");
    expect(await decide(owner.token, "accept")).toMatchObject({
      status: 409,
      json: { detail: "This proposal has expired: it can be made again." },
    });
    const all = await app.call(operator, "GET", `${path}/proposals?state=all`);
    expect(all.json.items[0]).toMatchObject({ state: "expired", decidedBy: null });
  });

  it("is one of few that wait, counted exactly when many are made at once", async () => {
    const tenantId = await app.mintTenant("Acme");
    const replies = await Promise.all(
      Array.from({ length: PROPOSALS_MAX + 4 }, () => propose(tenantId)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 201)).toHaveLength(PROPOSALS_MAX);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });
});

it("has German for all that its notices say", async () => {
  const { count, unknown } = await listUntranslatedNotices(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
