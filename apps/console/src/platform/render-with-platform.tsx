import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { createApiClient } from "./api-client.ts";
import { createCredentialStore } from "./credential.ts";
import { type Platform, PlatformProvider } from "./platform.tsx";
import { createSetupLink } from "./setup-link.ts";

/** What a faked API answers to one call: a body with status 200, an answer of its own, or silence for good. */
export type FakeAnswer = object | Response | "never" | "unreachable";

const API_URL = "https://api.example.com";

/**
 * Renders a part of a screen as the page would, with the real client on a faked network.
 *
 * @param answers - By "METHOD /path", under `/v1`. Any other call fails the test.
 */
export function renderWithPlatform(
  screen: ReactNode,
  answers: Readonly<Record<string, () => FakeAnswer>>,
): Platform {
  vi.stubGlobal("fetch", async (request: Request) => {
    const call = `${request.method} ${new URL(request.url).pathname.replace(/^\/v1/, "")}`;
    const answer = answers[call]?.();
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
  const credentials = createCredentialStore();
  const platform: Platform = {
    config: {
      brand: { name: "Acme APIs", accent: undefined },
      urls: { console: API_URL, api: API_URL, gateway: "https://gateway.example.com" },
      version: "1.0.0",
    },
    api: createApiClient({ apiUrl: API_URL, getCredential: credentials.get }),
    apiWith: (key) => createApiClient({ apiUrl: API_URL, getCredential: () => key }),
    credentials,
    setupLink: createSetupLink(window),
  };
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={platform}>{screen}</PlatformProvider>
    </QueryClientProvider>,
  );
  return platform;
}

/** A refusal as the server writes it. */
export function problem(status: number, code: string, error: string): Response {
  return new Response(
    JSON.stringify({ status, code, error, message: error, requestId: "req_1", errors: [] }),
    { status, headers: { "content-type": "application/problem+json" } },
  );
}
