// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { KeyStep, type KeyStepProps } from "./key-step.tsx";

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

type Newest = KeyStepProps["newest"];
/** What is known of the newest key. */
function toNewest(change: Partial<Newest>): Newest {
  const isSuccess = change.data !== undefined;
  return { isSuccess, isError: false, fetchStatus: "idle", ...change } as Newest;
}

function openStep(newest: Newest, shownKey?: string): void {
  renderWithPlatform(
    <KeyStep
      tenant={TENANT}
      state="current"
      newest={newest}
      shownKey={shownKey}
      onCreated={() => undefined}
    />,
    {},
  );
}
const findForm = () => screen.queryByRole("button", { name: "Create key" });

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
      newest={toNewest({ data: null })}
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

it("offers no key to be made while it is not known whether there is one", () => {
  openStep(toNewest({ fetchStatus: "fetching" }));
  screen.getByRole("status", { name: "Loading: API key" });
  expect(findForm()).toBe(null);
});

it("says that it could not be looked whether there is a key, and looks again on request", () => {
  const refetch = vi.fn<Newest["refetch"]>();
  openStep(toNewest({ isError: true, error: new Error("Down."), refetch } as Partial<Newest>));
  screen.getByText("Your keys could not be checked.");
  expect(findForm()).toBe(null);
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(refetch).toHaveBeenCalledOnce();
});

it("does not offer another key after one was made here and stored, until it is looked again", () => {
  openStep(toNewest({ data: null, fetchStatus: "fetching" }), "tp_live_secret");
  fireEvent.click(screen.getByRole("button", { name: "I have stored it" }));
  screen.getByRole("status", { name: "Loading: API key" });
  expect(findForm()).toBe(null);
});
