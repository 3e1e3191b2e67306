import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import { toMailText } from "@turnpike/domain/mail/mail-content";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices } from "@turnpike/testkit/test-services";
import * as openid from "openid-client";
import { createApiServer } from "#http/api-server.ts";
import { createContractHandler } from "#http/contract-handler.ts";
import { createProblemRenderer } from "#http/problem-details.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { RecentRequests } from "#platform/loop-watch.ts";
import { createOutbound } from "#platform/outbound.ts";
import { createAccountRoutes } from "../own-account/own-account.routes.ts";
import {
  createIdentityProvider,
  type IdentityProvider,
  type IdentityProviderOptions,
} from "../provider/provider.routes.ts";
import type { SingleSignOn } from "../provider/sso-form.routes.ts";
import { BUILTIN_ISSUER, createTrustedIssuers } from "../tokens/trusted-issuers.ts";
import { createTokenVerifier } from "../tokens/verify-id-token.ts";
import { createUserDirectory } from "../users/user-directory.ts";

export type SentMail = { to: string; subject: string; text: string; kind: string };

/** An answer whose JSON tests read without parsing it first. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong name in a test shows as a failure of that test
export type Reply = { status: number; headers: Headers; text: string; json: any };

export type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
export type SignIn = { tokens: Tokens; claims: openid.IDToken };

type Credentials = { email: string; password: string; name?: string };

export type AuthorizationRequest = {
  url: URL;
  verifier: string;
  state: string;
  nonce: string;
};

/** A client that keeps cookies as a browser does, on pages of the console. */
export interface TestBrowser {
  cookies: Map<string, { value: string; path: string; attributes: string }>;
  /** Makes one request. The path may be a full address. */
  call(
    method: string,
    path: string,
    options?: { json?: unknown; form?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<Reply>;
  /** Follows redirects. @returns The last address. */
  follow(address: string | URL): Promise<URL>;
  /** Starts a sign-in. @returns The uid of the interaction. */
  begin(
    parameters?: Record<string, string>,
  ): Promise<{ request: AuthorizationRequest; uid: string }>;
  /** Submits the form of the sign-in or the registration, and continues to the code. */
  submit(uid: string, form: "login" | "register", input: Credentials): Promise<URL>;
  signIn(input: Credentials): Promise<SignIn>;
  register(input: Credentials): Promise<SignIn>;
}

export type IdentityFixture = {
  /** The public address of the console, without a slash at the end. */
  url: string;
  services: AppServices;
  mails: SentMail[];
  logged(): string;
  provider(): IdentityProvider;
  oidc(): Promise<openid.Configuration>;
  /** @param address - Of the browser; left out: one in a network of its own. */
  browser(address?: string, userAgent?: string): TestBrowser;
  /** Calls the API of people's own accounts with an ID token. */
  api(idToken: string | undefined, method: string, path: string, body?: object): Promise<Reply>;
  /** People whose agents were ended. */
  agentsEndedOf: UserId[];
  /** Stops our clocks while `work` runs, so that no limit refills. */
  stopClock<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Moves our clocks on. */
  advance(ms: number): void;
  /** Ends the provider and starts another on the same database and address. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** So cheap that hundreds of sign-ins take no time. */
export const CHEAP_HASHES = { memoryKib: 64, passes: 1, parallelism: 1 };

let seen = 0;

/** An account that no other test has. */
export function newCredentials(): Credentials {
  seen += 1;
  const email = `person${String(seen)}@example.test`;
  return { email, password: `violet harbour ${String(seen)}` };
}

/** An address in a network and a block that no other test uses. */
export function newAddress(): string {
  seen += 1;
  return `2001:db8:${seen.toString(16)}::1`;
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

function createTestBrowser(input: {
  url: string;
  address: string;
  userAgent: string;
  oidc(): Promise<openid.Configuration>;
}): TestBrowser {
  const { url } = input;
  const cookies: TestBrowser["cookies"] = new Map();

  function keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const name = pair.slice(0, pair.indexOf("="));
      const value = pair.slice(pair.indexOf("=") + 1);
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
      if (value === "") {
        cookies.delete(`${name} ${path}`);
      } else {
        cookies.set(`${name} ${path}`, { value, path, attributes: attributes.join("; ") });
      }
    }
  }

  function cookieHeader(path: string): string {
    return [...cookies]
      .filter(
        ([, { path: scope }]) => scope === "/" || path === scope || path.startsWith(`${scope}/`),
      )
      .map(([key, { value }]) => `${key.slice(0, key.indexOf(" "))}=${value}`)
      .join("; ");
  }

  const browser: TestBrowser = {
    cookies,
    async call(method, path, options = {}) {
      const address = new URL(path, url);
      const { json, form } = options;
      const type = json === undefined ? "application/x-www-form-urlencoded" : "application/json";
      const body = json === undefined ? new URLSearchParams(form).toString() : JSON.stringify(json);
      const response = await fetch(address, {
        method,
        redirect: "manual",
        headers: {
          "x-forwarded-for": input.address,
          "user-agent": input.userAgent,
          ...(cookies.size === 0 ? {} : { cookie: cookieHeader(address.pathname) }),
          ...(method === "GET" ? {} : { origin: url, "content-type": type }),
          ...options.headers,
        },
        ...(method === "GET" ? {} : { body }),
      });
      keepCookies(response.headers);
      return await toReply(response);
    },
    async follow(address) {
      let place = new URL(address, url);
      for (let hop = 0; hop < 10; hop += 1) {
        const reply = await browser.call("GET", place.href);
        const next = reply.headers.get("location");
        if (next === null) {
          return place;
        }
        place = new URL(next, place);
      }
      throw new Error("Too many redirects.");
    },
    async begin(parameters = {}) {
      const verifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const nonce = openid.randomNonce();
      const request = {
        verifier,
        state,
        nonce,
        url: openid.buildAuthorizationUrl(await input.oidc(), {
          redirect_uri: `${url}/login`,
          scope: "openid email profile",
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          state,
          nonce,
          prompt: "login",
          ...parameters,
        }),
      };
      const landed = await browser.follow(request.url);
      return { request, uid: landed.searchParams.get("interaction") ?? `none: ${landed.href}` };
    },
    async submit(uid, form, credentials) {
      const reply = await browser.call("POST", `/idp/interaction/${uid}/${form}`, {
        json: credentials,
      });
      if (reply.status !== 200) {
        throw new Error(`The form was refused: ${reply.text}`);
      }
      return await browser.follow(String(reply.json.redirectTo));
    },
    signIn: (credentials) => finish("login", credentials),
    register: (credentials) => finish("register", credentials),
  };

  async function finish(form: "login" | "register", credentials: Credentials): Promise<SignIn> {
    const { request, uid } = await browser.begin({ prompt: form === "login" ? "login" : "create" });
    const landed = await browser.submit(uid, form, credentials);
    const tokens = await openid.authorizationCodeGrant(await input.oidc(), landed, {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) {
      throw new Error("There is no ID token.");
    }
    return { tokens, claims };
  }

  return browser;
}

/** The provider behind a real listener, on a test's own database. Mails are kept instead of sent. */
export async function startIdentityProvider(
  database: TestDatabase,
  options: Partial<IdentityProviderOptions> = {},
  /** Makes the single sign-on of tenants; left out: there is none. */
  openSingleSignOn?: (services: AppServices, url: string) => SingleSignOn,
): Promise<IdentityFixture> {
  const lines: string[] = [];
  let offsetMs = 0;
  let stopped: { nowMs: number; monotonicMs: number } | undefined;
  const services: AppServices = {
    ...createLiveServices(database),
    clock: {
      now: () => new Date((stopped?.nowMs ?? systemClock.now().getTime()) + offsetMs),
      monotonicMs: () => (stopped?.monotonicMs ?? systemClock.monotonicMs()) + offsetMs,
    },
    logger: createLogger({ level: "trace", destination: { write: (line) => lines.push(line) } }),
  };
  const mails: SentMail[] = [];
  let provider: IdentityProvider | undefined;
  const agentsEndedOf: UserId[] = [];
  const agents = {
    endAgentsOf: (_tx: Tx, userId: UserId) => {
      agentsEndedOf.push(userId);
      return Promise.resolve();
    },
  };
  const router = {
    account: createAccountRoutes({
      ...services,
      agents,
      tenants: { listMemberships: () => Promise.resolve([]), leave: () => Promise.resolve() },
      resources: [],
      verifyToken: () => Promise.reject(new Error("No provider is connected here.")),
      providers: [],
      trustedIssuers: new Set([BUILTIN_ISSUER]),
      mailer: { sendMail: () => Promise.reject(new Error("No provider is connected here.")) },
      stage: { brand: "Turnpike", consoleUrl: "http://console.test" },
      get accounts() {
        return provider?.ownAccounts;
      },
    }),
  };
  /** Reads people anew for each call: no feed of changes runs here. */
  const findActor = async (token: string) => {
    const builtin = provider;
    const users = createUserDirectory({
      ...services,
      verifyToken: createTokenVerifier({
        clock: services.clock,
        issuers: createTrustedIssuers(
          { ...services, outbound: createOutbound() },
          { builtin, providers: [] },
        ),
      }),
      roles: {
        listRoles: () => Promise.resolve(new Map()),
        listActing: () => Promise.resolve(new Map()),
      },
      operators: [],
    });
    return await users.findActor(token);
  };
  const renderProblem = createProblemRenderer("http://docs.test");
  const server = createApiServer({
    mounts: [
      {
        prefix: "/idp",
        handle: async (req, res) => {
          await provider?.handle(req, res);
        },
      },
    ],
    rawRoutes: [],
    contract: createContractHandler(router, { renderProblem, onFailure: () => undefined }),
    serveConsole: (_req, res) => {
      res.writeHead(200, { "content-type": "text/html" });
      res.end("<!doctype html><title>Console</title>");
      return true;
    },
    findActor,
    renderProblem,
    newId: services.newId,
    logger: services.logger,
    corsOrigins: ["https://other.test"],
    takeWrite: () => undefined,
    recent: new RecentRequests(),
    trustedProxies: { has: () => false },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

  async function start(): Promise<IdentityProvider> {
    return await createIdentityProvider(
      {
        ...services,
        agents,
        singleSignOn: openSingleSignOn?.(services, url),
        mailer: {
          sendMail: async (_tx, mail) => {
            const { content, to, subject, kind } = mail;
            mails.push({ to, subject, kind, text: `${toMailText(content)}\n` });
          },
        },
      },
      {
        consoleUrl: url,
        brand: "Turnpike",
        confirmEmail: false,
        passwordLengthMin: 12,
        secret: "a secret of identity that only tests use",
        trustedProxies: ["127.0.0.1"],
        passwordCost: CHEAP_HASHES,
        ...options,
      },
    );
  }
  provider = await start();
  let discovered: Promise<openid.Configuration> | undefined;
  const oidc = () => {
    discovered ??= openid.discovery(
      new URL(`${url}/idp`),
      "console",
      undefined,
      openid.None(),
      // Also verifies signatures, not only what TLS would guarantee.
      { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
    );
    return discovered;
  };

  return {
    url,
    services,
    mails,
    logged: () => lines.join(""),
    provider: () => {
      if (provider === undefined) {
        throw new Error("The provider is not running.");
      }
      return provider;
    },
    oidc,
    browser: (address = newAddress(), userAgent = "") =>
      createTestBrowser({ url, oidc, address, userAgent }),
    agentsEndedOf,
    async api(idToken, method, path, body) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          ...(idToken === undefined ? {} : { authorization: `Bearer ${idToken}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await toReply(response);
    },
    async stopClock(work) {
      stopped = { nowMs: systemClock.now().getTime(), monotonicMs: systemClock.monotonicMs() };
      try {
        return await work();
      } finally {
        stopped = undefined;
      }
    },
    advance: (ms) => {
      offsetMs += ms;
      // The client caches keys by the system's clock.
      discovered = undefined;
    },
    async restart() {
      await provider?.stop();
      provider = await start();
      discovered = undefined;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await provider?.stop();
    },
  };
}
