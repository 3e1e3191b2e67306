// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
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
  logoId: null,
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

const LOST = {
  keyId: "key_0199f3b0c1d27a4e8f60112233445566",
  name: "First key",
  start: "tp_live_ab",
  lastFour: "wxyz",
  rolledToKeyId: null,
} as NonNullable<Newest["data"]>;

it("rolls a key whose text is lost, once, and keeps the old one working for a day", async () => {
  const bodies: unknown[] = [];
  const onCreated = vi.fn();
  renderWithPlatform(
    <KeyStep
      tenant={TENANT}
      state="finished"
      newest={toNewest({ data: LOST })}
      shownKey={undefined}
      onCreated={onCreated}
    />,
    {
      [`POST /tenants/${TENANT_ID}/keys/${LOST.keyId}/roll`]: async (request) => {
        bodies.push(await request.json());
        return { key: "tp_live_secret" };
      },
    },
  );
  const button = screen.getByRole("button", { name: "Roll this key" });
  fireEvent.click(button);
  fireEvent.click(button);
  await waitFor(() => expect(onCreated).toHaveBeenCalledExactlyOnceWith("tp_live_secret"));
  expect(bodies).toEqual([{ graceSeconds: 86_400 }]);
});

it("offers another key instead of a lost one, and the way back", () => {
  openStep(toNewest({ data: LOST }));
  fireEvent.click(screen.getByRole("button", { name: "Create another key" }));
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("Another key");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  screen.getByRole("button", { name: "Roll this key" });
});

it("does not offer to roll a key that was rolled already", () => {
  openStep(toNewest({ data: { ...LOST, rolledToKeyId: LOST.keyId } }));
  screen.getByRole("button", { name: "Create another key" });
  expect(screen.queryByRole("button", { name: "Roll this key" })).toBe(null);
});

it("offers neither to a role that cannot create keys, nor while the key is in the samples", () => {
  openStep(toNewest({ data: LOST }), "tp_live_secret");
  fireEvent.click(screen.getByRole("button", { name: "I have stored it" }));
  screen.getByText(/is active/);
  expect(screen.queryByRole("button")).toBe(null);
  cleanup();
  renderWithPlatform(
    <KeyStep
      tenant={{ ...TENANT, role: "viewer" }}
      state="finished"
      newest={toNewest({ data: LOST })}
      shownKey={undefined}
      onCreated={() => undefined}
    />,
    {},
  );
  screen.getByText(/is active/);
  expect(screen.queryByRole("button")).toBe(null);
});

function PageWithTwoKeys() {
  const [shownKey, setShownKey] = useState("tp_live_one");
  return (
    <>
      <KeyStep
        tenant={TENANT}
        state="finished"
        newest={toNewest({ data: LOST })}
        shownKey={shownKey}
        onCreated={() => undefined}
      />
      <button type="button" onClick={() => setShownKey("tp_live_two")}>
        Another
      </button>
    </>
  );
}

it("shows the text of a second key made on the page as well", async () => {
  renderWithPlatform(<PageWithTwoKeys />, {});
  fireEvent.click(screen.getByRole("button", { name: "I have stored it" }));
  fireEvent.click(screen.getByRole("button", { name: "Another" }));
  screen.getByText("tp_live_two");
});

it("does not offer another key after one was made here and stored, until it is looked again", () => {
  openStep(toNewest({ data: null, fetchStatus: "fetching" }), "tp_live_secret");
  fireEvent.click(screen.getByRole("button", { name: "I have stored it" }));
  screen.getByRole("status", { name: "Loading: API key" });
  expect(findForm()).toBe(null);
});
