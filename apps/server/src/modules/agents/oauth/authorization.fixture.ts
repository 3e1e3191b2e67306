import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { TestApp } from "@turnpike/testkit/test-app";

/** A name of this machine: clients send no tokens to other addresses without TLS. */
export const CONSOLE_URL = "http://console.localhost";
export const MCP_URL = `${CONSOLE_URL}/mcp`;
export const CALLBACK = "http://127.0.0.1:4711/callback";

/** Requests to the public address, sent to where the app listens. */
export function createFetch(app: Pick<TestApp, "url">) {
  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = String(input instanceof Request ? input.url : input);
    return await fetch(url.replace(CONSOLE_URL, app.url), { redirect: "manual", ...init });
  };
}

/** What the official client keeps of a sign-in. */
export type KeptSignIn = {
  clientInformation?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  verifier?: string;
  discovery?: OAuthDiscoveryState;
  /** Where the person is sent. */
  authorizationUrl?: URL;
};

export type ClientOptions = { name?: string; documentUrl?: string; redirectUris?: string[] };

export function createClientProvider(
  kept: KeptSignIn,
  options: ClientOptions = {},
): OAuthClientProvider {
  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: options.name ?? "Test assistant",
      redirect_uris: options.redirectUris ?? [CALLBACK],
      token_endpoint_auth_method: "client_secret_post",
    },
    ...(options.documentUrl === undefined ? {} : { clientMetadataUrl: options.documentUrl }),
    state: () => "a-state",
    clientInformation: () => kept.clientInformation,
    saveClientInformation: (information) => {
      kept.clientInformation = information;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.authorizationUrl = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state) => {
      kept.discovery = state;
    },
    invalidateCredentials: () => {
      delete kept.tokens;
    },
  };
}

/** Connects the official client. @throws {UnauthorizedError} When a person must decide first. */
export async function connectClient(
  app: TestApp,
  kept: KeptSignIn,
  options: ClientOptions = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    authProvider: createClientProvider(kept, options),
    fetch: createFetch(app),
  });
  await client.connect(transport);
  return { client, transport };
}

/** Keeps cookies as a browser does. */
export function createBrowser(app: Pick<TestApp, "url">) {
  const cookies = new Map<string, { value: string; path: string }>();
  const send = createFetch(app);

  async function call(
    method: string,
    path: string,
    options: { json?: unknown; token?: string } = {},
  ) {
    const url = new URL(path, CONSOLE_URL);
    const cookie = [...cookies.values()]
      .filter(({ path: scope }) => scope === "/" || url.pathname.startsWith(scope))
      .map(({ value }) => value)
      .join("; ");
    const response = await send(url, {
      method,
      headers: {
        cookie,
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(options.json === undefined
          ? {}
          : { origin: CONSOLE_URL, "content-type": "application/json" }),
      },
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const scope = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
      const name = `${pair.slice(0, pair.indexOf("="))} ${scope}`;
      if (pair.endsWith("=")) {
        cookies.delete(name);
      } else {
        cookies.set(name, { value: pair, path: scope });
      }
    }
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      location: response.headers.get("location"),
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  return {
    call,
    /** Opens the page where the person decides. @returns The id of the request; the address it led to instead. */
    async open(authorizationUrl: URL): Promise<{ uid: string | null; landed: URL }> {
      let landed = authorizationUrl;
      for (let hop = 0; hop < 5 && landed.origin === CONSOLE_URL; hop += 1) {
        const { location } = await call("GET", landed.href);
        if (location === null) {
          break;
        }
        landed = new URL(location, CONSOLE_URL);
        if (landed.pathname === "/connect") {
          break;
        }
      }
      return { uid: landed.searchParams.get("request"), landed };
    },
    /** Decides, and goes back to the program. @returns The address that the program is called at. */
    async decide(uid: string, token: string, decision: object): Promise<URL> {
      const reply = await call("POST", `/oauth/requests/${uid}/decision`, {
        json: decision,
        token,
      });
      if (reply.status !== 200) {
        throw new Error(`The decision was refused: ${JSON.stringify(reply.json)}`);
      }
      const { location } = await call("GET", String(reply.json.redirectTo));
      return new URL(location ?? "http://nowhere.invalid");
    },
  };
}

export type TestBrowser = ReturnType<typeof createBrowser>;

/** Lets the official client begin, up to the page where the person decides. */
export async function askToConnect(
  app: TestApp,
  kept: KeptSignIn,
  options: ClientOptions = {},
  browser: TestBrowser = createBrowser(app),
): Promise<{ uid: string; browser: TestBrowser; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    authProvider: createClientProvider(kept, options),
    fetch: createFetch(app),
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport).catch((error: unknown) => {
    if (!(error instanceof UnauthorizedError)) {
      throw error;
    }
  });
  const { uid, landed } = await browser.open(kept.authorizationUrl ?? new URL(CONSOLE_URL));
  if (uid === null) {
    throw new Error(`There is no page to decide on: ${landed.href}`);
  }
  return { uid, browser, transport };
}

/** Signs a program in from nothing, as its person would. */
export async function signIn(
  app: TestApp,
  person: { token: string; tenantId: string; scopes: readonly string[] },
  options: ClientOptions = {},
): Promise<KeptSignIn> {
  const kept: KeptSignIn = {};
  const { token, tenantId, scopes } = person;
  const { uid, browser, transport } = await askToConnect(app, kept, options);
  const called = await browser.decide(uid, token, { decision: "allow", tenantId, scopes });
  await transport.finishAuth(called.searchParams);
  await transport.close();
  return kept;
}
