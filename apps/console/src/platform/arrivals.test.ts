// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createArrivals } from "./arrivals.ts";

const STORAGES = { tab: sessionStorage, lasting: localStorage };

afterEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

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
    const arrivals = createArrivals(STORAGES);
    expect(arrivals.capture(from)).toBe(href);
    expect(arrivals.get("setup")).toBe(code);
  });

  it.each(["reset", "confirm", "change-email", "undo-email"] as const)(
    "takes the %s link of a mail and keeps it out of any storage",
    (kind) => {
      const arrivals = createArrivals(STORAGES);
      expect(arrivals.capture(at("/login", "?x=1", `${kind}=t0k`))).toBe("/login?x=1");
      expect(arrivals.getMailLink()).toEqual({ kind, token: "t0k" });
      expect(sessionStorage).toHaveLength(0);
      arrivals.forgetMailLink();
      expect(arrivals.getMailLink()).toBeUndefined();
    },
  );

  it("takes no link of a mail without a token, nor elsewhere than at the sign-in page", () => {
    const arrivals = createArrivals(STORAGES);
    expect(arrivals.capture(at("/login", "", "reset="))).toBe("/login");
    expect(arrivals.capture(at("/register", "", "reset=t0k"))).toBeUndefined();
    expect(arrivals.getMailLink()).toBeUndefined();
  });

  it("takes an invitation and leaves the rest of the address", () => {
    const arrivals = createArrivals(STORAGES);
    const changed = vi.fn();
    arrivals.subscribe(changed);
    expect(arrivals.capture(at("/register", "?x=1", "invitation=t"))).toBe("/register?x=1");
    expect(arrivals.get("invitation")).toBe("t");
    expect(changed).toHaveBeenCalledTimes(1);
    arrivals.forget("invitation");
    expect(arrivals.get("invitation")).toBeUndefined();
    expect(changed).toHaveBeenCalledTimes(2);
  });

  describe("after the tab was closed", () => {
    /** A person opens the link, and types an address before the tab is closed. */
    function reopen(email: string | undefined) {
      const arrivals = createArrivals(STORAGES);
      arrivals.capture(at("/register", "", "invitation=inv&setup=code"));
      if (email !== undefined) {
        arrivals.keepFor(email);
      }
      sessionStorage.clear();
      return createArrivals(STORAGES);
    }

    it("gives it to the person who registered with it", () => {
      const arrivals = reopen("Ada@example.com ");
      expect(arrivals.get("setup")).toBe("code");
      expect(arrivals.getFor("setup", "ada@example.com")).toBe("code");
      expect(arrivals.getFor("invitation", "ada@example.com")).toBe("inv");
      arrivals.forget("setup");
      expect(arrivals.getFor("setup", "ada@example.com")).toBeUndefined();
      expect(localStorage.getItem("arrival-setup")).toBe(null);
    });

    it("keeps the name of a first tenant for the person who registered, and takes none from a link", () => {
      const arrivals = createArrivals(STORAGES);
      arrivals.keepTenantName("", "ada@example.com");
      arrivals.capture(at("/register", "", "setup=code&tenant-name=Evil"));
      expect(arrivals.getFor("tenant-name", "ada@example.com")).toBeUndefined();
      arrivals.keepTenantName("Blue Heron", "Ada@example.com");
      expect(arrivals.getFor("tenant-name", "bob@example.com")).toBeUndefined();
      expect(createArrivals(STORAGES).getFor("tenant-name", "ada@example.com")).toBe("Blue Heron");
      arrivals.forget("tenant-name");
      expect(arrivals.getFor("tenant-name", "ada@example.com")).toBeUndefined();
    });

    it("gives it to no one else, and removes it when someone else signs in", () => {
      const arrivals = reopen("ada@example.com");
      expect(arrivals.getFor("setup", "bob@example.com")).toBeUndefined();
      expect(arrivals.getFor("setup", null)).toBeUndefined();
      arrivals.forgetOthers("ada@example.com");
      expect(arrivals.getFor("setup", "ada@example.com")).toBe("code");
      arrivals.forgetOthers("bob@example.com");
      expect(arrivals.get("setup")).toBeUndefined();
      expect(localStorage).toHaveLength(0);
    });

    it("is gone when no one registered or signed in with it", () => {
      expect(reopen(undefined).get("setup")).toBeUndefined();
      expect(localStorage).toHaveLength(0);
    });

    it.each(["x", "null", "1", '{"secret":1,"email":"a"}', '{"secret":"s"}'])(
      "takes %s in the storage for nothing",
      (text) => {
        localStorage.setItem("arrival-setup", text);
        const arrivals = createArrivals(STORAGES);
        expect(arrivals.getFor("setup", "a")).toBeUndefined();
        arrivals.forgetOthers("a");
      },
    );
  });

  it.each([
    at("/login"),
    at("/register", "", "reset=t"),
    at("/login", "?reset=t&invitation=t"),
    at("/plans", "", "invitation=t&setup=c"),
  ])("leaves $pathname$searchStr#$hash alone", (location) => {
    const arrivals = createArrivals(STORAGES);
    expect(arrivals.capture(location)).toBeUndefined();
    expect([arrivals.get("setup"), arrivals.get("invitation")]).toEqual([undefined, undefined]);
  });
});
