import { afterEach, describe, expect, it, vi } from "vitest";
import { createApiClient } from "./api-client.ts";
import { RequestError } from "./error-message.ts";

type Reply = { status: number; type?: string; body: string };

const apiUrl = "https://api.example.com";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers the same to everything and keeps what it was asked. */
function answerWith(reply: Reply): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    requests.push(request);
    const headers = { "content-type": reply.type ?? "application/json" };
    return Promise.resolve(new Response(reply.body, { status: reply.status, headers }));
  });
  return requests;
}

const EMPTY_PAGE: Reply = { status: 200, body: '{"items":[],"nextCursor":null}' };

describe("createApiClient", () => {
  it("asks under /v1 of the API's address, with parameters as the contract says", async () => {
    const requests = answerWith(EMPTY_PAGE);
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(undefined) });

    const page = await api.tenants.list({ limit: 20, cursor: "after" });

    expect(page).toEqual({ items: [], nextCursor: null });
    expect(requests[0]).toMatchObject({
      method: "GET",
      url: "https://api.example.com/v1/tenants?limit=20&cursor=after",
    });
  });

  it("sends the ID token while a user exists and no header otherwise, asked before every call", async () => {
    const requests = answerWith(EMPTY_PAGE);
    let idToken: string | undefined;
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(idToken) });

    await api.tenants.list({});
    idToken = "header.claims.signature";
    await api.tenants.list({});
    idToken = undefined;
    await api.tenants.list({});

    expect(requests.map((request) => request.headers.get("authorization"))).toEqual([
      null,
      "Bearer header.claims.signature",
      null,
    ]);
  });

  it("says that it speaks JSON", async () => {
    const requests = answerWith(EMPTY_PAGE);
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(undefined) });
    await api.tenants.list({});
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
  });

  it("throws a problem's own sentence, with what finds and explains it", async () => {
    answerWith({
      status: 404,
      type: "application/problem+json",
      body: JSON.stringify({
        type: "https://example.com/docs/errors/resource-not-found",
        title: "Not found",
        status: 404,
        detail: "This setup code is unknown.",
        code: "RESOURCE_NOT_FOUND",
        requestId: "req_1",
        errors: [],
        error: "This setup code is unknown.",
        message: "other",
      }),
    });
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(undefined) });

    const failure = await api.setup.claim({ code: "x" }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(RequestError);
    expect(failure).toMatchObject({
      message: "This setup code is unknown.",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
      requestId: "req_1",
    });
  });

  it("keeps the status of an answer that a proxy wrote", async () => {
    answerWith({ status: 502, type: "text/html", body: "<h1>Bad</h1>" });
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(undefined) });

    await expect(api.tenants.list({})).rejects.toMatchObject({
      name: "RequestError",
      status: 502,
      message: "Bad Gateway",
    });
  });

  it("says what the transport says when there is no answer", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const api = createApiClient({ apiUrl, getIdToken: () => Promise.resolve(undefined) });

    await expect(api.tenants.list({})).rejects.toMatchObject({
      name: "RequestError",
      status: undefined,
      message: "Failed to fetch",
    });
  });
});
