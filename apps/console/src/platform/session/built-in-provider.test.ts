import { afterEach, describe, expect, it, vi } from "vitest";
import { createBuiltInProvider } from "./built-in-provider.ts";
import { isUnreachable } from "./provider-failure.ts";

const ISSUER = "https://console.example.com/idp";

afterEach(() => vi.unstubAllGlobals());

/** A page that the browser ended up at after all redirects. */
function landOn(url: string, status = 200): void {
  const response = new Response("", { status });
  Object.defineProperty(response, "url", { value: url });
  vi.stubGlobal("fetch", () => Promise.resolve(response));
}

describe("createBuiltInProvider", () => {
  it("finds the interaction that the authorization request led to", async () => {
    landOn("https://console.example.com/login?interaction=uid-1");
    const provider = createBuiltInProvider(ISSUER, vi.fn());
    expect(await provider.open(new URL(`${ISSUER}/auth`))).toBe("uid-1");
  });

  it("says what the provider said when it led elsewhere", async () => {
    landOn("https://console.example.com/login?error=request_invalid");
    const provider = createBuiltInProvider(ISSUER, vi.fn());
    await expect(provider.open(new URL(`${ISSUER}/auth`))).rejects.toMatchObject({
      code: "request_invalid",
    });
  });

  it("counts a page of an error as a failure of the provider", async () => {
    landOn(`${ISSUER}/auth`, 503);
    const provider = createBuiltInProvider(ISSUER, vi.fn());
    const opened = provider.open(new URL(`${ISSUER}/auth`));
    await expect(opened).rejects.toThrow("Try again");
    expect(isUnreachable(await opened.catch((error: unknown) => error))).toBe(true);
  });

  it("sends the form of an interaction and reads either outcome", async () => {
    const json = vi.fn(async (): Promise<unknown> => ({ redirectTo: "/idp/auth/uid" }));
    const provider = createBuiltInProvider(ISSUER, json);
    const credentials = { email: "ada@example.com", password: "p" };
    expect(await provider.answer("u/1", "login", credentials)).toEqual({
      redirectTo: "/idp/auth/uid",
    });
    expect(json).toHaveBeenCalledWith(
      expect.objectContaining({ url: `${ISSUER}/interaction/u%2F1/login`, body: credentials }),
    );
    json.mockResolvedValue({ confirmationSent: true });
    expect(await provider.answer("u", "register", {})).toEqual({ confirmationSent: true });
    json.mockResolvedValue({ factors: ["totp"] });
    expect(await provider.answer("u", "login", {})).toEqual({ factors: ["totp"] });
    json.mockResolvedValue({ setUp: true });
    expect(await provider.answer("u", "login", {})).toEqual({ setUp: true });
    json.mockResolvedValue({});
    await expect(provider.answer("u", "register", {})).rejects.toThrow("as expected");
  });
});
