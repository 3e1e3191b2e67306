import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReplayStub, startReplayStub } from "./replay-stub.ts";

describe("the replay stub", () => {
  let stub: ReplayStub;
  beforeAll(async () => {
    stub = await startReplayStub({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => stub.close());

  async function call(method: string, headers: Record<string, string>) {
    return await new Promise<{ status: number; bytes: number; isMarked: boolean }>(
      (settle, reject) => {
        const req = request({ port: stub.port, host: "127.0.0.1", method, headers }, (res) => {
          let bytes = 0;
          res.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
          });
          res.on("end", () =>
            settle({
              status: res.statusCode ?? 0,
              bytes,
              isMarked: res.headers["x-replay-stub"] === "1",
            }),
          );
        });
        req.on("error", reject);
        req.end();
      },
    );
  }
  const ask = (method: string, status: string, bytes: string) =>
    call(method, { "x-replay-status": status, "x-replay-bytes": bytes });

  it.each([
    ["GET", "200", "0", 0],
    ["GET", "206", "3000001", 3_000_001],
    ["GET", "416", "17", 17],
    ["POST", "500", "9", 9],
    ["HEAD", "200", "500", 0],
    ["GET", "304", "500", 0],
    ["GET", "204", "500", 0],
  ])("answers %s with status %s of %s bytes", async (method, status, asked, bytes) => {
    const answer = await ask(method, status, asked);
    expect(answer).toEqual({ status: Number(status), bytes, isMarked: true });
  });

  it.each([
    ["199", "0"],
    ["600", "0"],
    ["200", "1073741825"],
    ["200", "-1"],
    ["abc", "0"],
  ])("refuses to answer with status %s of %s bytes", async (status, bytes) => {
    expect((await ask("GET", status, bytes)).status).toBe(400);
  });

  it("answers a preflight, which needs no key, without a body", async () => {
    const answer = await call("OPTIONS", {
      "access-control-request-method": "GET",
      "x-replay-status": "200",
      "x-replay-bytes": "1000",
    });
    expect(answer).toEqual({ status: 204, bytes: 0, isMarked: true });
  });
});
