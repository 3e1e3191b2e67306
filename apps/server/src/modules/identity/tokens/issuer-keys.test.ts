import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createFakeClock, type FakeClock } from "@turnpike/testkit/fake-clock";
import { createTestIssuer, type TestIssuer } from "@turnpike/testkit/id-tokens";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { createOutbound, type Outbound } from "#platform/outbound.ts";
import { createTrustedIssuers } from "./trusted-issuers.ts";
import { createTokenVerifier } from "./verify-id-token.ts";

const MINUTE_MS = 60_000;

let clock: FakeClock;
let server: Server;
let issuer: string;
let outbound: Outbound;
let first: TestIssuer;
/** Paths requested from the issuer so far. */
let asked: string[];
let keys: JWK[];
/** Overrides the usual answers while set. */
let answer: ((path: string, res: ServerResponse) => void) | undefined;
let verify: ReturnType<typeof createTokenVerifier>;

function sendJson(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { "content-type": "application/json" });
  res.end(JSON.stringify(value));
}

function answerUsually(path: string, res: ServerResponse): void {
  if (path === "/realm/.well-known/openid-configuration") {
    sendJson(res, { issuer, jwks_uri: `${issuer}/keys` });
  } else if (path === "/realm/keys") {
    sendJson(res, { keys });
  } else {
    res.writeHead(404).end();
  }
}

beforeEach(async () => {
  clock = createFakeClock();
  asked = [];
  answer = undefined;
  server = createServer((req, res) => {
    asked.push(req.url ?? "");
    (answer ?? answerUsually)(req.url ?? "", res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/realm`;
  first = await createTestIssuer({ issuer, clientId: "console", now: clock.now });
  keys = [...first.publicKeys()];
  outbound = createOutbound();
  verify = createVerifier();
});
afterEach(async () => {
  await outbound.close();
  server.close();
  server.closeAllConnections();
});

/** A process that has just started. */
function createVerifier(): ReturnType<typeof createTokenVerifier> {
  const logger = createLogger({ level: "silent" });
  return createTokenVerifier({
    clock,
    issuers: createTrustedIssuers(
      { outbound, clock, logger },
      { builtin: undefined, providers: [{ issuer, clientId: "console" }] },
    ),
  });
}

/** Another key of the issuer, and a function that signs with it. */
async function rotate(kid: string): Promise<{ key: JWK; mint(): Promise<string> }> {
  const pair = await generateKeyPair("ES256", { extractable: true });
  const seconds = () => Math.floor(clock.now().getTime() / 1_000);
  return {
    key: { ...(await exportJWK(pair.publicKey)), kid, alg: "ES256", use: "sig" },
    mint: () =>
      new SignJWT({ iss: issuer, aud: "console", sub: "p", iat: seconds(), exp: seconds() + 900 })
        .setProtectedHeader({ alg: "ES256", kid })
        .sign(pair.privateKey),
  };
}

const fetches = () => asked.filter((path) => path === "/realm/keys").length;

describe("keys of an issuer", () => {
  it("are found through its discovery document, once for any number of tokens", async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => first.mintIdToken()));
    const verdicts = await Promise.all(tokens.map((token) => verify(token)));
    expect(new Set(verdicts.map((verdict) => verdict.kind))).toEqual(new Set(["valid"]));
    expect(asked).toEqual(["/realm/.well-known/openid-configuration", "/realm/keys"]);
    expect(verdicts[0]).toMatchObject({ claims: { issuer } });
  });

  it("are fetched again for a new key, so that a rotation refuses no one", async () => {
    await verify(await first.mintIdToken());
    const second = await rotate("second");
    keys = [...keys, second.key];
    clock.advance(MINUTE_MS);
    expect((await verify(await second.mint())).kind).toBe("valid");
    expect(fetches()).toBe(2);
  });

  it("are not fetched for each of a flood of tokens with unknown keys", async () => {
    await verify(await first.mintIdToken());
    clock.advance(MINUTE_MS);
    const forged = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        (await rotate(`evil-${String(index)}`)).mint(),
      ),
    );
    for (const token of forged) {
      expect((await verify(token)).kind).toBe("refused");
    }
    expect(fetches()).toBe(2);
    clock.advance(MINUTE_MS);
    await verify(forged[0] ?? "");
    expect(fetches()).toBe(3);
  });

  it("are refused once the issuer has withdrawn them", async () => {
    await verify(await first.mintIdToken());
    keys = [(await rotate("second")).key];
    clock.advance(11 * MINUTE_MS);
    await verify(await first.mintIdToken());
    const isGone = async () => (await verify(await first.mintIdToken())).kind === "refused";
    expect(await pollUntil("the old key is refused", isGone)).toBe(true);
  });

  it("stay valid while the issuer is down", async () => {
    await verify(await first.mintIdToken());
    answer = (_, res) => res.destroy();
    clock.advance(24 * 60 * MINUTE_MS);
    for (let round = 0; round < 3; round += 1) {
      expect((await verify(await first.mintIdToken())).kind).toBe("valid");
      clock.advance(MINUTE_MS);
    }
  });

  it("answer 503 while they were never fetched, and are retried", async () => {
    answer = (_, res) => res.writeHead(500).end();
    const token = await first.mintIdToken();
    await expect(verify(token)).rejects.toMatchObject({
      code: "IDENTITY_PROVIDER_UNAVAILABLE",
      headers: { "retry-after": "5" },
    });
    answer = undefined;
    await expect(verify(token)).rejects.toMatchObject({ code: "IDENTITY_PROVIDER_UNAVAILABLE" });
    expect(asked).toHaveLength(1);
    clock.advance(MINUTE_MS);
    expect((await verify(await first.mintIdToken())).kind).toBe("valid");
  });

  it("are not accepted from anyone else", async () => {
    const evil = createServer((req, res) => {
      asked.push(`evil ${req.url ?? ""}`);
      sendJson(res, { keys });
    });
    evil.listen(0, "127.0.0.1");
    await once(evil, "listening");
    const elsewhere = `http://127.0.0.1:${String((evil.address() as AddressInfo).port)}`;
    const answers: Record<string, (path: string, res: ServerResponse) => void> = {
      "a redirect": (_, res) => res.writeHead(302, { location: `${elsewhere}/` }).end(),
      "another issuer": (_, res) => sendJson(res, { issuer: elsewhere, jwks_uri: elsewhere }),
      "no TLS elsewhere": (_, res) =>
        sendJson(res, { issuer, jwks_uri: "http://keys.example.com/" }),
      "a file": (_, res) => sendJson(res, { issuer, jwks_uri: "file:///etc/passwd" }),
      "no JSON": (_, res) => res.end("<html>"),
      "a list": (_, res) => sendJson(res, []),
      "more than is read": (_, res) => res.end(`"${"x".repeat(300 * 1024)}"`),
      "keys that are none": (path, res) =>
        path.endsWith("keys") ? sendJson(res, { keys: "all" }) : answerUsually(path, res),
    };
    for (const [name, reply] of Object.entries(answers)) {
      answer = reply;
      const fresh = createVerifier();
      await expect(fresh(await first.mintIdToken()), name).rejects.toMatchObject({
        code: "IDENTITY_PROVIDER_UNAVAILABLE",
      });
    }
    expect(asked.filter((path) => path.startsWith("evil"))).toEqual([]);
    evil.close();
  });
});
