import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseKeyHash } from "./key-hash.ts";

describe("parseKeyHash", () => {
  it("reads every spelling of one SHA-256 as the same", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const hex = hash("sha256", key, "hex");
        const bytes = Buffer.from(hex, "hex");
        const spellings = [
          hex,
          hex.toUpperCase(),
          bytes.toString("base64"),
          bytes.toString("base64").replace("=", ""),
          bytes.toString("base64url"),
        ];
        expect(new Set(spellings.map(parseKeyHash))).toEqual(new Set([hex]));
      }),
    );
  });

  it("refuses other algorithms, salted hashes, other lengths and non-canonical base64", () => {
    const sha256 = Buffer.from(hash("sha256", "a", "hex"), "hex").toString("base64");
    const last = sha256.at(-2) ?? "";
    for (const text of [
      "",
      hash("md5", "a", "hex"),
      hash("sha1", "a", "hex"),
      hash("sha1", "a", "base64"),
      hash("sha512", "a", "hex"),
      hash("sha512", "a", "base64"),
      "$2b$12$KIXQ8m0bq5c0v4fM8tqFUeW9w3q7m7y1d9Z3k1nKQxq5u1x0m1r8K",
      `sha256:${hash("sha256", "a", "hex")}`,
      ` ${hash("sha256", "a", "hex")}`,
      `${hash("sha256", "a", "hex")}\n`,
      `${sha256.slice(0, 42)}${String.fromCharCode(last.charCodeAt(0) + 1)}=`,
    ]) {
      expect(parseKeyHash(text), text).toBeUndefined();
    }
  });
});
