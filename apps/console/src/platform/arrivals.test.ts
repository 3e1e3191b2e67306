// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createArrivals } from "./arrivals.ts";

afterEach(() => sessionStorage.clear());

const at = (pathname: string, searchStr = "", hash = "") => ({ pathname, searchStr, hash });

describe("createArrivals", () => {
  it.each([
    {
      why: "a setup link",
      from: at("/register", "", "setup=a%2Fb"),
      href: "/register",
      code: "a/b",
    },
    {
      why: "a setup link among other entries",
      from: at("/login", "?error=x", "#tab=1&setup=c"),
      href: "/login?error=x#tab=1",
      code: "c",
    },
    {
      why: "an empty code",
      from: at("/register", "", "setup="),
      href: "/register",
      code: undefined,
    },
  ])("takes $why out of the address", ({ from, href, code }) => {
    const arrivals = createArrivals(sessionStorage);
    expect(arrivals.capture(from)).toBe(href);
    expect(arrivals.get("setup")).toBe(code);
  });

  it.each(["reset", "confirm"] as const)(
    "takes the %s link of a mail and keeps it out of any storage",
    (kind) => {
      const arrivals = createArrivals(sessionStorage);
      expect(arrivals.capture(at("/login", `?${kind}=t0k&x=1`))).toBe("/login?x=1");
      expect(arrivals.getMailLink()).toEqual({ kind, token: "t0k" });
      expect(sessionStorage).toHaveLength(0);
      arrivals.forgetMailLink();
      expect(arrivals.getMailLink()).toBeUndefined();
    },
  );

  it("takes no link of a mail without a token, nor elsewhere than at the sign-in page", () => {
    const arrivals = createArrivals(sessionStorage);
    expect(arrivals.capture(at("/login", "?reset="))).toBe("/login");
    expect(arrivals.capture(at("/register", "?reset=t0k"))).toBeUndefined();
    expect(arrivals.getMailLink()).toBeUndefined();
  });

  it("takes an invitation and leaves the rest of the address", () => {
    const arrivals = createArrivals(sessionStorage);
    const changed = vi.fn();
    arrivals.subscribe(changed);
    expect(arrivals.capture(at("/register", "?invitation=t&x=1"))).toBe("/register?x=1");
    expect(arrivals.get("invitation")).toBe("t");
    expect(changed).toHaveBeenCalledTimes(1);
    arrivals.forget("invitation");
    expect(arrivals.get("invitation")).toBeUndefined();
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it.each([at("/login"), at("/register", "?reset=t"), at("/plans", "?invitation=t", "setup=c")])(
    "leaves $pathname$searchStr alone",
    (location) => {
      const arrivals = createArrivals(sessionStorage);
      expect(arrivals.capture(location)).toBeUndefined();
      expect([arrivals.get("setup"), arrivals.get("invitation")]).toEqual([undefined, undefined]);
    },
  );
});
