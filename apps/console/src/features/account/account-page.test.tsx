// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { ownAccount, ownIdentity, signIn } from "@turnpike/contract/account";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ToastArea } from "#components/toast-area.tsx";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { AccountPage } from "./account-page.tsx";

const AT = "2026-11-01T00:00:00.000Z";

const ACCOUNT = ownAccount.parse({
  kind: "builtin",
  issuer: null,
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada",
  pendingEmail: null,
  language: "en",
  createdAt: AT,
});

function makeSignIn(digit: string, input: Partial<Record<"browser" | "system", string>>) {
  const digits = digit.repeat(32);
  return signIn.parse({
    ...{ signInId: `sin_${digits}`, browser: null, system: null, isThis: digit === "1" },
    ...{ createdAt: AT, lastUsedAt: AT, expiresAt: AT, ...input },
  });
}

const BROWSERS = [
  makeSignIn("1", { browser: "Firefox", system: "Linux" }),
  makeSignIn("2", { system: "iPhone" }),
];

const PERSON = { user: { userId: "usr_1", email: "ada@example.com", name: "Ada" }, tenants: [] };

const IDENTITIES = [
  ownIdentity.parse({
    ...{ issuer: null, email: "ada@example.com", emailVerified: true },
    ...{ isFirst: true, canDisconnect: false, connectedAt: AT },
  }),
];

const DELETION = {
  confirmation: "ada@example.com",
  needsPassword: true,
  memberships: 1,
  soleOwnerOf: [] as object[],
};

