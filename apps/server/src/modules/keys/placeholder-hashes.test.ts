import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { formatKey, KEY_RANDOM_BYTES, parseKey } from "@turnpike/domain/keys/key-format";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashKey } from "./hash-key.ts";
import { findPlaceholderHashes } from "./placeholder-hashes.ts";

const ROOT = resolve(import.meta.dirname, "../../../../..");
const SAMPLES = [
  "README.md",
  "docs/**/*.md",
  "examples/**/*.{md,sh,ts,mjs,yaml,yml,conf}",
  "packages/sdk/**/*.md",
  "apps/console/src/components/code-samples.view-model.ts",
  "apps/console/src/features/quickstart/*.ts",
  "apps/console/src/features/plans/meters/meter.view-model.ts",
];
const TEXT = String.raw`(?<text>[^\s"'\x60\\),;]+)`;
/** Where a sample shows a key: in a header, in the body of a verification, or as a variable. */
const PLACES = [
  new RegExp(String.raw`\bBearer ${TEXT}`, "g"),
  new RegExp(String.raw`\bX-Api-Key: ${TEXT}`, "gi"),
  new RegExp(`'{"key": "${TEXT}"`, "g"),
  new RegExp(String.raw`\b[A-Z_]*KEY(?:_PLACEHOLDER)?\s*=\s*"?${TEXT}`, "g"),
];
/** What follows the word Bearer in sentences, patterns and challenges, and code that puts a key in. */
const NO_SAMPLE = /^(?:token|tokens|or|and|credential|-|resource_metadata=)$|[{}|:(+]|^\.\.\.$/;

async function listAllowed(texts: readonly string[]): Promise<string[]> {
  const refused = await findPlaceholderHashes(texts.map(hashKey));
  return texts.filter((text) => !refused.has(hashKey(text)));
}

function listSamples(): string[] {
  const exclude = (path: string) => /(?:^|\/)node_modules(?:\/|$)|[.]test[.]/.test(path);
  const found = globSync(SAMPLES, { cwd: ROOT, exclude }).flatMap((file) => {
    const content = readFileSync(resolve(ROOT, file), "utf8");
    return PLACES.flatMap((place) =>
      [...content.matchAll(place)].map(({ groups }) => groups?.["text"] ?? ""),
    );
  });
  return [...new Set(found)].filter((text) => !NO_SAMPLE.test(text));
}

describe("the texts that clients send by mistake", () => {
  it("are known in every case, spelling and wrapping that templates leave", async () => {
    const texts =
      `undefined null NULL None NaN false true 0 "" '' - [object] {} YOUR_API_KEY your-api-key yourApiKey
      YourApiKey YOUR_KEY YOUR_KEY_HERE API_KEY_HERE <YOUR_API_KEY> {{API_KEY}} \${API_KEY} $API_KEY %API_KEY% "undefined"
      'null' changeme CHANGE_ME test TEST test123 demo password Password1 secret xxx xxxxxxxxxxxxxxxx 0000 12345678 1234567890
      abcdef abcdefgh qwerty letmein sk-xxxxxxxxxxxxxxxx sk_live_000000 00000000-0000-0000-0000-000000000000 foo bar foobar a
      ab ab1 mF_9.B5f-4.1JqM DEMO_KEY key token apikey api_key my_api_key insert-your-token placeholder ... TODO`
        .split(/\s+/)
        .concat(
          "",
          " undefined",
          "undefined ",
          "null\n",
          "Bearer undefined",
          "bearer YOUR_TOKEN",
          "your api key here",
          "[object Object]",
          "hello world",
          "Replace With Your Token",
        );
    expect(await listAllowed(texts)).toEqual([]);
  });

  it("include the key of every sample in this repository, unless its form is refused anyway", async () => {
    const samples = listSamples();
    expect(samples.length).toBeGreaterThanOrEqual(4);
    const possible = samples.filter((text) => parseKey(text).form !== "malformed");
    expect(possible.length).toBeGreaterThanOrEqual(2);
    expect(await listAllowed(possible)).toEqual([]);
  });

  it("include no random text of 16 characters or more", async () => {
    const bytes = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES });
    const text = fc
      .uint8Array({ minLength: 12, maxLength: 48 })
      .filter((value) => new Set(value).size > 6)
      .map((value) => Buffer.from(value).toString("base64url"));
    await fc.assert(
      fc.asyncProperty(bytes, text, async (own, foreign) => {
        fc.pre(new Set(own).size > 40);
        const keys = [formatKey("live", own).key, foreign];
        expect(await listAllowed(keys)).toEqual(keys);
      }),
    );
  });
});
