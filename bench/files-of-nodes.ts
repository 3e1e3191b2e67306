import { pollUntil } from "@turnpike/testkit/poll-until";
import type { BenchResult } from "./rig/bench.ts";
import type { BenchCluster } from "./rig/bench-cluster.ts";
import { callJson, readText } from "./rig/product.ts";
import { round } from "./rig/statistics.ts";

const EXPORT_DEADLINE_MS = 120_000;
const TIMEOUT_MS = 10_000;

/** Makes a file and an export by way of the balancer, and asks every node for both. */
export async function measureFiles(
  { nodes, at }: BenchCluster,
  { serviceKey, tenantId }: { serviceKey: string; tenantId: string },
): Promise<BenchResult> {
  const authorization = `Bearer ${serviceKey}`;
  const tenant = `/v1/tenants/${tenantId}`;
  const made = await fetch(`http://127.0.0.1:${String(at.port)}${tenant}/files?name=a.txt`, {
    method: "PUT",
    headers: { authorization, "content-type": "text/plain" },
    body: "seen by all",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const fileId = readText(await made.json(), "fileId");

  const call = (method: string, path: string, body?: object) =>
    callJson(at.port, { method, path, credential: serviceKey, ...(body && { body }) });
  const requested = await call("POST", `${tenant}/exports`, {
    name: "Bench",
    format: "csv",
    question: { measures: "requests", grain: "hour" },
  });
  const exportPath = `${tenant}/exports/${readText(requested, "exportId")}`;
  await pollUntil(
    "the export is done",
    async () => readText(await call("GET", exportPath), "state") === "done",
    EXPORT_DEADLINE_MS,
  );
  const download = new URL(readText(await call("POST", `${exportPath}/download`), "url"));

  const countServed = async (path: string, headers: Record<string, string>) => {
    const texts = new Set<string>();
    let served = 0;
    for (const { port } of nodes) {
      const reply = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      texts.add(await reply.text());
      served += reply.status === 200 ? 1 : 0;
    }
    return texts.size === 1 ? served : 0;
  };
  const files = await countServed(`${tenant}/files/${fileId}/content`, { authorization });
  const exports = await countServed(download.pathname + download.search, {});
  return {
    table: [],
    ratios: {
      nodesThatServeAFile: round(files / nodes.length),
      nodesThatServeAnExport: round(exports / nodes.length),
    },
    figures: {},
    remarks: [
      "A file that one node took, and an export that one node wrote, are asked for at every node and must be the same.",
    ],
  };
}
