import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { OAuth2Server } from "oauth2-mock-server";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import { systemClock } from "#platform/clock.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { createLogger } from "#platform/logger.ts";
import { createAttemptLimits } from "../attempts/attempt-limits.ts";
import { createCodeExchangeRoutes } from "./code-exchange.routes.ts";
import { toNonce } from "./code-exchange.ts";

const CONSOLE = "https://console.example";
const VERIFIER = "v".repeat(43);
const SECRET = "CANARY-secret:+/";

let provider: OAuth2Server;
let served: ApiFixture;
/** What the provider's token endpoint was asked, newest last. */
let asked: { body: Record<string, string> }[];
/** What it answers instead of tokens. */
let refusal: { status: number; error: string } | undefined;
let log: string;

beforeAll(async () => {
  provider = new OAuth2Server();
  await provider.issuer.keys.generate("RS256");
  await provider.start(0, "127.0.0.1");
  const issuer = provider.issuer.url ?? "";
  provider.service.on("beforeTokenSigning", ({ payload }) => {
    Object.assign(payload, { aud: "turnpike" });
  });
  provider.service.on("beforeResponse", (answer, req) => {
    asked.push({ body: { ...req.body } });
    if (refusal !== undefined) {
      Object.assign(answer, { statusCode: refusal.status, body: { error: refusal.error } });
    }
  });
  served = await serveModule({
    router: {},
    actors: {},
    rawRoutes: createCodeExchangeRoutes({
      clock: systemClock,
      logger: createLogger({
        level: "trace",
        destination: {
          write: (line: string) => {
            log += line;
          },
        },
      }),
      outbound: createGuardedOutbound({ allowPrivate: ["127.0.0.1", "localhost"] }),
      attempts: createAttemptLimits(createFakeClock()),
      clients: [{ id: "google", issuer, clientId: "turnpike", clientSecret: SECRET }],
      consoleUrl: CONSOLE,
    }),
  });
});
afterAll(async () => {
  await served.close();
  await provider.stop();
});
beforeEach(() => {
  asked = [];
  refusal = undefined;
  log = "";
});

function post(form: Record<string, string>, { origin = CONSOLE, id = "google" } = {}) {
  return fetch(`${served.url}/auth/providers/${id}/token`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams(form),
  });
}

const REDEEM = { grant_type: "authorization_code", code: "c0de", code_verifier: VERIFIER };

/** Lets the provider give a code as a browser would. */
async function authorize(nonce: string): Promise<typeof REDEEM> {
  const url = new URL(`${provider.issuer.url ?? ""}/authorize`);
  url.search = new URLSearchParams({
    client_id: "turnpike",
    redirect_uri: `${CONSOLE}/login`,
    response_type: "code",
    scope: "openid",
    state: "s",
    nonce,
    code_challenge: await calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: "S256",
  }).toString();
  const { headers } = await fetch(url, { redirect: "manual" });
  const code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
  return { ...REDEEM, code };
}

describe("the exchange of codes by the server", () => {
  it("describes the provider, with itself as the place of tokens", async () => {
    const answer = await fetch(`${served.url}/auth/providers/google/configuration`);
    expect(await answer.json()).toMatchObject({
      issuer: provider.issuer.url,
      authorization_endpoint: expect.stringContaining(`${provider.issuer.url ?? ""}/`),
      token_endpoint: `${CONSOLE}/auth/providers/google/token`,
    });
  });

  it("adds the secret and the exact redirect address, and gives the tokens and no secret", async () => {
    const answer = await post(await authorize(await toNonce(VERIFIER)));
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ id_token: expect.any(String) });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    // The provider's metadata do not offer the secret in a header.
    expect(asked[0]?.body).toMatchObject({
      client_secret: SECRET,
      redirect_uri: `${CONSOLE}/login`,
      code_verifier: VERIFIER,
    });
    expect(text + log).not.toContain("CANARY");
  });

  it("gives no tokens whose nonce is not made of the verifier, with which the provider is content", async () => {
    const answer = await post(await authorize(await toNonce("w".repeat(43))));
    expect([answer.status, await answer.json()]).toEqual([400, { error: "invalid_grant" }]);
    expect(asked).toHaveLength(1);
  });

  it("passes on what the provider refuses, and warns the operator of a wrong secret without it", async () => {
    refusal = { status: 401, error: "invalid_client" };
    const answer = await post({ grant_type: "refresh_token", refresh_token: "r1" });
    expect([answer.status, await answer.json()]).toEqual([400, { error: "invalid_client" }]);
    expect(log).toContain("a provider refuses our client");
    expect(log).not.toContain("CANARY");
  });

  it("asks the provider nothing for other sites, other providers and requests that are none", async () => {
    const answers = await Promise.all([
      post(REDEEM, { origin: "https://evil.example" }),
      post(REDEEM, { id: "other" }),
      post({ ...REDEEM, code_verifier: "short" }),
      post({ grant_type: "refresh_token" }),
      post({ grant_type: "client_credentials" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 404, 400, 400, 400]);
    expect(asked).toEqual([]);
  });
});
