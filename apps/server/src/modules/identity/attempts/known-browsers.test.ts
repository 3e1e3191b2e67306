import { randomBytes } from "node:crypto";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKnownBrowsers } from "./known-browsers.ts";

const SECRET = "a secret of known browsers that only tests use";
const DAY_MS = 24 * 60 * 60 * 1_000;
const ADA = "ada@example.test";

function start(options: { secret?: string; isSecure?: boolean } = {}) {
  const clock = createFakeClock();
  const deps = { clock, randomBytes: (count: number) => randomBytes(count) };
  const browsers = createKnownBrowsers(deps, { secret: SECRET, isSecure: true, ...options });
  return { clock, browsers };
}

/** What the browser sends back. */
const sent = (setCookie: string) => setCookie.split("; ")[0] ?? "";

describe("a known browser", () => {
  it("is recognised for the account that signed in, and for no other", () => {
    const { browsers, clock } = start();
    const cookie = sent(browsers.remember(undefined, ADA));
    expect(browsers.find(`a=b; ${cookie}; c=d`, ADA)?.since).toEqual(clock.now());
    expect(browsers.find(cookie, "eve@example.test")).toBeUndefined();
    expect(browsers.find(undefined, ADA)).toBeUndefined();
  });

  it("keeps its id, and so its budget, at each sign-in", () => {
    const { browsers, clock } = start();
    const first = sent(browsers.remember(undefined, ADA));
    clock.advance(DAY_MS);
    const second = sent(browsers.remember(first, ADA));
    expect(browsers.find(second, ADA)).toEqual({
      id: browsers.find(first, ADA)?.id,
      since: clock.now(),
    });
  });

  it("knows the last eight accounts", () => {
    const { browsers } = start();
    const emails = Array.from({ length: 10 }, (_, index) => `person${String(index)}@example.test`);
    let cookie: string | undefined;
    for (const email of emails) {
      cookie = sent(browsers.remember(cookie, email));
    }
    const known = emails.filter((email) => browsers.find(cookie, email) !== undefined);
    expect(known).toEqual(emails.slice(2));
  });

  it("is forgotten 180 days after the last sign-in", () => {
    const { browsers, clock } = start();
    const cookie = sent(browsers.remember(undefined, ADA));
    clock.advance(180 * DAY_MS);
    expect(browsers.find(cookie, ADA)).toBeDefined();
    clock.advance(1);
    expect(browsers.find(cookie, ADA)).toBeUndefined();
  });

  it("cannot be made up: no other secret, and no changed character", () => {
    const { browsers } = start();
    const other = start({ secret: `${SECRET}, another` }).browsers;
    const cookie = sent(browsers.remember(undefined, ADA));
    expect(other.find(cookie, ADA)).toBeUndefined();
    const from = cookie.indexOf("=") + 1;
    fc.assert(
      fc.property(fc.nat(cookie.length - from - 1), fc.constantFrom(..."aZ0-_.~"), (at, letter) => {
        const changed = cookie.slice(0, from + at) + letter + cookie.slice(from + at + 1);
        fc.pre(changed !== cookie);
        expect(browsers.find(changed, ADA)).toBeUndefined();
      }),
    );
  });

  it("is not looked for in cookies of any other form", () => {
    const { browsers } = start();
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (value) => {
        expect(browsers.find(`__Host-turnpike_known=${value}`, ADA)).toBeUndefined();
      }),
    );
  });

  it("has a cookie that scripts cannot read and other sites do not send", () => {
    expect(start().browsers.remember(undefined, ADA)).toMatch(
      /^__Host-turnpike_known=\S+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(start({ isSecure: false }).browsers.remember(undefined, ADA)).toMatch(
      /^turnpike_known=\S+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    );
  });
});
