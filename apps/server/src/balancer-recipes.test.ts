import { join } from "node:path";
import { startBalancer } from "@turnpike/testkit/cluster/balancer";
import { hasProgram, type LoggedProgram } from "@turnpike/testkit/cluster/logged-program";
import { THIS_MACHINE } from "@turnpike/testkit/cluster/place";
import type { NodePlace } from "@turnpike/testkit/cluster/recipe";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const NODES = 3;

for (const name of ["haproxy", "nginx"] as const) {
  describe(`three nodes behind ${name}, as packaging/${name} sets it up`, () => {
    const isMissing = !hasProgram(name);
    let database: TestDatabase;
    let folder: TempFolder;
    let apps: TestApp[];
    let at: NodePlace;
    let balancer: LoggedProgram;
    beforeAll(async () => {
      if (isMissing) {
        return;
      }
      database = await createTestDatabase();
      folder = await makeTempFolder();
      apps = [];
      for (let count = 0; count < NODES; count += 1) {
        apps.push(await startTestApp(database, { configText: "trustedProxies: [127.0.0.1]\n" }));
      }
      at = { ...THIS_MACHINE, port: await findFreePort(), gatewayPort: await findFreePort() };
      const nodes = apps.map(
        ({ url, gatewayUrl }): NodePlace => ({
          ...THIS_MACHINE,
          port: Number(new URL(url).port),
          gatewayPort: Number(new URL(gatewayUrl).port),
        }),
      );
      balancer = await startBalancer(name, { folder: join(folder.path, name), at, nodes });
    });
    afterAll(async () => {
      if (isMissing) {
        return;
      }
      await balancer.stop();
      await Promise.all(apps.map((app) => app.close()));
      await database.close();
      await folder[Symbol.asyncDispose]();
    });

    const firstApp = () => apps[0] ?? expect.fail("no node");
    const call = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${String(at.gatewayPort)}/v1/maps`, { headers });

    /** Of a tenant of its own, whose limits no other key uses. */
    const mintKey = async () =>
      await firstApp().mintKey(await firstApp().mintTenant(`Behind ${name}`), []);

    /** The node that served a call: each has an upstream of its own. */
    async function nodeOf(headers: Record<string, string>): Promise<number> {
      const before = apps.map(({ upstream }) => upstream.requests.length);
      const reply = await call(headers);
      expect(await reply.text()).toBe("ok");
      const served = apps.flatMap(({ upstream }, index) =>
        upstream.requests.length > (before[index] ?? 0) ? [index] : [],
      );
      expect(served).toHaveLength(1);
      return served[0] ?? -1;
    }

    it("sends all calls of a key to one node, by either header, and keys to all nodes", async ({
      skip,
    }) => {
      skip(isMissing, `${name} is not installed`);
      const seen = new Set<number>();
      await pollUntil("every node serves a key", async () => {
        const key = await mintKey();
        const node = await nodeOf({ "x-api-key": key });
        for (const headers of [
          { authorization: `Bearer ${key}` },
          { authorization: `bearer ${key}` },
          { authorization: "Basic dTpw", "x-api-key": key },
        ]) {
          expect([headers, await nodeOf(headers)]).toEqual([headers, node]);
        }
        return seen.add(node).size === NODES;
      });
    });

    it("tells the upstream where a call comes from, not what the caller says of it", async ({
      skip,
    }) => {
      skip(isMissing, `${name} is not installed`);
      const key = await mintKey();
      const node = await nodeOf({
        "x-api-key": key,
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-proto": "https",
      });
      const request = apps[node]?.upstream.requests.at(-1);
      expect(request?.header("x-forwarded-for")).toMatch(/^127\.0\.0\.1/);
      expect(request?.header("x-forwarded-proto")).toBe("http");
      expect(request?.rawHeaders.join("\n")).not.toContain("192.0.2.1");
    });

    it("hands a call without a key to a node, which refuses it", async ({ skip }) => {
      skip(isMissing, `${name} is not installed`);
      const reply = await call({});
      expect([reply.status, await reply.json()]).toMatchObject([401, { code: "MISSING_KEY" }]);
    });

    if (name === "haproxy") {
      it("sends verifications of a key to one node, which the body names", async ({ skip }) => {
        skip(isMissing, `${name} is not installed`);
        const tenantId = await firstApp().mintTenant("Verified");
        const key = await firstApp().mintKey(tenantId, []);
        const operator = await firstApp().mintServiceKey(["keys:verify"]);
        const calls = 6;
        for (let count = 0; count < calls; count += 1) {
          const reply = await fetch(`http://127.0.0.1:${String(at.port)}/v1/keys/verify`, {
            method: "POST",
            headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
            body: JSON.stringify({ key }),
          });
          expect(await reply.json()).toMatchObject({ valid: true });
        }
        const nodes = await pollUntil("all of it is in the ledger", async () => {
          const [row] = await database.sql<{ calls: number; nodes: number }[]>`
            select coalesce(sum(calls), 0)::int as calls, count(distinct process_id)::int as nodes
            from ledger_entries join ledger_groups using (group_id) where tenant_id = ${tenantId}`;
          return row?.calls === calls && row.nodes;
        });
        expect(nodes).toBe(1);
      });
    }

    it("moves the keys of a node that is gone, and no others", async ({ skip }) => {
      skip(isMissing, `${name} is not installed`);
      const homes = new Map<string, number>();
      await pollUntil("every node serves a key", async () => {
        const key = await mintKey();
        homes.set(key, await nodeOf({ "x-api-key": key }));
        return new Set(homes.values()).size === NODES;
      });
      const gone = NODES - 1;
      await apps.pop()?.close();
      for (const [key, home] of homes) {
        await pollUntil("a node that is left serves the key", async () => {
          const reply = await call({ "x-api-key": key });
          await reply.body?.cancel();
          return reply.status === 200;
        });
        const now = await nodeOf({ "x-api-key": key });
        expect([home, now]).toEqual([home, home === gone ? expect.any(Number) : home]);
      }
    });
  });
}
