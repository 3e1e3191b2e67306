// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { ClaimCard } from "./claim-card.tsx";

const SERVICE_KEY = {
  serviceKeyId: "svc_0199f3b0c1d27a4e8f60112233445566",
  name: "Operator",
  start: "tp_svc_abcd",
  scopes: [],
  createdAt: "2026-11-21T00:00:00.000Z",
  revokedAt: null,
  key: "tp_svc_abcdefgh",
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  window.location.hash = "";
});

async function pressClaim(): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: "Claim instance" }));
}

describe("ClaimCard", () => {
  it("shows nothing when the address carries no code", () => {
    renderWithPlatform(<ClaimCard />, {});
    expect(screen.queryByRole("heading")).toBe(null);
  });

  it("shows the key once, keeps it for the page and takes the code out of the address", async () => {
    window.location.hash = "#setup=once";
    const platform = renderWithPlatform(<ClaimCard />, {
      "POST /setup/claim": () => ({ serviceKey: SERVICE_KEY }),
    });

    await pressClaim();

    await screen.findByText("tp_svc_abcdefgh");
    expect(window.location.hash).toBe("");
    expect(platform.credentials.get()).toBe("tp_svc_abcdefgh");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Service key, shown once");

    await userEvent.click(screen.getByRole("button", { name: "I have stored it" }));
    expect(screen.queryByText("tp_svc_abcdefgh")).toBe(null);
    expect(platform.credentials.get()).toBe("tp_svc_abcdefgh");
  });

  it("says in the server's words why a code is refused, and forgets the code", async () => {
    window.location.hash = "#setup=used";
    renderWithPlatform(<ClaimCard />, {
      "POST /setup/claim": () => problem(404, "NOT_FOUND", "This code was used already."),
    });

    await pressClaim();

    expect((await screen.findByRole("alert")).textContent).toContain("This code was used already.");
    expect(window.location.hash).toBe("");
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("heading")).toBe(null);
  });

  it.each([
    { why: "nobody answered", answer: () => "unreachable" as const, said: "Failed to fetch" },
    {
      why: "the server failed",
      answer: () => problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached."),
      said: "The database cannot be reached.",
    },
  ])("keeps the code for another try when $why", async ({ answer, said }) => {
    window.location.hash = "#setup=kept";
    renderWithPlatform(<ClaimCard />, { "POST /setup/claim": answer });

    await pressClaim();

    expect((await screen.findByRole("alert")).textContent).toContain(said);
    expect(window.location.hash).toBe("#setup=kept");
    expect(screen.getByRole("button", { name: "Claim instance" })).toBeTruthy();
  });
});
