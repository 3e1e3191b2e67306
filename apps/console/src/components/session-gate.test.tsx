// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
  problem,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { toast } from "#platform/toast.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { SessionGate } from "./session-gate.tsx";

const VERIFIED = {
  user: {
    userId: "usr_1",
    email: "ada@example.com",
    emailVerified: true,
    name: null,
    isOperator: false,
  },
  tenants: [],
};

let logged: unknown[];

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "log").mockImplementation((...values) => logged.push(...values));
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function openGate(answers: FakeAnswers) {
  fakeNetwork(answers);
  const platform = makeTestPlatform();
  const client = createQueryClient();
  render(
    <QueryClientProvider client={client}>
      <PlatformProvider value={platform}>
        <SessionGate>
          <p>The page</p>
        </SessionGate>
      </PlatformProvider>
    </QueryClientProvider>,
  );
  const change: typeof platform.session.change = (state) => {
    act(() => platform.session.change(state));
  };
  return { platform, client, change };
}

describe("SessionGate", () => {
  it("sends the ID token to /auth/verify each time a user appears, logs the answer and keeps it", async () => {
    const bodies: unknown[] = [];
    const headers: (string | null)[] = [];
    const { client, change } = openGate({
      "POST /auth/verify": (request) => {
        headers.push(request.headers.get("content-type"), request.headers.get("authorization"));
        void request.json().then((body: unknown) => bodies.push(body));
        return VERIFIED;
      },
    });
    expect(bodies).toEqual([]);

    change({ user: makeUser("ada") });
    await waitFor(() => expect(logged).toEqual([VERIFIED]));
    expect(bodies).toEqual([{ token: "token-of-ada" }]);
    expect(headers).toEqual(["application/json", "Bearer token-of-ada"]);
    expect(client.getQueryData(VERIFIED_USER_KEY)).toEqual(VERIFIED);

    change({ user: undefined });
    change({ user: makeUser("grace") });
    await waitFor(() => expect(logged).toHaveLength(2));
    expect(bodies).toEqual([{ token: "token-of-ada" }, { token: "token-of-grace" }]);
  });

  it("runs the verification as a mutation, without making the page wait", async () => {
    const { client, change } = openGate({ "POST /auth/verify": () => "never" });
    change({ user: makeUser() });
    await waitFor(() => {
      const [mutation] = client.getMutationCache().findAll({ mutationKey: ["auth", "verify"] });
      expect(mutation?.state.status).toBe("pending");
    });
    screen.getByText("The page");
  });

  it("shows a failed verification instead of the page, with Retry and Sign out", async () => {
    let isBroken = true;
    const { change } = openGate({
      "POST /auth/verify": () =>
        isBroken ? problem(401, "UNAUTHENTICATED", "This sign-in is not trusted here.") : VERIFIED,
    });
    change({ user: makeUser() });
    await screen.findByText("This sign-in is not trusted here.");
    expect(screen.queryByText("The page")).toBeNull();

    isBroken = false;
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    await screen.findByText("The page");
    await waitFor(() => expect(logged).toEqual([VERIFIED]));
  });

  it("signs out from a failed verification", async () => {
    const { platform, change } = openGate({ "POST /auth/verify": () => "unreachable" });
    change({ user: makeUser() });
    await userEvent.click(await screen.findByRole("button", { name: "Sign out" }));
    expect(platform.session.getState().user).toBeUndefined();
    screen.getByText("The page");
  });

  it("shows the loader alone while it is not known who is signed in, and says when that takes trouble", () => {
    const { change } = openGate({});
    change({ isLoading: true });
    screen.getByRole("status", { name: "Loading" });
    expect(screen.queryByText("The page")).toBeNull();
    change({ trouble: "The sign-in service cannot be reached." });
    screen.getByText("The sign-in service cannot be reached.");
    screen.getByRole("button", { name: "Retry" });
  });
});

