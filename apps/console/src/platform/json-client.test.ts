import { afterEach, describe, expect, it, vi } from "vitest";
import { createJsonClient } from "./json-client.ts";

afterEach(() => vi.unstubAllGlobals());

function answerWith(response: () => Response) {
  const asked = vi.fn(async (_url: string, _init: RequestInit) => response());
  vi.stubGlobal("fetch", asked);
  return asked;
}

describe("createJsonClient", () => {
  it("sends JSON with the ID token while a user exists and without the header otherwise, asked before every request", async () => {
    const asked = answerWith(() => Response.json({ ok: true }));
    let idToken: string | undefined;
    const json = createJsonClient(() => Promise.resolve(idToken));
    await json({ method: "POST", url: "/a", body: { x: 1 } });
    idToken = "h.c.s";
    expect(await json({ method: "GET", url: "/a" })).toEqual({ ok: true });
    idToken = undefined;
    await json({ method: "GET", url: "/a" });

    const headers = asked.mock.calls.map(([, init]) => init.headers);
    expect(headers).toEqual([
      { "content-type": "application/json" },
      { "content-type": "application/json", authorization: "Bearer h.c.s" },
      { "content-type": "application/json" },
    ]);
    expect(asked.mock.calls[0]?.[1].body).toBe('{"x":1}');
  });

  it.each([
    { why: "the body's error", body: { error: "A", message: "B" }, message: "A" },
    { why: "else its message", body: { message: "B" }, message: "B" },
    { why: "else the transport's message", body: undefined, message: "Bad Gateway" },
  ])("throws $why", async ({ body, message }) => {
    answerWith(
      () =>
        new Response(body === undefined ? "<h1>" : JSON.stringify(body), {
          status: 502,
          statusText: "Bad Gateway",
        }),
    );
    const json = createJsonClient(() => Promise.resolve(undefined));
    await expect(json({ method: "GET", url: "/a" })).rejects.toMatchObject({
      name: "RequestError",
      status: 502,
      message,
    });
  });

  it("throws 'Something went wrong' when nothing says more", async () => {
    answerWith(() => new Response("", { status: 500 }));
    const json = createJsonClient(() => Promise.resolve(undefined));
    await expect(json({ method: "GET", url: "/a" })).rejects.toThrow("Something went wrong");
  });

  it("returns undefined for an answer without a body", async () => {
    answerWith(() => new Response(null, { status: 204 }));
    const json = createJsonClient(() => Promise.resolve(undefined));
    expect(await json({ method: "POST", url: "/a" })).toBeUndefined();
  });
});
