// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { NONE, openFrame, QUIET, stageFrames, TENANTS } from "./app-frame.fixture.tsx";

stageFrames();

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
      const { router, user } = await openFrame({
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
    const { user } = await openFrame({
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
    const { user } = await openFrame({
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
    await openFrame({
      path: "/billings?tenant=cedar",
      isOperator: true,
      answers: { "GET /tenants": () => "never" },
    });
    expect(document.title).toBe("Billings · Acme APIs");
    expect(screen.queryByRole("combobox", { name: /^Tenant:/ })).toBe(null);
    cleanup();
    await openFrame({ path: "/billings?tenant=gone", isOperator: true, answers: CEDAR_ALONE });
    await screen.findByText("There is no tenant gone; this is Acme.");
  });

  it("is, for everybody else, not even asked about", async () => {
    const asked: string[] = [];
    await openFrame({
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
