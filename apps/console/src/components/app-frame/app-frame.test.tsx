// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
  retainSearchParams,
} from "@tanstack/react-router";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { Notification } from "@turnpike/contract/notifications";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseEnvironmentSearch } from "#platform/current-environment.ts";
import { parseTenantSearch } from "#platform/current-tenant.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { AppFrame } from "./app-frame.tsx";

const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";
const BIRCH = "ten_0199f3b0c1d27a4e8f60112233445577";
const NONE = { items: [], nextCursor: null };
const QUIET: FakeAnswers = {
  [`GET /tenants/${ACME}/notifications`]: () => NONE,
  [`GET /tenants/${BIRCH}/notifications`]: () => NONE,
};

const tenant = (tenantId: string, name: string, role: string) => ({
  tenantId,
  name,
  slug: name.toLowerCase(),
  role,
  planId: "free",
  suspendedAt: null,
  logoId: null,
  createdAt: "2026-11-21T00:00:00.000Z",
});
const TENANTS = [tenant(ACME, "Acme", "owner"), tenant(BIRCH, "Birch", "viewer")];

const news = (id: string, title: string, link: string | null): Notification => ({
  notificationId: `ntf_${id}`,
  tenantId: TENANTS[0]!.tenantId as Notification["tenantId"],
  userId: null,
  kind: "usage.threshold",
  title,
  body: "80% of the quota is used.",
  link,
  createdAt: "2026-11-21T00:00:00.000Z",
  readAt: null,
});

beforeEach(() => {
  vi.stubGlobal("scrollTo", () => undefined);
  Element.prototype.scrollIntoView = () => undefined;
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  delete document.documentElement.dataset["theme"];
  vi.unstubAllGlobals();
});

type Options = { path?: string; tenants?: object[]; isOperator?: boolean; answers?: FakeAnswers };

/** The frame on routes of its own, each with a heading. */
async function open({ path = "/overview", tenants = TENANTS, isOperator, answers }: Options = {}) {
  fakeNetwork(answers ?? QUIET);
  const platform = makeTestPlatform();
  platform.session.change({ user: makeUser() });
  const queryClient = createQueryClient();
  queryClient.setQueryData(VERIFIED_USER_KEY, {
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada Lovelace",
      isOperator: isOperator === true,
    },
    tenants,
  });
  const root = createRootRoute({ component: Outlet });
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    validateSearch: (search: Record<string, unknown>) => ({
      ...parseTenantSearch(search),
      ...parseEnvironmentSearch(search),
    }),
    search: { middlewares: [retainSearchParams(["tenant", "environment"])] },
    component: () => (
      <AppFrame>
        <Outlet />
      </AppFrame>
    ),
  });
  const paths = ["/overview", "/api-keys", "/analytics", "/plans", "/billings", "/tenants"];
  const screens = [...paths, "/operator/tenants"].map((screenPath) =>
    createRoute({
      getParentRoute: () => layout,
      path: screenPath,
      component: () => <h1>Screen {screenPath}</h1>,
    }),
  );
  const framed = createRoute({
    getParentRoute: () => layout,
    path: "/framed",
    component: () => (
      <AppFrame>
        <h1>Framed</h1>
      </AppFrame>
    ),
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([...screens, framed])]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <UiProvider>
        <PlatformProvider value={platform}>
          <RouterProvider router={router} />
        </PlatformProvider>
      </UiProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1 });
  return { platform, router, user: userEvent.setup() };
}

