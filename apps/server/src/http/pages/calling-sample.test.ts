import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const PAGE = resolve(import.meta.dirname, "../../../../../docs/calling.md");

type Sample = { callWithRetries: (url: string, init?: RequestInit) => Promise<Response> };

async function loadSample(): Promise<Sample> {
  const code = /```js\n([\s\S]*?)```/.exec(readFileSync(PAGE, "utf8"))?.[1] ?? "";
  return (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`
  )) as Sample;
}

let server: Server | undefined;
afterEach(() => server?.close());

/** A server that gives these answers, and the last one from then on. */
async function answerWith(answers: readonly { status: number; code?: string }[]) {
  let calls = 0;
  server = createServer((_, res) => {
    const { status, code } = answers[Math.min(calls, answers.length - 1)] ?? { status: 500 };
    calls += 1;
    res.writeHead(status, { "retry-after": "0" }).end(JSON.stringify({ code }));
  });
  await new Promise<void>((ready) => server?.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}`, countCalls: () => calls };
}

describe("the sample of docs/calling.md", () => {
  it("tries again after a rate limit", async () => {
    const { callWithRetries } = await loadSample();
    const { url, countCalls } = await answerWith([
      { status: 429, code: "RATE_LIMITED" },
      { status: 200 },
    ]);
    expect((await callWithRetries(url)).status).toBe(200);
    expect(countCalls()).toBe(2);
  });

  it("gives up at once where a quota is used up, and never repeats what the API refused", async () => {
    const { callWithRetries } = await loadSample();
    const quota = await answerWith([{ status: 429, code: "QUOTA_EXCEEDED" }]);
    expect((await callWithRetries(quota.url)).status).toBe(429);
    expect(quota.countCalls()).toBe(1);
    server?.close();
    const refused = await answerWith([{ status: 404 }]);
    expect((await callWithRetries(refused.url)).status).toBe(404);
    expect(refused.countCalls()).toBe(1);
  });
});
