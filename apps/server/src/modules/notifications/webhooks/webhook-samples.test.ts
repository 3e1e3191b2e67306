import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET_BYTES, signWebhook, toWebhookSecret } from "./sign-webhook.ts";

const PAGE = resolve(import.meta.dirname, "../../../../../../docs/webhooks.md");

/** @param part - A word of the sample, where the page has others in its language. */
function readSample(language: string, part = ""): string {
  const text = readFileSync(PAGE, "utf8");
  const samples = text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"));
  const sample = [...samples].map(([, code]) => code).find((code) => code?.includes(part));
  if (sample === undefined) {
    throw new Error(`docs/webhooks.md has no sample in ${language}.`);
  }
  return sample;
}

function hasProgram(file: string, ask: string): boolean {
  try {
    execFileSync(file, [ask], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const body = '{"type":"ping","data":{"name":"Ünïcode €"}}';
const secret = toWebhookSecret(new Uint8Array(SECRET_BYTES).map((_, index) => index * 7));
const other = toWebhookSecret(new Uint8Array(SECRET_BYTES));
const now = new Date();
const headers = signWebhook({ secrets: [other, secret], messageId: "msg_1", at: now, body });
const old = signWebhook({
  secrets: [secret],
  messageId: "msg_1",
  at: new Date(now.getTime() - 301_000),
  body,
});
const CASES = [
  { headers, body, secret, isGenuine: true },
  { headers, body, secret: other, isGenuine: true },
  { headers, body: `${body} `, secret, isGenuine: false },
  { headers: { ...headers, "webhook-id": "msg_2" }, body, secret, isGenuine: false },
  { headers: { ...headers, "webhook-signature": "v1,AAAA v2" }, body, secret, isGenuine: false },
  { headers: { ...headers, "webhook-timestamp": "soon" }, body, secret, isGenuine: false },
  { headers: old, body, secret, isGenuine: false },
];

describe("the samples of docs/webhooks.md", () => {
  let folder: TempFolder;
  beforeAll(async () => {
    folder = await makeTempFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("distinguish genuine messages in Node", async () => {
    const path = join(folder.path, "verify.mjs");
    await writeFile(path, readSample("js"));
    const { isGenuine } = (await import(path)) as {
      isGenuine(secret: string, headers: object, body: string): boolean;
    };
    expect(CASES.map((each) => isGenuine(each.secret, each.headers, each.body))).toEqual(
      CASES.map((each) => each.isGenuine),
    );
  });

  // Not every machine that builds Turnpike has Python.
  it.skipIf(!hasProgram("python3", "--version"))(
    "distinguish genuine messages in Python",
    async () => {
      const path = join(folder.path, "verify.py");
      const run = `${readSample("python")}
import json, sys
def decide(case):
    try:
        return is_genuine(case["secret"], case["headers"], case["body"].encode())
    except ValueError:
        return False
print(json.dumps([decide(case) for case in json.load(sys.stdin)]))
`;
      await writeFile(path, run);
      const output = execFileSync("python3", [path], { input: JSON.stringify(CASES) });
      expect(JSON.parse(output.toString())).toEqual(CASES.map((each) => each.isGenuine));
    },
  );

  it.skipIf(!hasProgram("openssl", "version"))("print the signature in a shell", async () => {
    await writeFile(join(folder.path, "body.json"), body);
    const output = execFileSync("sh", ["-c", readSample("sh", "openssl")], {
      cwd: folder.path,
      env: {
        PATH: process.env["PATH"],
        SECRET: secret,
        WEBHOOK_ID: headers["webhook-id"],
        WEBHOOK_TIMESTAMP: headers["webhook-timestamp"],
      },
    });
    expect(headers["webhook-signature"].split(" ")).toContain(`v1,${output.toString().trim()}`);
  });
});
