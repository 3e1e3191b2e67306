// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { BIRCH, openFrame, stageFrames, TENANTS } from "./app-frame.fixture.tsx";

stageFrames();

describe("AppFrame", () => {
  it("has landmarks with names, and names the page by screen, tenant and brand", async () => {
    await openFrame();
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
    await openFrame({ path: "/framed" });
    expect(screen.getAllByRole("main")).toHaveLength(1);
    expect(screen.getAllByRole("navigation", { name: "Screens" })).toHaveLength(1);
    expect(document.title).toBe("Page not found · Acme · Acme APIs");
  });

  it("lets the keyboard skip to the content without a change of the address", async () => {
    const { router, user } = await openFrame();
    await user.tab();
    expect(document.activeElement?.textContent).toBe("Skip to content");
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(screen.getByRole("main"));
    expect(router.state.location.hash).toBe("");
  });

  it("marks the screen one is on, moves the focus to the next one's heading, and renames the page", async () => {
    const { user } = await openFrame({ path: "/overview?tenant=birch&environment=test" });
    const navigation = within(screen.getByRole("navigation", { name: "Screens" }));
    expect(navigation.getByRole("link", { current: "page" }).textContent).toBe("Overview");
    await user.click(navigation.getByRole("link", { name: "API keys" }));
    const heading = await screen.findByRole("heading", { name: "Screen /api-keys" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(navigation.getByRole("link", { current: "page" }).textContent).toBe("API keys");
    expect(document.title).toBe("API keys · Birch · Acme APIs");
  });

  it("keeps tenant and environment from screen to screen", async () => {
    const { router, user } = await openFrame({ path: "/overview?tenant=birch&environment=test" });
    await user.click(screen.getByRole("link", { name: "API keys" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/api-keys"));
    expect(router.state.location.search).toEqual({ tenant: "birch", environment: "test" });
  });

  it("folds to icons that keep their names, and remembers it", async () => {
    const { user } = await openFrame();
    await user.click(screen.getByRole("button", { name: "Collapse sidebar" }));
    expect(screen.getByRole("link", { name: "API keys" }).textContent).toBe("");
    expect(
      screen.getByRole("button", { name: "Expand sidebar" }).getAttribute("aria-expanded"),
    ).toBe("false");
    cleanup();
    await openFrame();
    screen.getByRole("button", { name: "Expand sidebar" });
  });

  it("is a sheet on phones, which closes when a link is followed", async () => {
    const { user } = await openFrame();
    await user.click(screen.getByRole("button", { name: "Open navigation" }));
    const sheet = await screen.findByRole("dialog", { name: "Navigation" });
    await user.click(within(sheet).getByRole("link", { name: "API keys" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    await screen.findByRole("heading", { name: "Screen /api-keys" });
  });
});

describe("the tenant switcher", () => {
  it("finds a tenant by typing, goes there on the same screen, and remembers it", async () => {
    const { router, user } = await openFrame({ path: "/api-keys?tenant=acme" });
    await user.click(screen.getByRole("combobox", { name: "Tenant: Acme, Owner" }));
    await user.type(await screen.findByRole("combobox", { name: "Find a tenant" }), "bir");
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
    expect(screen.getByRole("option").textContent).toContain("Viewer");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/api-keys?tenant=birch"));
    expect(localStorage.getItem("tenant")).toBe("birch");
    await screen.findByRole("combobox", { name: "Tenant: Birch, Viewer" });
  });

  it("has tenants that left for another cell, and says so once one is chosen", async () => {
    const movedTenants = [
      {
        ...{ tenantId: BIRCH, name: "Birch", slug: "birch", cell: "west" },
        ...{ consoleUrl: "https://west.example.com", isMoving: false },
      },
    ];
    const { router, user } = await openFrame({ tenants: TENANTS.slice(0, 1), movedTenants });
    await user.click(screen.getByRole("combobox", { name: "Tenant: Acme, Owner" }));
    await user.click(await screen.findByRole("option", { name: /Birch.*In another cell/ }));
    await waitFor(() => expect(router.state.location.href).toBe("/overview?tenant=birch"));
    await screen.findByRole("combobox", { name: "Tenant: Birch, In another cell" });
    expect(screen.queryByText(/You are not a member of/)).toBe(null);
  });

  it("offers to create a tenant, to who has none as well", async () => {
    const { user } = await openFrame({ tenants: [] });
    await user.click(screen.getByRole("button", { name: "Create tenant" }));
    await screen.findByRole("dialog", { name: "Create a tenant" });
    expect(screen.queryByRole("button", { name: /Notifications/ })).toBe(null);
  });
});

describe("the environment", () => {
  it("is both, live or test, in the address", async () => {
    const { router, user } = await openFrame();
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
    const { platform, user } = await openFrame({ isOperator: true });
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
    const { user } = await openFrame();
    const group = within(screen.getByRole("radiogroup", { name: "Theme" }));
    group.getByRole("radio", { name: "System", checked: true });
    await user.click(group.getByRole("radio", { name: "Dark" }));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
  });
});

describe("an address with a tenant that the person does not belong to", () => {
  const notice = () => screen.queryByText(/You are not a member of/);

  it("says whose numbers these are, and is corrected with all else that it says", async () => {
    const { router, user } = await openFrame({ path: "/overview?tenant=cedar&environment=test" });
    expect(notice()?.getAttribute("role")).toBe("status");
    expect(notice()?.textContent).toBe("You are not a member of cedar; this is Acme.");
    await user.click(screen.getByRole("button", { name: "Continue with Acme" }));
    await waitFor(() => expect(notice()).toBe(null));
    expect(router.state.location.search).toEqual({ tenant: "acme", environment: "test" });
  });

  it("does not have its words read as ours", async () => {
    await openFrame({ path: "/overview?tenant=Acme.%20Call%20555%20now" });
    expect(notice()?.textContent).toBe(
      "You are not a member of the tenant in the address; this is Acme.",
    );
  });

  it.each([
    { path: "/overview?tenant=birch", tenants: TENANTS },
    { path: "/overview", tenants: TENANTS },
    { path: "/overview?tenant=cedar", tenants: [] },
  ])("is not claimed of $path for $tenants.length tenants", async (given) => {
    await openFrame(given);
    expect(notice()).toBe(null);
  });
});
