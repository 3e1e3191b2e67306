// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswer, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { OperatorSection } from "./operator-section.tsx";

const EMPTY = { items: [], nextCursor: null };
const ACME = {
  tenantId: "ten_0199f3b0c1d27a4e8f60112233445566",
  name: "Acme",
  slug: "acme",
  externalId: null,
  planId: "free",
  planVersion: 1,
  periodAnchor: "2026-11-01T00:00:00.000Z",
  suspendedAt: null,
  createdAt: "2026-11-21T00:00:00.000Z",
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function unlock(answers: Readonly<Record<string, () => FakeAnswer>>) {
  const platform = renderWithPlatform(
    <OperatorSection selected={undefined} onSelect={vi.fn()} onKeyShown={vi.fn()} />,
    answers,
  );
  await userEvent.type(screen.getByLabelText("Service key"), "tp_svc_example{Enter}");
  return platform;
}

describe("OperatorSection", () => {
  it("keeps no key that the server refuses, says why, and loses nothing that was typed", async () => {
    const platform = await unlock({
      "GET /tenants": () => problem(401, "NOT_FOUND", "This key is unknown."),
    });

    await screen.findByText("This key is unknown.");
    expect(platform.credentials.get()).toBe(undefined);
    expect(screen.getByLabelText("Service key")).toHaveProperty("value", "tp_svc_example");
  });

  it("explains empty lists and what fills them", async () => {
    await unlock({ "GET /tenants": () => EMPTY, "GET /outbox": () => EMPTY });

    await screen.findByText(/No tenants yet/);
    await screen.findByText(/No mails yet/);
  });

  it("keeps one failed list to its own card and loads it again on request", async () => {
    let isUp = false;
    await unlock({
      "GET /tenants": () => ({ items: [ACME], nextCursor: null }),
      "GET /outbox": () => (isUp ? EMPTY : problem(500, "INTERNAL_ERROR", "It broke.")),
    });

    await screen.findByRole("button", { name: /Acme/ });
    const outbox = within(screen.getByRole("region", { name: "Mail outbox" }));
    expect((await outbox.findByRole("alert")).textContent).toContain("It broke.");

    isUp = true;
    await userEvent.click(outbox.getByRole("button", { name: "Try again" }));
    await outbox.findByText(/No mails yet/);
  });

  it("shows the outline of a list while it loads", async () => {
    let calls = 0;
    await unlock({
      // The first call is the try of the key.
      "GET /tenants": () => {
        calls += 1;
        return calls === 1 ? EMPTY : "never";
      },
      "GET /outbox": () => "never",
    });

    await screen.findByRole("status", { name: "Loading tenants" });
    await screen.findByRole("status", { name: "Loading mails" });
  });

  it("keeps the name of a tenant that could not be created, with the reason beside it", async () => {
    await unlock({
      "GET /tenants": () => EMPTY,
      "GET /outbox": () => EMPTY,
      "POST /tenants": () => problem(409, "CONFLICT", "This slug is taken."),
    });
    const name = await screen.findByLabelText("Tenant name");
    await userEvent.type(name, "Acme{Enter}");

    await screen.findByText("This slug is taken.");
    expect(name).toHaveProperty("value", "Acme");
    expect(name.getAttribute("aria-invalid")).toBe("true");
  });

  it("forgets the key and everything it showed on request", async () => {
    const platform = await unlock({
      "GET /tenants": () => ({ items: [ACME], nextCursor: null }),
      "GET /outbox": () => EMPTY,
    });
    await screen.findByRole("button", { name: /Acme/ });

    await userEvent.click(screen.getByRole("button", { name: "Forget my key" }));

    expect(platform.credentials.get()).toBe(undefined);
    expect(screen.queryByText("Acme")).toBe(null);
    expect(screen.getByLabelText("Service key")).toHaveProperty("value", "");
  });
});
