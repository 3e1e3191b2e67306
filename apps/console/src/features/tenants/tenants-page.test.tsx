// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { ROLES } from "@turnpike/domain/access/scopes";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import {
  ACME,
  ADA,
  BIRCH,
  BOB,
  EVE,
  makeVerified,
  NOTHING,
  openTenants,
  stubWindow,
} from "./open-tenants.fixture.tsx";
import { makeEntry, makeKey, makeMember, makeTenant, pageOf } from "./tenant-answers.fixture.ts";

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const LONELY = { [`GET /tenants/${ACME}/members`]: () => pageOf(makeMember(ADA, "Ada", "owner")) };

describe("the tabs", () => {
  it("are of the tenant alone, for operators as well", async () => {
    openTenants();
    await screen.findByRole("tab", { name: "Your tenants" });
    expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual([
      "Your tenants",
      "Settings",
      "Members",
      "Single sign-on",
      "Webhooks",
      "Agents",
      "Audit log",
    ]);
    cleanup();
    openTenants({ verified: makeVerified({ isOperator: true }) });
    await screen.findByRole("tab", { name: "Audit log" });
    expect(screen.getAllByRole("tab")).toHaveLength(7);
  });

  it("are in the address, where one that is not there opens the first", async () => {
    const { readSearch } = openTenants({ search: "?tab=nowhere&tenant=birch", answers: LONELY });
    const tab = await screen.findByRole("tab", { name: "Your tenants" });
    expect(tab.getAttribute("aria-selected")).toBe("true");
    await userEvent.click(screen.getByRole("tab", { name: "Settings" }));
    await waitFor(() => expect(readSearch()).toEqual({ tab: "settings", tenant: "birch" }));
  });
});

describe("your tenants", () => {
  it("show role, plan and usage of the period, and mark the current one", async () => {
    openTenants();
    const list = await screen.findByRole("list", { name: "Your tenants" });
    const [acme, birch] = within(list).getAllByRole("listitem");
    expect(acme?.getAttribute("aria-current")).toBe("true");
    await within(acme as HTMLElement).findByText("1,204 of 5,000");
    expect(acme?.textContent).toContain("Owner");
    expect(acme?.textContent).toContain("Free");
    expect(birch?.textContent).toContain("Viewer");
  });

  it("are switched to from their card", async () => {
    const { readSearch } = openTenants();
    await userEvent.click(await screen.findByRole("button", { name: "Switch to Birch" }));
    await waitFor(() => expect(readSearch()).toEqual({ tenant: "birch" }));
    await screen.findByRole("button", { name: "Switch to Acme" });
  });

  it("are all shown when one tenant's usage fails to load, with a way to retry", async () => {
    let isUp = false;
    const limits = {
      planId: "free",
      planVersion: 1,
      plan: { name: "Free", currency: "USD", pricePerMonth: "0" },
      rateLimits: [],
      quotas: [],
      concurrency: null,
      balances: [{ meter: "requests", environment: "live", used: "77" }],
    };
    openTenants({
      answers: {
        [`GET /tenants/${BIRCH}/limits`]: () =>
          isUp ? limits : problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached."),
      },
    });
    await screen.findByText("1,204 of 5,000");
    await screen.findByText(/The database cannot be reached/);
    isUp = true;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("77");
    await screen.findByText("This plan has no quota.");
  });

  it("get one more, not two, from a double click", async () => {
    const asked: Request[] = [];
    openTenants({
      answers: {
        "POST /tenants": (request) => {
          asked.push(request);
          return makeTenant({ tenantId: BIRCH, name: "Birch", slug: "birch" });
        },
        "POST /auth/verify": () => makeVerified(),
      },
    });
    await screen.findByRole("list", { name: "Your tenants" });
    await userEvent.click(screen.getByRole("button", { name: "Create tenant" }));
    const dialog = await screen.findByRole("dialog", { name: "Create a tenant" });
    await userEvent.type(within(dialog).getByLabelText("Name"), "Birch");
    const button = within(dialog).getByRole("button", { name: "Create tenant" });
    fireEvent.click(button);
    fireEvent.click(button);
    await screen.findByText("Birch is ready.");
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([{ name: "Birch" }]);
  });

  it("ask a person without a tenant to create one", async () => {
    const verified = { ...makeVerified(), tenants: [] };
    openTenants({ verified });
    await screen.findByText("You have no tenant yet");
  });
});

