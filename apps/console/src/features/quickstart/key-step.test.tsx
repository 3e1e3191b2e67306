// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { KeyStep } from "./key-step.tsx";

const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566";
const TENANT: OwnTenant = {
  tenantId: TENANT_ID as OwnTenant["tenantId"],
  name: "Acme",
  slug: "acme",
  role: "owner",
  planId: "free",
  suspendedAt: null,
  createdAt: "2026-11-01T00:00:00.000Z",
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("makes one key of a double click, and another attempt after a refusal", async () => {
  const answers: object[] = [
    problem(409, "CONFLICT", "There are too many keys."),
    { key: "tp_live_secret" },
  ];
  const create = vi.fn(() => answers.shift() ?? problem(500, "INTERNAL_ERROR", "Asked too often."));
  const onCreated = vi.fn();
  renderWithPlatform(
    <KeyStep
      tenant={TENANT}
      state="current"
      existing={undefined}
      shownKey={undefined}
      onCreated={onCreated}
    />,
    { [`POST /tenants/${TENANT_ID}/keys`]: create },
  );
  const pressTwice = () => {
    const button = screen.getByRole("button", { name: "Create key" });
    fireEvent.click(button);
    fireEvent.click(button);
  };
  pressTwice();
  await screen.findByText("The key was not created.");
  expect(create).toHaveBeenCalledTimes(1);
  expect(onCreated).not.toHaveBeenCalled();
  pressTwice();
  await waitFor(() => expect(onCreated).toHaveBeenCalledExactlyOnceWith("tp_live_secret"));
  expect(create).toHaveBeenCalledTimes(2);
});
