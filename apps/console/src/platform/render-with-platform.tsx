import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { createApiClient } from "./api-client.ts";
import { createArrivals } from "./arrivals.ts";
import { createDocuments } from "./documents/documents.ts";
import { makeWaitingEdits } from "./documents/waiting-edits.fixture.ts";
import { createEventClient } from "./event-client.ts";
import { createJsonClient } from "./json-client.ts";
import { type Platform, PlatformProvider } from "./platform.tsx";
import { type FakeSession, makeFakeSession } from "./session/fake-session.ts";
import { createTheme } from "./theme.ts";
import { createWantedPath } from "./wanted-path.ts";

/** What a faked API answers to one call: a body with status 200, an answer of its own, or silence for good. */
export type FakeAnswer = object | Response | "never" | "unreachable";

/** By "METHOD /path", under `/v1`. Any other call fails the test. */
export type FakeAnswers = Readonly<
  Record<string, (request: Request) => FakeAnswer | Promise<FakeAnswer>>
>;

const API_URL = "https://api.example.com";

export type TestPlatform = Platform & { session: FakeSession };

/** Makes a platform with the fake API. No one is signed in. */
export function makeTestPlatform(): TestPlatform {
  const session = makeFakeSession();
  const api = createApiClient({ apiUrl: API_URL, getIdToken: session.getIdToken });
  const documents = createDocuments({
    api: api.documents,
    waiting: makeWaitingEdits(),
    channel: { postMessage: () => undefined, addEventListener: () => undefined },
    inTurn: (_name, task) => task(),
    now: () => Date.now(),
  });
  return {
    config: {
      brand: { name: "Acme APIs", accent: undefined },
      urls: {
        console: window.location.origin,
        api: API_URL,
        gateway: "https://gateway.example.com",
      },
      version: "1.0.0",
      identity: {
        providers: [
          {
            id: "builtin",
            kind: "builtin",
            name: "Acme APIs",
            issuer: `${API_URL}/idp`,
            clientId: "console",
          },
        ],
        passwordRules: { lengthMin: 12 },
        confirmEmail: false,
      },
      reference: null,
      gateway: { isDemo: false, refusesTestKeys: false },
      calls: { areLogged: true },
      mail: { delivers: true },
      contact: null,
    },
    session,
    api,
    documents: async () => documents,
    json: createJsonClient(session.getIdToken),
    events: createEventClient(session.getIdToken),
    arrivals: createArrivals({ tab: window.sessionStorage, lasting: window.localStorage }),
    wantedPath: createWantedPath(window.sessionStorage),
    theme: createTheme(window),
  };
}

/** Answers the console's calls instead of the network. */
export function fakeNetwork(answers: FakeAnswers): void {
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, API_URL), init);
    const call = `${request.method} ${new URL(request.url).pathname.replace(/^\/v1/, "")}`;
    const answer = await answers[call]?.(request);
    if (answer === undefined) {
      throw new Error(`The test expects no ${call}`);
    }
    if (answer === "never") {
      return await new Promise<Response>(() => undefined);
    }
    if (answer === "unreachable") {
      throw new TypeError("Failed to fetch");
    }
    return answer instanceof Response ? answer : Response.json(answer);
  });
}

/** Renders a part of a screen as the page would, with the real clients on a faked network. */
export function renderWithPlatform(screen: ReactNode, answers: FakeAnswers): TestPlatform {
  fakeNetwork(answers);
  const platform = makeTestPlatform();
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={platform}>{screen}</PlatformProvider>
    </QueryClientProvider>,
  );
  return platform;
}

/** A refusal as the server writes it. */
export function problem(
  status: number,
  code: string,
  error: string,
  extensions: object = {},
): Response {
  return new Response(
    JSON.stringify({
      status,
      code,
      error,
      message: error,
      requestId: "req_1",
      errors: [],
      ...extensions,
    }),
    { status, headers: { "content-type": "application/problem+json" } },
  );
}