describe("settings", () => {
  it("save name and slug, warn beforehand what a new slug breaks, and continue at the new address", async () => {
    const asked: Request[] = [];
    const { readSearch } = openTenants({
      search: "?tab=settings&tenant=acme",
      answers: {
        ...LONELY,
        [`PATCH /tenants/${ACME}`]: (request) => {
          asked.push(request);
          return makeTenant({ name: "Acme", slug: "acme-2" });
        },
        "POST /auth/verify": () => makeVerified({ slug: "acme-2" }),
      },
    });
    const slug = await screen.findByLabelText("Slug");
    expect(screen.queryByText(/A new slug breaks saved links/)).toBeNull();
    await userEvent.type(slug, "-2");
    await screen.findByText(/A new slug breaks saved links/);
    const button = screen.getByRole("button", { name: "Save changes" });
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => expect(readSearch()).toEqual({ tab: "settings", tenant: "acme-2" }));
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([{ slug: "acme-2" }]);
  });

  it("stay unchanged for an operator who moves one of their tenants to another slug", async () => {
    const { readSearch } = openTenants({
      search: "?tab=settings&tenant=acme",
      verified: makeVerified({ isOperator: true }),
      answers: {
        ...LONELY,
        // Nothing requests the tenant while the address still has the old slug.
        "GET /tenants": () => "never",
        [`PATCH /tenants/${ACME}`]: () => makeTenant({ name: "Acme", slug: "acme-2" }),
        "POST /auth/verify": () => makeVerified({ slug: "acme-2", isOperator: true }),
      },
    });
    const slug = await screen.findByLabelText("Slug");
    await userEvent.type(slug, "-2{Enter}");
    await waitFor(() => expect(readSearch()).toEqual({ tab: "settings", tenant: "acme-2" }));
    // The same form instance is still there: remounting would have replaced it.
    expect(screen.getByLabelText("Slug")).toBe(slug);
  });

  it("keep the typed text and show the server's errors at their fields", async () => {
    openTenants({
      search: "?tab=settings",
      answers: {
        ...LONELY,
        [`PATCH /tenants/${ACME}`]: () =>
          new Response(
            JSON.stringify({
              status: 409,
              code: "ALREADY_EXISTS",
              message: "Taken.",
              error: "Taken.",
              errors: [{ pointer: "/slug", message: "Another tenant has this slug." }],
            }),
            { status: 409, headers: { "content-type": "application/problem+json" } },
          ),
      },
    });
    await userEvent.type(await screen.findByLabelText("Slug"), "-2{Enter}");
    await screen.findByText("The tenant was not saved.");
    const slug = screen.getByLabelText<HTMLInputElement>("Slug");
    expect(slug.getAttribute("aria-invalid")).toBe("true");
    expect(slug.value).toBe("acme-2");
  });

  it.each(ROLES)("can be changed or only read, with the reason, as %s", async (role) => {
    const verified = makeVerified({ role });
    openTenants({ search: "?tab=settings", verified, answers: LONELY });
    if (role === "owner" || role === "admin") {
      await screen.findByLabelText("Name");
    } else {
      await screen.findByText(`Your role, ${role}, cannot change these: ask an owner or an admin.`);
      expect(screen.queryByLabelText("Name")).toBeNull();
    }
  });

  it("tell the only owner why they cannot leave, without asking the server", async () => {
    openTenants({ search: "?tab=settings", answers: LONELY });
    await screen.findByText(/You are its only owner/);
    expect(screen.queryByRole("button", { name: /Leave tenant/ })).toBeNull();
  });

  it("let a member leave after typing the name, and continue in the next tenant", async () => {
    const verified = makeVerified({ role: "developer" });
    const { readSearch } = openTenants({
      search: "?tab=settings&tenant=acme",
      verified,
      answers: {
        [`GET /tenants/${ACME}/members`]: () =>
          pageOf(makeMember(BOB, "Bob", "owner"), makeMember(ADA, "Ada", "developer")),
        [`GET /tenants/${ACME}/keys`]: () =>
          pageOf(
            makeKey("Worker", `user:${ADA}`),
            makeKey("Old", `user:${ADA}`, "revoked"),
            makeKey("Of Bob", `user:${BOB}`),
          ),
        [`DELETE /tenants/${ACME}/members/${ADA}`]: () => ({ liveKeys: [], pausedWebhooks: [] }),
        "POST /auth/verify": () => ({ ...verified, tenants: verified.tenants.slice(1) }),
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Leave tenant…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Leave Acme?" });
    await within(dialog).findByText("Worker");
    expect(within(dialog).getAllByRole("listitem")).toHaveLength(1);
    await userEvent.click(within(dialog).getByRole("button", { name: "Leave tenant" }));
    await within(dialog).findByText("The name does not match.");
    await userEvent.type(within(dialog).getByRole("textbox"), "Acme{Enter}");
    await waitFor(() => expect(readSearch()).toEqual({ tenant: "birch" }));
    await screen.findByText("Birch");
    expect(screen.queryByText("Acme")).toBeNull();
  });

  it("let an owner pass the tenant on after typing its name, and no one else", async () => {
    const sent: unknown[] = [];
    const verified = makeVerified({ role: "owner" });
    openTenants({
      search: "?tab=settings",
      verified,
      answers: {
        [`GET /tenants/${ACME}/members`]: () =>
          pageOf(makeMember(ADA, "Ada", "owner"), makeMember(BOB, "Bob", "developer")),
        [`POST /tenants/${ACME}/transfer`]: async (request) => {
          sent.push(await request.json());
          return makeMember(BOB, "Bob", "owner");
        },
        "POST /auth/verify": () => makeVerified({ role: "admin" }),
      },
    });
    const begin = await screen.findByRole("button", { name: "Transfer…" });
    expect(begin.matches(":disabled")).toBe(true);
    await userEvent.click(screen.getByRole("combobox", { name: "New owner" }));
    await userEvent.click(await screen.findByRole("option", { name: /Bob/ }));
    expect(screen.queryByRole("option", { name: /Ada/ })).toBeNull();
    await userEvent.click(begin);
    const dialog = await screen.findByRole("alertdialog", { name: "Transfer Acme to Bob?" });
    await userEvent.type(within(dialog).getByRole("textbox"), "Acme{Enter}");
    await waitFor(() => expect(sent).toEqual([{ userId: BOB, name: "Acme" }]));
    await waitFor(() => expect(screen.queryByText("Transfer ownership")).toBeNull());
  });

  it("show a visiting operator everything read-only, and who can change it", async () => {
    openTenants({
      search: "?tab=settings&tenant=cedar",
      verified: makeVerified({ isOperator: true }),
      answers: {
        "GET /tenants": () =>
          pageOf(makeTenant({ tenantId: EVE.replace("usr", "ten"), name: "Cedar", slug: "cedar" })),
      },
    });
    await screen.findByText("Cedar");
    screen.getByText(/You are viewing this tenant as operator, read-only/);
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.queryByRole("button", { name: /Leave|Delete|Save/ })).toBeNull();
  });

  it("offer deletion to owners only", async () => {
    openTenants({ search: "?tab=settings", verified: makeVerified({ role: "admin" }) });
    await screen.findByText("About this tenant");
    expect(screen.queryByRole("button", { name: /Delete tenant/ })).toBeNull();
  });

  it("delete a tenant after its name is typed, show why it failed, and continue in the next one", async () => {
    const verified = makeVerified({ role: "owner" });
    const bodies: unknown[] = [];
    const { readSearch } = openTenants({
      search: "?tab=settings&tenant=acme",
      verified,
      answers: {
        ...LONELY,
        [`POST /tenants/${ACME}/delete`]: async (request) => {
          bodies.push(await request.json());
          return bodies.length === 1
            ? problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached.")
            : new Response(null, { status: 204 });
        },
        "POST /auth/verify": () => ({ ...verified, tenants: verified.tenants.slice(1) }),
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Delete tenant…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Delete Acme?" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete tenant" }));
    await within(dialog).findByText("The name does not match.");
    expect(bodies).toEqual([]);
    await userEvent.type(within(dialog).getByRole("textbox"), "Acme{Enter}");
    await within(dialog).findByText(/The database cannot be reached/);
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete tenant" }));
    await waitFor(() => expect(readSearch()).toEqual({ tenant: "birch" }));
    expect(bodies).toEqual([{ name: "Acme" }, { name: "Acme" }]);
    await screen.findByText("Birch");
    expect(screen.queryByText("Acme")).toBeNull();
  });
});

describe("the audit log", () => {
  it("is refused with the reason, and not requested, without the scope", async () => {
    openTenants({ search: "?tab=audit", verified: makeVerified({ role: "developer" }) });
    await screen.findByText("The audit log is for owners and admins");
  });

  it("describes in sentences who did what, and keeps its page in the address", async () => {
    const cursors: (string | null)[] = [];
    const { readSearch } = openTenants({
      search: "?tab=audit",
      answers: {
        [`GET /tenants/${ACME}/members`]: () => pageOf(makeMember(BOB, "Bob", "viewer")),
        [`GET /tenants/${ACME}/audit`]: (request) => {
          const cursor = new URL(request.url).searchParams.get("cursor");
          cursors.push(cursor);
          return cursor === null
            ? {
                items: [
                  makeEntry("aud_2", "member.role_changed", {
                    actorId: ADA,
                    entityId: BOB,
                    details: { role: ["developer", "viewer"] },
                  }),
                ],
                nextCursor: "aud_2",
              }
            : pageOf(
                makeEntry("aud_1", "tenant.created", { actorId: ADA, details: { name: "Acme" } }),
              );
        },
      },
    });
    await screen.findByText("changed the role of Bob from developer to viewer");
    await userEvent.click(screen.getByRole("button", { name: "Next" }));
    await screen.findByText("created the tenant Acme");
    expect(readSearch()).toMatchObject({ tab: "audit", cursor: "aud_2" });
    await userEvent.click(screen.getByRole("button", { name: "Previous" }));
    await screen.findByText("changed the role of Bob from developer to viewer");
    expect(readSearch()).toEqual({ tab: "audit" });
    expect(new Set(cursors)).toEqual(new Set([null, "aud_2"]));
  });

  it("is narrowed from the address and by its controls, and goes on where a page found nothing", async () => {
    const asked: Record<string, string>[] = [];
    const { readSearch } = openTenants({
      search: "?tab=audit&action=member&from=2026-11-01&entity=usr_x",
      answers: {
        [`GET /tenants/${ACME}/members`]: () => pageOf(makeMember(BOB, "Bob", "viewer")),
        [`GET /tenants/${ACME}/audit`]: (request) => {
          const query = Object.fromEntries(new URL(request.url).searchParams);
          asked.push(query);
          return query["cursor"] === undefined
            ? { items: [], nextCursor: "aud_2:1" }
            : pageOf(makeEntry("aud_1", "key.revoked", { details: { name: "Worker" } }));
        },
      },
    });
    await screen.findByText("Nothing among the newest entries");
    expect(asked.at(-1)).toMatchObject({
      ...{ action: "member", entityId: "usr_x" },
      from: new Date(2026, 10, 1).toISOString(),
    });
    await userEvent.click(screen.getByRole("button", { name: "Look at older entries" }));
    await screen.findByText("revoked the key Worker");
    await userEvent.click(screen.getByRole("button", { name: "Show all again" }));
    await userEvent.click(screen.getByRole("combobox", { name: "Who" }));
    await userEvent.click(await screen.findByRole("option", { name: "Bob" }));
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ action: "member", actorId: BOB }));
    expect(asked.at(-1)).not.toHaveProperty("entityId");
    expect(readSearch()).toEqual({
      ...{ tab: "audit", action: "member", from: "2026-11-01", actor: BOB },
    });
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(asked.at(-1)).toEqual({ limit: "25" }));
    expect(readSearch()).toEqual({ tab: "audit" });
  });

  it("says what failed, and retries on request", async () => {
    let isUp = false;
    openTenants({
      search: "?tab=audit",
      answers: {
        ...LONELY,
        [`GET /tenants/${ACME}/audit`]: () =>
          isUp ? NOTHING : problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached."),
      },
    });
    await screen.findByText("The audit log could not be loaded.");
    isUp = true;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Nothing has happened yet");
  });
});