function open(answers: FakeAnswers = {}, account = ACCOUNT) {
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  fakeNetwork({
    "GET /me/account": () => account,
    "GET /me/sign-ins": () => ({ items: BROWSERS }),
    "GET /me/identities": () => ({ items: IDENTITIES }),
    "GET /me/account/deletion": () => DELETION,
    "POST /auth/verify": () => PERSON,
    ...answers,
  });
  const platform = makeTestPlatform();
  const renew = vi.fn(() => Promise.resolve());
  Object.assign(platform.session, { renew });
  platform.session.change({ user: makeUser() });
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { retry: false } });
  queryClient.setQueryData(VERIFIED_USER_KEY, PERSON);
  const root = createRootRoute({ component: AccountPage });
  const router = createRouter({
    routeTree: root.addChildren(
      ["/account", "/device", "/tenants"].map((path) =>
        createRoute({ getParentRoute: () => root, path }),
      ),
    ),
    history: createMemoryHistory({ initialEntries: ["/account"] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={platform}>
        <UiProvider>
          <RouterProvider router={router} />
          <ToastArea />
        </UiProvider>
      </PlatformProvider>
    </QueryClientProvider>,
  );
  return { platform, renew, user: userEvent.setup() };
}

/** Refuses as the server does, for one field. */
function refuseField(pointer: string, message: string): Response {
  return new Response(
    JSON.stringify({
      ...{ status: 403, code: "INVALID_CREDENTIALS", error: message, message, requestId: "req_1" },
      errors: [{ pointer, message }],
    }),
    { status: 403, headers: { "content-type": "application/problem+json" } },
  );
}

/** Keeps what is sent, and answers. */
function keep(sent: unknown[], answer: object = {}) {
  return async (request: Request) => {
    sent.push(await request.json());
    return answer;
  };
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("the account page", () => {
  it("changes the password with the present one, renews the token, and shows a refusal at its field", async () => {
    const sent: unknown[] = [];
    const message = "This is not the password of your account.";
    let isRefused = true;
    const { user, renew } = open({
      "POST /me/account/password": (request) =>
        isRefused ? refuseField("/currentPassword", message) : keep(sent)(request),
    });
    await user.click(await screen.findByRole("button", { name: "Change password…" }));
    const save = screen.getByRole("button", { name: "Change password" });
    await user.type(screen.getByLabelText("Present password"), "copper lantern 41");
    await user.type(screen.getByLabelText("New password"), "short");
    expect(save).toHaveProperty("disabled", true);
    await user.type(screen.getByLabelText("New password"), " but longer");
    await user.click(save);
    await screen.findAllByText(message);
    expect(screen.getByLabelText("Present password").getAttribute("aria-invalid")).toBe("true");
    expect(renew).not.toHaveBeenCalled();
    isRefused = false;
    await user.click(save);
    await screen.findByText(/Your password was changed/);
    await waitFor(() => expect(renew).toHaveBeenCalledOnce());
    expect(sent).toEqual([{ currentPassword: "copper lantern 41", password: "short but longer" }]);
  });

  it("lists browsers, ends another one, and signs out everywhere, here too", async () => {
    const [ended, all]: [unknown[], unknown[]] = [[], []];
    const { platform, user } = open({
      "POST /me/sign-ins/end": keep(ended, BROWSERS[1]),
      "POST /me/sign-ins/end-all": keep(all),
    });
    const card = within(await screen.findByRole("region", { name: "Where you are signed in" }));
    await card.findByText("This browser");
    expect(card.getAllByRole("listitem")).toHaveLength(2);
    await user.click(card.getByRole("button", { name: "Sign out A browser on iPhone" }));
    await screen.findByText("A browser on iPhone is signed out.");
    expect(ended).toEqual([{ signInId: BROWSERS[1]?.signInId }]);
    await user.click(card.getByRole("button", { name: "Sign out everywhere…" }));
    await user.click(await screen.findByRole("button", { name: "Sign out everywhere" }));
    await waitFor(() => expect(platform.session.getState().user).toBeUndefined());
    expect(all).toEqual([{ keepThis: false }]);
  });

  it("shows people of another provider who keeps their account, and nothing that they could not change", async () => {
    open({}, { ...ACCOUNT, kind: "provider", issuer: "https://id.example" });
    await screen.findByText("https://id.example");
    await screen.findByRole("button", { name: "Delete account…" });
    expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
      "Download your data",
      "Delete account…",
    ]);
  });

  it("deletes the account with the address and the password, and signs out", async () => {
    const sent: unknown[] = [];
    const { platform, user } = open({ "POST /me/account/delete": keep(sent) });
    const ask = await screen.findByRole("button", { name: "Delete account…" });
    await waitFor(() => expect(ask).toHaveProperty("disabled", false));
    await user.click(ask);
    const dialog = within(await screen.findByRole("dialog"));
    const remove = dialog.getByRole("button", { name: "Delete account" });
    await user.type(dialog.getByLabelText(/to confirm/), "Ada@Example.com");
    expect(remove).toHaveProperty("disabled", true);
    await user.type(dialog.getByLabelText("Your password"), "copper lantern 41");
    await user.click(remove);
    await waitFor(() => expect(platform.session.getState().user).toBeUndefined());
    expect(sent).toEqual([
      { confirmation: "Ada@Example.com", currentPassword: "copper lantern 41" },
    ]);
  });

  it("leads the only owner of a tenant to its members and settings instead", async () => {
    const soleOwnerOf = [{ tenantId: `ten_${"1".repeat(32)}`, name: "Acme", slug: "acme" }];
    open({ "GET /me/account/deletion": () => ({ ...DELETION, soleOwnerOf }) });
    const members = await screen.findByRole("link", { name: "members" });
    expect(members.getAttribute("href")).toBe("/tenants?tab=members&tenant=acme");
    expect(screen.queryByRole("button", { name: "Delete account…" })).toBeNull();
  });

  it("sends the confirmation of an unconfirmed address again, and says which address waits for its link", async () => {
    const { user } = open(
      { "POST /me/account/confirmation": () => ({ isSent: true }) },
      { ...ACCOUNT, emailVerified: false, pendingEmail: "new@example.com" },
    );
    await screen.findByText(/It becomes new@example.com/);
    await user.click(screen.getByRole("button", { name: "Send the link again" }));
    await screen.findByText("The link is on its way to ada@example.com.");
  });
});
