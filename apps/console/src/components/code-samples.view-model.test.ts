import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SampleCall, toCodeSamples, toGet } from "./code-samples.view-model.ts";

const run = promisify(execFile);
const KEY = "tp_live_example";

type Received = {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
};

let received: Received[];
let upstream: Server;
let gatewayUrl: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "samples-"));
  upstream = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const { method, url, headers } = req;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      res.writeHead(method === "DELETE" ? 204 : 200).end(method === "DELETE" ? "" : '{"ok":true}');
    });
  });
  await new Promise<void>((ready) => upstream.listen(0, "127.0.0.1", ready));
  gatewayUrl = `http://127.0.0.1:${String((upstream.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  upstream.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  received = [];
});

/** How each sample is run; undefined where the machine has no such program. */
const RUNNERS: Readonly<Record<string, (code: string) => Promise<unknown>>> = {
  curl: (code) => run("/bin/sh", ["-c", code]),
  typescript: async (code) => {
    const file = join(folder, "sample.ts");
    await writeFile(file, code);
    return await run(process.execPath, [file]);
  },
  python: async (code) => {
    const file = join(folder, "sample.py");
    await writeFile(file, code);
    return await run("python3", [file]);
  },
};
const hasPython = await run("python3", ["--version"]).then(
  () => true,
  () => false,
);
const languages = Object.keys(RUNNERS).filter((id) => id !== "python" || hasPython);

/** Each would end a text, begin a command, or read differently in one of the languages. */
const HARD = {
  "it's": `"quoted" \\ $HOME \`id\` !! \${x} %s {y}`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: It is what a sample must not read as its own.
  lines: "one\ntwo\ttab \u2028 \u{1F6A2} ${process.env.HOME}",
  __proto__x: [true, false, null, 1.5, -2, 1e21, [], {}, { nested: [""] }],
};
const JSON_HEADER = { name: "Content-Type", value: "application/json" };
const CALLS: readonly (SampleCall & { why: string })[] = [
  { why: "a plain GET", ...toGet("/v1/cities?near=a%20b&size=2") },
  {
    ...{ why: "a POST with a body that is hard to quote", method: "POST", target: "/v1/cities" },
    ...{ headers: [JSON_HEADER], body: JSON.stringify(HARD, null, 2) },
  },
  {
    ...{ why: "a PUT whose body names __proto__", method: "PUT", target: "/v1/cities" },
    ...{ headers: [JSON_HEADER], body: '{"__proto__": {"a": 1}}' },
  },
  {
    ...{ why: "a PATCH with a text and a header of its own", method: "PATCH", target: "/v1/notes" },
    headers: [
      { name: "X-Tide", value: `it's "low" $HOME` },
      { name: "Content-Type", value: "text/plain" },
    ],
    body: "@it's a\nnote",
  },
  {
    ...{ why: "a DELETE without an answer", method: "DELETE", target: "/v1/cities/berlin" },
    ...{ headers: [], body: null },
  },
];

describe.each(languages)("the sample in %s", (language) => {
  it.each(CALLS)("sends $why exactly", async ({ why: _, ...call }) => {
    const sample = toCodeSamples(gatewayUrl, call, KEY).find(({ id }) => id === language);
    await RUNNERS[language]?.(sample?.code ?? "");
    const [found] = received;
    expect(received).toHaveLength(1);
    expect(found).toMatchObject({ method: call.method, url: call.target });
    expect(found?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      ...Object.fromEntries(call.headers.map(({ name, value }) => [name.toLowerCase(), value])),
    });
    const isJson = call.headers.includes(JSON_HEADER);
    const read = (body: string): unknown => (isJson ? JSON.parse(body) : body);
    expect(read(found?.body ?? "")).toEqual(read(call.body ?? ""));
  });
});

it("reads the key from a variable while it is not known", () => {
  for (const { id, code } of toCodeSamples(gatewayUrl, toGet("/v1/cities"))) {
    expect(code.includes(id === "nginx" ? "YOUR_KEY" : "API_KEY"), id).toBe(true);
  }
});
