import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type S3Server, startS3Server } from "@turnpike/testkit/s3-server";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeInProgram } from "#modules/analytics/testing/export-program.fixture.ts";
import { toGroup } from "#modules/analytics/testing/invented-calls.fixture.ts";
import type { FileStoreSettings } from "#modules/files/index.ts";
import { commitGroups } from "#modules/metering/index.ts";
import { newUuidId } from "#platform/new-id.ts";

const WRITER = new URL("./modules/analytics/testing/export-program.fixture.ts", import.meta.url);
const SCOPES = ["files:read", "files:write", "usage:read"] as const;
const HOUR_MS = 3_600_000;
const HOURS = 6 * 24;
const SIX_DAYS_OF_HOURS = {
  measures: "requests",
  grain: "hour",
  from: "2026-06-01T00:00:00Z",
  to: "2026-06-07T00:00:00Z",
};

const s3Of = ({ url, bucket, keys }: S3Server) => ({
  endpoint: url,
  region: keys.region,
  bucket,
  prefix: "acme/",
  pathStyle: true,
  accessKeyId: keys.accessKeyId,
});

describe.each(["postgres", "s3"] as const)("two nodes that keep files in %s", (store) => {
  let database: TestDatabase;
  let bucket: S3Server;
  let nodes: readonly [TestApp, TestApp];
  beforeAll(async () => {
    database = await createTestDatabase();
    bucket = await startS3Server();
    const options = {
      configText: JSON.stringify({
        files: { store, s3: store === "s3" ? s3Of(bucket) : undefined },
      }),
      env: store === "s3" ? { TURNPIKE_S3_SECRET_KEY: bucket.keys.secretAccessKey } : {},
    };
    // Each has a data folder of its own.
    nodes = [await startTestApp(database, options), await startTestApp(database, options)];
  });
  afterAll(async () => {
    for (const node of nodes) {
      await node.close();
    }
    await bucket.close();
    await database.close();
  });

  const settingsOf = (node: TestApp): FileStoreSettings => ({
    store,
    folder: join(node.dataFolder, "files"),
    ...(store === "s3" && {
      s3: { ...s3Of(bucket), ...bucket.keys, publicEndpoint: bucket.url },
    }),
  });

  /** One call an hour. */
  async function meterCalls(tenantId: TenantId): Promise<void> {
    const calls = Array.from({ length: HOURS }, (_, hour) => ({
      tenant: tenantId,
      plan: "free",
      key: newUuidId("key"),
      route: "/orders",
      method: "GET" as const,
      status: 200,
      outcome: "VALID" as const,
      environment: "live" as const,
      model: "",
      minuteMs: Date.parse(SIX_DAYS_OF_HOURS.from) + hour * HOUR_MS,
      calls: 1,
      quantity: 1,
      bytesIn: 0,
      bytesOut: 0,
      latenciesMs: [1],
    }));
    await commitGroups(nodes[0].services, [toGroup(calls, newUuidId)]);
  }

  it("serve each file from both, and from neither once it is deleted at one", async () => {
    const [first, second] = nodes;
    const tenantId = await first.mintTenant("Acme");
    const key = await first.mintKey(tenantId, SCOPES);
    await second.hearChanges();
    const headers = { authorization: `Bearer ${key}` };
    const uploaded = await fetch(`${first.url}/v1/tenants/${tenantId}/files?name=a.txt`, {
      method: "PUT",
      headers: { ...headers, "content-type": "text/plain" },
      body: "seen by both",
    });
    expect(uploaded.status).toBe(201);
    const { fileId } = (await uploaded.json()) as { fileId: string };
    const path = `/v1/tenants/${tenantId}/files/${fileId}`;
    for (const node of nodes) {
      const reply = await node.call(key, "GET", `${path}/content`);
      expect([reply.status, reply.text]).toEqual([200, "seen by both"]);
      const slice = await fetch(`${node.url}${path}/content`, {
        headers: { ...headers, range: "bytes=5-6" },
      });
      expect([slice.status, await slice.text()]).toEqual([206, "by"]);
    }
    expect((await second.call(key, "DELETE", path)).status).toBe(204);
    for (const node of nodes) {
      expect((await node.call(key, "GET", `${path}/content`)).status).toBe(404);
    }
  });

  it("finish each other's exports after kill -9, and serve them from both", async () => {
    const [first, second] = nodes;
    const tenantId = await first.mintTenant("Acme");
    const key = await first.mintKey(tenantId, SCOPES);
    await second.hearChanges();
    await meterCalls(tenantId);
    const path = `/v1/tenants/${tenantId}/exports`;
    const made = await first.call(key, "POST", path, {
      name: "Usage",
      format: "csv",
      question: SIX_DAYS_OF_HOURS,
    });
    expect(made.status).toBe(202);
    const { exportId } = made.json;
    const { target } = database;
    const input = { target, ref: { tenantId, exportId } };
    const program = spawnScript(
      `const { writeInProgram } = await import(${JSON.stringify(WRITER.pathname)});
       await writeInProgram(JSON.parse(process.argv[1]));`,
      JSON.stringify({ ...input, files: settingsOf(first), chunksMax: 3 }),
    );
    expect(await program.nextLine()).toBe("3 chunks are written");
    await program.kill();
    await writeInProgram({ ...input, files: settingsOf(second) });
    const contents = new Set<string>();
    for (const node of nodes) {
      const { json } = await node.call(key, "GET", `${path}/${exportId}`);
      expect(json.state).toBe("done");
      const download = await node.call(key, "POST", `${path}/${exportId}/download`);
      const { pathname, search } = new URL(download.json.url);
      const reply = await node.call(undefined, "GET", `${pathname}${search}`);
      expect(reply.status).toBe(200);
      contents.add(reply.text);
    }
    expect(contents.size).toBe(1);
    expect([...contents][0]?.trim().split("\n")).toHaveLength(1 + HOURS);
  });
});
