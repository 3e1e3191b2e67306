import { describe, expect, it, vi } from "vitest";
import { sendSignedIn } from "./send-signed-in.ts";

/** A service that takes one token alone. */
function serviceOf(good: string) {
  return vi.fn((idToken: string | undefined) =>
    Promise.resolve(new Response(null, { status: idToken === good ? 204 : 401 })),
  );
}

describe("sendSignedIn", () => {
  it("sends a request once more with another token when its own is refused", async () => {
    const send = serviceOf("new");
    const answer = await sendSignedIn((refused) => Promise.resolve(refused ? "new" : "old"), send);
    expect(answer.status).toBe(204);
    expect(send.mock.calls).toEqual([["old"], ["new"]]);
  });

  it("sends it at most twice", async () => {
    const send = serviceOf("none");
    let number = 0;
    const answer = await sendSignedIn(() => Promise.resolve(`token-${String(++number)}`), send);
    expect(answer.status).toBe(401);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ["the same", () => Promise.resolve("old")],
    ["none", () => Promise.resolve(undefined)],
    ["a failure", () => Promise.reject(new Error("unreachable"))],
  ])("gives the refusal back when the other token is %s", async (_name, renew) => {
    const send = serviceOf("new");
    const answer = await sendSignedIn(
      (refused) => (refused ? renew() : Promise.resolve("old")),
      send,
    );
    expect(answer.status).toBe(401);
    expect(send).toHaveBeenCalledOnce();
  });

  it("says that the session is over when the service does, and sends nothing again", async () => {
    const refusal = new Response(null, {
      status: 401,
      headers: {
        "www-authenticate": 'Bearer error="invalid_token", error_description="signed_out"',
      },
    });
    const send = vi.fn(() => Promise.resolve(refusal));
    const getIdToken = vi.fn((refused?: string) =>
      Promise.resolve(refused === undefined ? "old" : undefined),
    );
    expect(await sendSignedIn(getIdToken, send)).toBe(refusal);
    expect(getIdToken.mock.calls).toEqual([[], ["old", true]]);
    expect(send).toHaveBeenCalledOnce();
  });

  it("asks for no other token when no one is signed in", async () => {
    const getIdToken = vi.fn(() => Promise.resolve(undefined));
    expect((await sendSignedIn(getIdToken, serviceOf("new"))).status).toBe(401);
    expect(getIdToken).toHaveBeenCalledOnce();
  });
});