describe("what a link brought along", () => {
  it.each([
    { kind: "setup", path: "/setup/claim", body: { code: "s3cret" } },
    { kind: "invitation", path: "/invitations/accept", body: { token: "s3cret" } },
  ] as const)("takes effect once the person is verified: $kind", async ({ kind, path, body }) => {
    const said = vi.spyOn(toast, "success");
    const bodies: unknown[] = [];
    const { platform, change } = openGate({
      "POST /auth/verify": () => VERIFIED,
      [`POST ${path}`]: (request) => {
        void request.json().then((sent: unknown) => bodies.push(sent));
        return { user: VERIFIED.user };
      },
    });
    sessionStorage.setItem(`arrival-${kind}`, "s3cret");
    change({ user: makeUser() });

    await waitFor(() => expect(said).toHaveBeenCalledTimes(1));
    expect(bodies).toEqual([body]);
    expect(platform.arrivals.get(kind)).toBeUndefined();
  });

  it("is dropped when it is refused, with the reason, and kept when there was no answer", async () => {
    const said = vi.spyOn(toast, "error");
    let isReachable = false;
    const { platform, change } = openGate({
      "POST /auth/verify": () => VERIFIED,
      "POST /setup/claim": () =>
        isReachable
          ? problem(404, "RESOURCE_NOT_FOUND", "This setup link was used before.")
          : "unreachable",
    });
    sessionStorage.setItem("arrival-setup", "s3cret");
    change({ user: makeUser() });
    await waitFor(() => expect(said).toHaveBeenCalledTimes(1));
    expect(platform.arrivals.get("setup")).toBe("s3cret");

    isReachable = true;
    change({ user: undefined });
    change({ user: makeUser() });
    await waitFor(() => expect(said).toHaveBeenLastCalledWith("This setup link was used before."));
    expect(platform.arrivals.get("setup")).toBeUndefined();
  });

  it("is used by the person who registered with it in a tab that was closed", async () => {
    const said = vi.spyOn(toast, "success");
    const { platform, change } = openGate({
      "POST /auth/verify": () => VERIFIED,
      "POST /setup/claim": () => ({ user: VERIFIED.user }),
    });
    sessionStorage.setItem("arrival-setup", "s3cret");
    platform.arrivals.keepFor(VERIFIED.user.email);
    sessionStorage.clear();
    change({ user: makeUser() });
    await waitFor(() => expect(said).toHaveBeenCalledTimes(1));
    expect(localStorage.getItem("arrival-setup")).toBe(null);
  });

  it("is removed when someone else signs in, and not used", async () => {
    const { platform, change } = openGate({ "POST /auth/verify": () => VERIFIED });
    sessionStorage.setItem("arrival-setup", "s3cret");
    platform.arrivals.keepFor("someone-else@example.com");
    sessionStorage.clear();
    change({ user: makeUser() });
    await waitFor(() => expect(localStorage.getItem("arrival-setup")).toBe(null));
  });

  it("waits for its addressee when someone else is signed in", async () => {
    const said = vi.spyOn(toast, "error");
    const joined = vi.spyOn(toast, "success");
    const mismatch =
      "This invitation is for ada@example.com: sign in with the account of that address.";
    const { platform, change } = openGate({
      "POST /auth/verify": () => VERIFIED,
      "POST /invitations/accept": (request) =>
        request.headers.get("authorization") === "Bearer token-of-ada"
          ? { tenant: {} }
          : problem(403, "INVITATION_EMAIL_MISMATCH", mismatch),
    });
    sessionStorage.setItem("arrival-invitation", "s3cret");
    change({ user: makeUser("grace") });
    const offer = expect.objectContaining({
      action: expect.objectContaining({ label: "Switch account" }),
    });
    await waitFor(() => expect(said).toHaveBeenCalledExactlyOnceWith(mismatch, offer));
    expect(platform.arrivals.get("invitation")).toBe("s3cret");

    change({ user: undefined });
    change({ user: makeUser("ada") });
    await waitFor(() => expect(joined).toHaveBeenCalledTimes(1));
    expect(platform.arrivals.get("invitation")).toBeUndefined();
  });
});