describe("AppFrame", () => {
  it("has landmarks with names, and names the page by screen, tenant and brand", async () => {
    await open();
    screen.getByRole("main");
    screen.getByRole("banner");
    screen.getByRole("complementary");
    const links = within(screen.getByRole("navigation", { name: "Screens" })).getAllByRole("link");
    expect(links.map((link) => link.textContent)).toEqual([
      "Overview",
      "Quickstart",
      "API keys",
      "Analytics",
      "AI intelligence",
      "Plans",
      "Billings",
      "Tenants",
    ]);
    expect(document.title).toBe("Overview · Acme · Acme APIs");
    within(screen.getByRole("navigation", { name: "Breadcrumb" })).getByText("Overview");
  });

  it("is there once, also where a page inside of it brings its own", async () => {
    await open({ path: "/framed" });
    expect(screen.getAllByRole("main")).toHaveLength(1);
    expect(screen.getAllByRole("navigation", { name: "Screens" })).toHaveLength(1);
    expect(document.title).toBe("Page not found · Acme · Acme APIs");
  });

  it("lets the keyboard skip to the content without a change of the address", async () => {
    const { router, user } = await open();
    await user.tab();
    expect(document.activeElement?.textContent).toBe("Skip to content");
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(screen.getByRole("main"));
    expect(router.state.location.hash).toBe("");
  });

  it("marks the screen one is on, moves the focus to the next one's heading, and renames the page", async () => {
    const { user } = await open({ path: "/overview?tenant=birch&environment=test" });
    const navigation = within(screen.getByRole("navigation", { name: "Screens" }));
    expect(navigation.getByRole("link", { current: "page" }).textContent).toBe("Overview");
    await user.click(navigation.getByRole("link", { name: "API keys" }));
    const heading = await screen.findByRole("heading", { name: "Screen /api-keys" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(navigation.getByRole("link", { current: "page" }).textContent).toBe("API keys");
    expect(document.title).toBe("API keys · Birch · Acme APIs");
  });

  it("keeps tenant and environment from screen to screen", async () => {
    const { router, user } = await open({ path: "/overview?tenant=birch&environment=test" });
    await user.click(screen.getByRole("link", { name: "API keys" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/api-keys"));
    expect(router.state.location.search).toEqual({ tenant: "birch", environment: "test" });
  });

  it("folds to icons that keep their names, and remembers it", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Collapse sidebar" }));
    expect(screen.getByRole("link", { name: "API keys" }).textContent).toBe("");
    expect(
      screen.getByRole("button", { name: "Expand sidebar" }).getAttribute("aria-expanded"),
    ).toBe("false");
    cleanup();
    await open();
    screen.getByRole("button", { name: "Expand sidebar" });
  });

  it("is a sheet on phones, which closes when a link is followed", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Open navigation" }));
    const sheet = await screen.findByRole("dialog", { name: "Navigation" });
    await user.click(within(sheet).getByRole("link", { name: "API keys" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    await screen.findByRole("heading", { name: "Screen /api-keys" });
  });
});

describe("the tenant switcher", () => {
  it("finds a tenant by typing, goes there on the same screen, and remembers it", async () => {
    const { router, user } = await open({ path: "/api-keys?tenant=acme" });
    await user.click(screen.getByRole("combobox", { name: "Tenant: Acme, Owner" }));
    await user.type(await screen.findByRole("combobox", { name: "Find a tenant" }), "bir");
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
    expect(screen.getByRole("option").textContent).toContain("Viewer");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/api-keys?tenant=birch"));
    expect(localStorage.getItem("tenant")).toBe("birch");
    await screen.findByRole("combobox", { name: "Tenant: Birch, Viewer" });
  });

  it("offers to create a tenant, to who has none as well", async () => {
    const { user } = await open({ tenants: [] });
    await user.click(screen.getByRole("button", { name: "Create tenant" }));
    await screen.findByRole("dialog", { name: "Create a tenant" });
    expect(screen.queryByRole("button", { name: /Notifications/ })).toBe(null);
  });
});

const CEDAR = {
  ...{ tenantId: "ten_0199f3b0c1d27a4e8f60112233445588", name: "Cedar", slug: "cedar" },
  ...{
    externalId: null,
    planId: "free",
    planVersion: 1,
    suspendedAt: null,
    logoId: null,
    role: null,
  },
  ...{ periodAnchor: "2026-11-01T00:00:00.000Z", createdAt: "2026-11-21T00:00:00.000Z" },
};

/** The tenant of the requested slug, of which the reader is no member. */
const CEDAR_ALONE: FakeAnswers = {
  ...QUIET,
  "GET /tenants": (request) => {
    const isAsked = new URL(request.url).searchParams.get("slug") === "cedar";
    return { items: isAsked ? [CEDAR] : [], nextCursor: null };
  },
};

describe("an operator at the address of another tenant", () => {
  it.each([{ tenants: TENANTS }, { tenants: [] }])(
    "sees it as operator, reads that, and finds the way back",
    async ({ tenants }) => {
      localStorage.setItem("tenant", "birch");
      const { router, user } = await open({
        path: "/api-keys?tenant=cedar",
        tenants,
        isOperator: true,
        answers: CEDAR_ALONE,
      });
      const sign = await screen.findByText(/You are viewing/);
      expect(sign.textContent).toBe("You are viewing Cedar as operator, read-only.");
      screen.getByRole("combobox", { name: "Tenant: Cedar, Viewing as operator" });
      expect(document.title).toBe("API keys · Cedar · Acme APIs");
      screen.getByRole("button", { name: /Notifications/ });
      await user.click(screen.getByRole("link", { name: "Billings" }));
      await waitFor(() => expect(router.state.location.href).toBe("/billings?tenant=cedar"));
      expect(localStorage.getItem("tenant")).toBe("birch");

      await user.keyboard("{Control>}k{/Control}");
      await screen.findByRole("combobox", { name: "Search or go to…" });
      await user.keyboard("create key");
      await screen.findByRole("option", { name: "Search the documentation: create key" });
      expect(screen.queryByRole("option", { name: /^Create/ })).toBe(null);
      await user.keyboard("{Escape}");

      const strip = screen.getByRole("region", { name: "Viewing as operator" });
      await user.click(within(strip).getByRole("link", { name: "All tenants" }));
      await waitFor(() => expect(router.state.location.href).toBe("/operator/tenants"));
      await waitFor(() => expect(screen.queryByText(/as operator, for reading/)).toBe(null));
      if (tenants.length > 0) {
        screen.getByRole("combobox", { name: "Tenant: Birch, Viewer" });
      }
    },
  );

  it("acts there with a reason, sees that in a banner, and stops", async () => {
    const sent: unknown[] = [];
    let acting: object | null = null;
    const { user } = await open({
      path: "/billings?tenant=cedar",
      isOperator: true,
      answers: {
        ...CEDAR_ALONE,
        "GET /acting": () => ({ acting }),
        [`POST /tenants/${CEDAR.tenantId}/acting`]: async (request) => {
          sent.push(await request.json());
          acting = {
            ...{ actingId: "act_1", tenantId: CEDAR.tenantId, reason: "They asked for it." },
            ...{ startedAt: "2026-11-21T00:00:00.000Z", expiresAt: "2026-11-21T01:00:00.000Z" },
          };
          return acting;
        },
        "POST /acting/end": () => {
          acting = null;
          return { acting: null };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Act in this tenant…" }));
    const dialog = await screen.findByRole("dialog", { name: "Act in Cedar?" });
    await user.type(within(dialog).getByRole("textbox", { name: /Reason/ }), "They asked for it.");
    await user.click(within(dialog).getByRole("button", { name: "Act in this tenant" }));
    const banner = await screen.findByRole("region", { name: "Acting as operator" });
    await waitFor(() => expect(banner.textContent).toContain("“They asked for it.”"));
    screen.getByRole("combobox", { name: "Tenant: Cedar, Acting as operator" });
    await user.click(within(banner).getByRole("button", { name: "Stop acting" }));
    await screen.findByText(/You are viewing/);
    expect(sent).toEqual([{ reason: "They asked for it." }]);
  });

  it("goes back to a tenant of their own by the switcher", async () => {
    const { user } = await open({
      path: "/billings?tenant=cedar",
      isOperator: true,
      answers: CEDAR_ALONE,
    });
    await user.click(
      await screen.findByRole("combobox", { name: "Tenant: Cedar, Viewing as operator" }),
    );
    await user.click(await screen.findByRole("option", { name: /Acme/ }));
    await screen.findByRole("combobox", { name: "Tenant: Acme, Owner" });
    expect(screen.queryByText(/as operator, for reading/)).toBe(null);
  });

  it("shows no numbers while it opens, and says when there is no such tenant", async () => {
    await open({
      path: "/billings?tenant=cedar",
      isOperator: true,
      answers: { "GET /tenants": () => "never" },
    });
    expect(document.title).toBe("Billings · Acme APIs");
    expect(screen.queryByRole("combobox", { name: /^Tenant:/ })).toBe(null);
    cleanup();
    await open({ path: "/billings?tenant=gone", isOperator: true, answers: CEDAR_ALONE });
    await screen.findByText("There is no tenant gone; this is Acme.");
  });

  it("is, for everybody else, not even asked about", async () => {
    const asked: string[] = [];
    await open({
      path: "/billings?tenant=cedar",
      answers: {
        ...QUIET,
        "GET /tenants": (request) => {
          asked.push(request.url);
          return NONE;
        },
      },
    });
    await screen.findByText("You are not a member of cedar; this is Acme.");
    expect(asked).toEqual([]);
  });
});

describe("the environment", () => {
  it("is both, live or test, in the address", async () => {
    const { router, user } = await open();
    await user.click(screen.getByRole("button", { name: "Environment: All, live and test" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Test" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ environment: "test" }));
    await user.click(await screen.findByRole("button", { name: "Environment: Test" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Live and test" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe("the user menu", () => {
  it("shows who is signed in and that they are an operator, links to what to read, and signs out", async () => {
    const { platform, user } = await open({ isOperator: true });
    await user.click(screen.getByRole("button", { name: /^Account: *Ada Lovelace/ }));
    const menu = within(await screen.findByRole("menu"));
    menu.getByText("ada@example.com");
    menu.getByText("Operator");
    expect(menu.getByRole("menuitem", { name: "Documentation" }).getAttribute("href")).toBe(
      "/docs",
    );
    expect(menu.getByRole("menuitem", { name: "API reference" }).getAttribute("href")).toBe(
      "/v1/reference",
    );
    await user.click(menu.getByRole("menuitem", { name: "Sign out" }));
    expect(platform.session.getState().user).toBe(undefined);
  });
});

describe("the theme", () => {
  it("follows the system until the person chooses", async () => {
    const { user } = await open();
    const group = within(screen.getByRole("radiogroup", { name: "Theme" }));
    group.getByRole("radio", { name: "System", checked: true });
    await user.click(group.getByRole("radio", { name: "Dark" }));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
  });
});

describe("the command palette", () => {
  it("opens by Ctrl+K, goes where Enter says, and gives the focus to the screen", async () => {
    const { router, user } = await open({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    const field = await screen.findByRole("combobox", { name: "Search or go to…" });
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.keyboard("bill{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/billings?tenant=acme"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    const heading = screen.getByRole("heading", { name: "Screen /billings" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  it("finds parts of screens, what has a name in this tenant, and pages of the documentation", async () => {
    const alertId = `alt_${"0".repeat(32)}`;
    const { router, user } = await open({
      path: "/overview?tenant=acme",
      answers: {
        ...QUIET,
        [`GET /tenants/${ACME}/alerts`]: () => ({
          items: [{ alertId, name: "Errors of checkout" }],
        }),
        [`GET /tenants/${ACME}/exports`]: () => ({
          items: [{ exportId: "exp_1", name: "November by key", format: "csv" }],
          nextCursor: null,
        }),
        "GET /plans": () => ({ items: [] }),
        "GET /meters": () => ({ items: [{ meterId: "tokens", name: "Input tokens" }] }),
      },
    });
    const look = async (query: string) => {
      await user.keyboard("{Control>}k{/Control}");
      await screen.findByRole("combobox", { name: "Search or go to…" });
      await user.keyboard(query);
      return await screen.findAllByRole("option");
    };
    await look("checkout");
    await waitFor(() => expect(screen.getAllByRole("option")[0]?.textContent).toContain("Alert"));
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({ tab: "alerts", alert: alertId }),
    );
    await look("input tok");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ meter: "tokens" }));
    await look("november");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "exports" }));
    await look("settings");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.href).toContain("/tenants?tab=settings"));
    const guides = await look("how events");
    expect(guides[0]?.textContent).toBe("How events and meters workGuide");
  });

  it("finds keys by name, and rolls them for those who may", async () => {
    const key = (digit: string, name: string, more: object = {}) => ({
      ...{ keyId: `key_${digit.repeat(32)}`, name, start: "tp_live_a", lastFour: digit.repeat(4) },
      ...{ state: "active", rolledToKeyId: null, ...more },
    });
    const items = [
      key("1", "Checkout"),
      key("2", "Checkout, old", { rolledToKeyId: `key_${"1".repeat(32)}` }),
      key("3", "Checkout, gone", { state: "revoked" }),
    ];
    const answers = {
      ...QUIET,
      [`GET /tenants/${ACME}/keys`]: () => ({ items, nextCursor: null }),
      [`GET /tenants/${BIRCH}/keys`]: () => ({ items, nextCursor: null }),
    };
    const look = async (user: Awaited<ReturnType<typeof open>>["user"], query: string) => {
      await user.keyboard("{Control>}k{/Control}");
      await screen.findByRole("combobox", { name: "Search or go to…" });
      await user.keyboard(query);
      await screen.findByRole("option", { name: /^Checkout, old/ });
      return screen.getAllByRole("option").map(({ textContent }) => textContent);
    };
    const { router, user } = await open({ path: "/overview?tenant=acme", answers });
    expect(await look(user, "checkout")).toEqual([
      "Checkouttp_live_a…1111",
      "Checkout, oldtp_live_a…2222",
      "Roll Checkouttp_live_a…1111",
    ]);
    await user.click(screen.getByRole("option", { name: /^Roll Checkout/ }));
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({
        ...{ key: `key_${"1".repeat(32)}`, dialog: "roll" },
      }),
    );
    cleanup();
    const viewer = await open({ path: "/overview?tenant=birch", answers });
    const found = await look(viewer.user, "checkout");
    expect(found.some((text) => text?.startsWith("Roll"))).toBe(false);
  });

  it("asks the server for keys by what is typed when there are more than it has", async () => {
    const key = (digit: string, name: string) => ({
      ...{ keyId: `key_${digit.repeat(32)}`, name, start: "tp_live_a", lastFour: digit.repeat(4) },
      ...{ state: "active", rolledToKeyId: null },
    });
    const { user } = await open({
      path: "/overview?tenant=acme",
      answers: {
        ...QUIET,
        [`GET /tenants/${ACME}/keys`]: ({ url }: Request) =>
          new URL(url).searchParams.get("q") === "harbour"
            ? { items: [key("2", "Harbour")], nextCursor: null }
            : { items: [key("1", "Newest")], nextCursor: "next" },
      },
    });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("harbour");
    await screen.findByRole("option", { name: /^Harbour/ });
  });

  it("leads operators alone to what is theirs", async () => {
    const { user } = await open({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("outbox");
    await screen.findByRole("option", { name: "Search the documentation: outbox" });
    expect(screen.queryByRole("option", { name: /^Outbox/ })).toBe(null);
    cleanup();
    const operator = await open({ path: "/overview?tenant=acme", isOperator: true });
    await operator.user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await operator.user.keyboard("outbox{Enter}");
    await waitFor(() => expect(operator.router.state.location.pathname).toBe("/operator/outbox"));
  });

  it("names guides for running it to operators alone", async () => {
    const { user } = await open({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("rotate");
    await screen.findByRole("option", { name: /^How to call the API/ });
    await user.clear(screen.getByRole("combobox", { name: "Search or go to…" }));
    await user.keyboard("how to run");
    await screen.findByRole("option", { name: "Search the documentation: how to run" });
    expect(screen.queryByRole("option", { name: /^How to run it/ })).toBe(null);
    cleanup();
    const operator = await open({ path: "/overview?tenant=acme", isOperator: true });
    await operator.user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await operator.user.keyboard("how to run");
    await screen.findByRole("option", { name: /^How to run it/ });
  });

  it("switches tenant and theme, and offers the documentation when nothing is called that", async () => {
    const { router, user } = await open({ path: "/overview?tenant=acme" });
    await user.click(screen.getByRole("button", { name: /^Search or go to…/ }));
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("birch{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ tenant: "birch" }));
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("dark");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.documentElement.dataset["theme"]).toBe("dark"));
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("qqqq");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "Search the documentation: qqqq",
    ]);
  });
});

describe("the notifications", () => {
  it("are counted while unread, and all marked as read at once, up to the newest that is shown", async () => {
    let unread = [news("2", "Quota nearly used", null), news("1", "Key expires", null)];
    const asked = vi.fn();
    const { user } = await open({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: () => ({ items: unread, nextCursor: null }),
        [`POST /tenants/${ACME}/notifications/read`]: async (request: Request) => {
          asked(await request.json());
          const read = unread.length;
          unread = [];
          return { read };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Notifications, 2 unread" }));
    await screen.findByText("Quota nearly used");
    await user.click(screen.getByRole("button", { name: "Mark all as read" }));
    await screen.findByText("Nothing new");
    expect(asked).toHaveBeenCalledWith({ userId: expect.any(String), upTo: "ntf_2" });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("that are unread and older than the list reaches are marked with the others", async () => {
    const read = { ...news("9", "Key expires", null), readAt: "2026-11-21T00:00:00.000Z" };
    let older = [news("1", "Quota nearly used", null)];
    const { user } = await open({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: ({ url }: Request) => ({
          items: new URL(url).searchParams.has("unread") ? older : [read],
          nextCursor: null,
        }),
        [`POST /tenants/${ACME}/notifications/read`]: () => {
          const count = older.length;
          older = [];
          return { read: count };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Notifications, 1 unread" }));
    await screen.findByText("Key expires");
    await user.click(screen.getByRole("button", { name: "Mark all as read" }));
    await screen.findByRole("button", { name: "Notifications" });
  });

  it("are read by following one, which never leads to another site", async () => {
    const items = [
      news("1", "Invoice is due", "/billings"),
      news("2", "Free money", "//evil.example"),
    ];
    const readOne = vi.fn(() => ({ ...items[0], readAt: "2026-11-21T00:00:00.000Z" }));
    const { router, user } = await open({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: () => ({ items, nextCursor: null }),
        [`POST /tenants/${ACME}/notifications/ntf_1/read`]: readOne,
        [`POST /tenants/${ACME}/notifications/ntf_2/read`]: readOne,
      },
    });
    await user.click(await screen.findByRole("button", { name: /Notifications, 2 unread/ }));
    await user.click(await screen.findByRole("button", { name: /Free money/ }));
    expect(router.state.location.pathname).toBe("/overview");
    await user.click(screen.getByRole("button", { name: /Invoice is due/ }));
    const heading = await screen.findByRole("heading", { name: "Screen /billings" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(router.state.location.pathname).toBe("/billings");
    expect(readOne).toHaveBeenCalledTimes(2);
  });

  it("say what failed and can be asked for again", async () => {
    let isUp = false;
    const refused = () =>
      new Response(JSON.stringify({ error: "The database is away." }), {
        status: 400,
        headers: { "content-type": "application/problem+json" },
      });
    const { user } = await open({
      answers: { [`GET /tenants/${ACME}/notifications`]: () => (isUp ? NONE : refused()) },
    });
    await user.click(screen.getByRole("button", { name: "Notifications" }));
    await screen.findByText("The database is away.");
    isUp = true;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Nothing new");
  });
});

describe("an address with a tenant that the person does not belong to", () => {
  const notice = () => screen.queryByText(/You are not a member of/);

  it("says whose numbers these are, and is corrected with all else that it says", async () => {
    const { router, user } = await open({ path: "/overview?tenant=cedar&environment=test" });
    expect(notice()?.getAttribute("role")).toBe("status");
    expect(notice()?.textContent).toBe("You are not a member of cedar; this is Acme.");
    await user.click(screen.getByRole("button", { name: "Continue with Acme" }));
    await waitFor(() => expect(notice()).toBe(null));
    expect(router.state.location.search).toEqual({ tenant: "acme", environment: "test" });
  });

  it("does not have its words read as ours", async () => {
    await open({ path: "/overview?tenant=Acme.%20Call%20555%20now" });
    expect(notice()?.textContent).toBe(
      "You are not a member of the tenant in the address; this is Acme.",
    );
  });

  it.each([
    { path: "/overview?tenant=birch", tenants: TENANTS },
    { path: "/overview", tenants: TENANTS },
    { path: "/overview?tenant=cedar", tenants: [] },
  ])("is not claimed of $path for $tenants.length tenants", async (given) => {
    await open(given);
    expect(notice()).toBe(null);
  });
});
