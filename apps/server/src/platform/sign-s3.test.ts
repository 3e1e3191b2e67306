import { createHash } from "node:crypto";
import { verifySigV4 } from "@turnpike/testkit/verify-sigv4";
import { describe, expect, it } from "vitest";
import { signS3Address, signS3Headers } from "./sign-s3.ts";

/** From "Authenticating Requests (AWS Signature Version 4)" in the API reference of Amazon S3: its keys, times and signatures. */
const KEYS = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const NOW = new Date("2013-05-24T00:00:00Z");
const HOST = "examplebucket.s3.amazonaws.com";
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const BY_HEADERS = [
  {
    name: "GET of an object",
    method: "GET",
    target: "/test.txt",
    headers: { range: "bytes=0-9" },
    body: "",
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    name: "PUT of an object",
    method: "PUT",
    target: "/test%24file.text",
    headers: {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    },
    body: "Welcome to Amazon S3.",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    name: "GET of a setting of the bucket",
    method: "GET",
    target: "/?lifecycle=",
    headers: {},
    body: "",
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    name: "GET of a listing",
    method: "GET",
    target: "/?max-keys=2&prefix=J",
    headers: {},
    body: "",
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
] as const;
const BY_ADDRESS = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";

describe("signS3Headers", () => {
  it.each(BY_HEADERS)("signs AWS's example: $name", async (example) => {
    const { method, target, headers, body, signature } = example;
    const hash = createHash("sha256").update(body).digest("hex");
    const signed = await signS3Headers(KEYS, {
      method,
      url: `https://${HOST}${target}`,
      headers: { ...headers, "x-amz-content-sha256": hash },
      now: NOW,
    });
    expect(signed["authorization"]).toMatch(new RegExp(`, Signature=${signature}$`));
    const arrived = { method, target, headers: { ...signed, host: HOST }, body: Buffer.from(body) };
    expect(verifySigV4(arrived, KEYS, NOW.getTime())).toBeUndefined();
  });
});

describe("signS3Address", () => {
  it("signs AWS's example, for as long as it says", async () => {
    const address = await signS3Address(KEYS, {
      method: "GET",
      url: `https://${HOST}/test.txt`,
      headers: {},
      now: NOW,
      expiresInSeconds: 86_400,
    });
    const { pathname, search, searchParams } = new URL(address);
    expect(searchParams.get("X-Amz-Signature")).toBe(BY_ADDRESS);
    const arrived = {
      method: "GET",
      target: `${pathname}${search}`,
      headers: { host: HOST },
      body: Buffer.alloc(0),
    };
    expect(verifySigV4(arrived, KEYS, NOW.getTime() + 86_400_000)).toBeUndefined();
    expect(verifySigV4(arrived, KEYS, NOW.getTime() + 86_401_000)).toBe("AccessDenied");
  });
});

describe("the verification that tests rely on", () => {
  const [example] = BY_HEADERS;
  it("refuses what differs in anything from what was signed", async () => {
    const { method, target } = example;
    const headers = await signS3Headers(KEYS, {
      method,
      url: `https://${HOST}${target}`,
      headers: { ...example.headers, "x-amz-content-sha256": EMPTY },
      now: NOW,
    });
    const arrived = { method, target, headers: { ...headers, host: HOST }, body: Buffer.alloc(0) };
    const at = NOW.getTime();
    const check = (change: object, nowMs = at) =>
      verifySigV4({ ...arrived, ...change }, KEYS, nowMs);
    const withHeader = (name: string, value: string) => ({
      headers: { ...arrived.headers, [name]: value },
    });
    expect({
      nothing: check({}),
      method: check({ method: "DELETE" }),
      path: check({ target: "/other.txt" }),
      query: check({ target: `${target}?versionId=1` }),
      range: check(withHeader("range", "bytes=0-99")),
      host: check(withHeader("host", "other.example")),
      unsigned: check(withHeader("x-amz-acl", "public-read")),
      body: check({ body: Buffer.from("other") }),
      late: check({}, at + 16 * 60_000),
      noSignature: check(withHeader("authorization", "")),
      key: verifySigV4(arrived, { ...KEYS, accessKeyId: "other" }, at),
      secret: verifySigV4(arrived, { ...KEYS, secretAccessKey: "other" }, at),
      region: verifySigV4(arrived, { ...KEYS, region: "eu-central-1" }, at),
    }).toEqual({
      nothing: undefined,
      method: "SignatureDoesNotMatch",
      path: "SignatureDoesNotMatch",
      query: "SignatureDoesNotMatch",
      range: "SignatureDoesNotMatch",
      host: "SignatureDoesNotMatch",
      unsigned: "AccessDenied",
      body: "XAmzContentSHA256Mismatch",
      late: "RequestTimeTooSkewed",
      noSignature: "AccessDenied",
      key: "InvalidAccessKeyId",
      secret: "SignatureDoesNotMatch",
      region: "AuthorizationHeaderMalformed",
    });
  });
});
