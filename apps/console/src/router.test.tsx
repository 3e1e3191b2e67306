// @vitest-environment jsdom

import { createMemoryHistory } from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { PUBLIC_PATHS as PRERENDERED } from "@turnpike/contract/public-pages";
import { eventually } from "@turnpike/testkit/eventually";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createQueryClient } from "#platform/query-client.ts";
import { fakeNetwork, makeTestPlatform } from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import type { AuthState } from "#platform/session/session.ts";
import { App } from "./app.tsx";
import { createAppRouter } from "./router.tsx";

const PUBLIC_PATHS = ["/", "/login", "/register", "/terms", "/privacy"];
const SIGNED_IN_PATHS = [
  "/tenants",
  "/quickstart",
  "/plans",
  "/overview",
  "/billings",
  "/api-keys",
  "/analytics",
  "/ai-intelligence",
  "/account",
  "/operator",
  "/operator/tenants",
  "/operator/insights",
  "/operator/calls",
  "/operator/service-keys",
  "/operator/audit",
  "/operator/outbox",
  "/operator/health",
  // Where a person allows a command line that signs in.
  "/device",
  // Where a person lets an agent in.
  "/connect",
];

beforeEach(() => {
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** The console's own routes at a path, for a person in the given state. */
function visit(path: string, auth: Partial<AuthState> = {}) {
  const platform = makeTestPlatform();
  platform.session.change(auth);
  const queryClient = createQueryClient();
  const context = {
    queryClient,
    platform,
    get auth() {
      return platform.session.getState();
    },
  };
  const router = createAppRouter(context, createMemoryHistory({ initialEntries: [path] }));
  return { router, platform, queryClient };
}

async function landOn(path: string, auth: Partial<AuthState> = {}): Promise<string> {
  const { router } = visit(path, auth);
  await router.load();
  return router.state.location.href;
}

describe("the link of a mail", () => {
  it.each(["reset", "confirm"])(
    "#%s opens its page even for a signed-in person, until they leave it",
    async (kind) => {
      const { router, platform } = visit(`/login#${kind}=t0k`, { user: makeUser() });
      await router.load();
      expect(router.state.location.href).toBe("/login");
      await router.invalidate();
      expect(router.state.location.href).toBe("/login");
      await router.navigate({ to: "/terms" });
      expect(platform.arrivals.getMailLink()).toBeUndefined();
      await router.navigate({ to: "/login" });
      expect(router.state.location.href).toBe("/overview");
    },
  );
});

describe("the routes", () => {
  it("are those of the specification and that of command lines, and no others", () => {
    const { router } = visit("/");
    expect(Object.keys(router.routesByPath).sort()).toEqual(
      [...PUBLIC_PATHS, ...SIGNED_IN_PATHS].sort(),
    );
    expect([...PRERENDERED].sort()).toEqual([...PUBLIC_PATHS].sort());
  });

  it("of the signed-in screens share one layout route without a path", () => {
    const { router } = visit("/");
    const parents = SIGNED_IN_PATHS.map(
      (path) => Reflect.get(router.routesByPath, path).parentRoute.id,
    );
    expect(new Set(parents)).toEqual(new Set(["/_app"]));
    expect(router.routesById["/_app"].options.notFoundComponent).toBeDefined();
  });
});

describe("the router's context", () => {
  it("gives every route the auth state and the query client of the page", async () => {
    const { router, platform, queryClient } = visit("/analytics", { user: makeUser("ada") });
    const seen: unknown[] = [];
    router.routesByPath["/analytics"].options.beforeLoad = ({ context }) => {
      seen.push(context.auth, context.queryClient);
    };
    await router.load();
    expect(seen).toEqual([platform.session.getState(), queryClient]);
    expect(seen[0]).toMatchObject({ isLoading: false, user: { subject: "ada" } });
  });
});

describe("the guard", () => {
  it.each(PUBLIC_PATHS)("lets signed-out visitors see %s", async (path) => {
    expect(await landOn(path)).toBe(path);
  });

  it.each([...SIGNED_IN_PATHS, "/nowhere", "/overview/nowhere"])(
    "sends signed-out visitors from %s to /login",
    async (path) => {
      expect(await landOn(path)).toBe("/login");
    },
  );

  it.each(["/login", "/register", "/login?error=access_denied"])(
    "sends signed-in people from %s to /overview",
    async (path) => {
      expect(await landOn(path, { user: makeUser() })).toBe("/overview");
    },
  );

  it.each(["/", "/terms", "/privacy", ...SIGNED_IN_PATHS])(
    "lets signed-in people see %s",
    async (path) => {
      expect(await landOn(path, { user: makeUser() })).toBe(path);
    },
  );

  it("opens the operator's screens at the addresses of their former tabs", async () => {
    const user = makeUser();
    expect(await landOn("/tenants?tab=all&q=acme&tenant=old", { user })).toBe(
      "/operator/tenants?q=acme&tenant=old",
    );
    expect(await landOn("/tenants?tab=outbox&mail=mail_1", { user })).toBe(
      "/operator/outbox?mail=mail_1",
    );
    expect(await landOn("/tenants?tab=members", { user })).toBe("/tenants?tab=members");
  });

  it("counts no one as signed in before it is known", async () => {
    expect(await landOn("/login", { isLoading: true, user: makeUser() })).toBe("/login");
  });

  it("runs before any route loads", async () => {
    const { router } = visit("/analytics");
    const loaded = vi.fn();
    router.routesByPath["/analytics"].options.loader = loaded;
    await router.load();
    expect(loaded).not.toHaveBeenCalled();
  });

  it("takes a person to the page they asked for once they have signed in", async () => {
    const { router, platform } = visit("/analytics?tenant=acme&from=1#chart");
    await router.load();
    expect(router.state.location.href).toBe("/login");

    platform.session.change({ user: makeUser() });
    await router.invalidate();
    await eventually(() => {
      expect(router.state.location.href).toBe("/analytics?tenant=acme&from=1#chart");
    });
    await router.navigate({ to: "/login" });
    expect(router.state.location.pathname).toBe("/overview");
  });

  it("does not take the next person to the page that the previous one signed out from", async () => {
    const { router, platform } = visit("/analytics", { user: makeUser("ada") });
    await router.load();
    await platform.session.signOut();
    await router.invalidate();
    expect(router.state.location.href).toBe("/login");

    platform.session.change({ user: makeUser("grace"), ended: undefined });
    await router.invalidate();
    expect(router.state.location.href).toBe("/overview");
  });

  it("removes a setup code and an invitation from the address before anything shows them", async () => {
    for (const auth of [{}, { user: makeUser() }]) {
      const { router, platform } = visit("/register#invitation=inv&setup=code-1", auth);
      await router.load();
      expect(router.state.location.href).toBe("user" in auth ? "/overview" : "/register");
      expect(platform.arrivals.get("setup")).toBe("code-1");
      expect(platform.arrivals.get("invitation")).toBe("inv");
      sessionStorage.clear();
    }
  });
});

describe("the pages of the console", () => {
  async function open(path: string, auth: Partial<AuthState> = {}) {
    const parts = visit(path, auth);
    const { platform, router, queryClient } = parts;
    queryClient.setQueryData(["client-config"], platform.config);
    fakeNetwork({
      "POST /auth/verify": () => ({
        user: { userId: "usr_1", email: null, emailVerified: false, name: null, isOperator: false },
        tenants: [],
      }),
    });
    render(<App console={{ queryClient, start: () => ({ platform, router }) }} />);
    return parts;
  }

  it("show a full-screen loader instead of the whole app while the auth state is loading", async () => {
    const { platform } = await open("/nowhere", { isLoading: true });
    expect(screen.getByRole("status", { name: "Loading" }).className).toContain("fixed inset-0");
    expect(screen.queryByRole("heading")).toBeNull();

    platform.session.change({ isLoading: false, user: makeUser() });
    expect(await screen.findByRole("heading", { name: "404" })).toBeDefined();
  });

  it("show the 404 page for an unknown path, with its exact texts and a way home", async () => {
    await open("/nowhere", { user: makeUser() });
    await screen.findByRole("heading", { name: "404", level: 1 });
    screen.getByRole("heading", { name: "Page not found", level: 2 });
    screen.getByText("Oops! The page you are looking for doesn\u2019t exist or has been moved.");
    screen.getByRole("img", { name: /face/ });
    expect(screen.getByRole("link", { name: "Go back home" }).getAttribute("href")).toBe("/");
  });

  it("show the signed-in layout's own not-found view for an unknown path below it", async () => {
    await open("/overview/nowhere", { user: makeUser() });
    const home = await screen.findByRole("link", { name: "Go back home" });
    expect(home.getAttribute("href")).toBe("/overview");
    expect(home.closest("#content")).not.toBeNull();
  });
});
