// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClientConfig } from "#platform/client-config.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
  problem,
  type TestPlatform,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { SignInError } from "#platform/session/session.ts";
import { LoginPage } from "./login-page.tsx";
import { RegisterPage } from "./register-page.tsx";

const OTHER = {
  id: "corp",
  kind: "oidc" as const,
  name: "Corp",
  issuer: "https://id.corp.example",
  clientId: "x",
};

afterEach(() => {
  cleanup();
  window.sessionStorage.clear();
  window.localStorage.clear();
  vi.unstubAllGlobals();
});

type Setting = {
  answers?: FakeAnswers;
  identity?: Partial<ClientConfig["identity"]>;
  prepare?: (platform: TestPlatform) => void;
};

/** Opens an address as a visitor. */
async function open(address: string, setting: Setting = {}) {
  const { pathname, search: searchStr, hash } = new URL(address, "https://console.example");
  fakeNetwork(setting.answers ?? {});
  vi.stubGlobal("scrollTo", () => undefined);
  const platform = makeTestPlatform();
  Object.assign(platform.config.identity, setting.identity);
  setting.prepare?.(platform);
  const cleanHref = platform.arrivals.capture({ pathname, searchStr, hash });
  const root = createRootRoute();
  const page = (path: string, component: () => React.ReactNode) =>
    createRoute({ getParentRoute: () => root, path, component });
  const router = createRouter({
    routeTree: root.addChildren([
      page("/login", LoginPage),
      page("/register", RegisterPage),
      page("/", () => null),
      page("/terms", () => null),
      page("/privacy", () => null),
    ]),
    history: createMemoryHistory({ initialEntries: [cleanHref ?? address] }),
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PlatformProvider value={platform}>
        <RouterProvider router={router} />
      </PlatformProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1 });
  return { platform, router };
}

const email = () => screen.getByLabelText<HTMLInputElement>("E-mail address");
const password = () => screen.getByLabelText<HTMLInputElement>(/^(New p|P)assword$/);

describe("/login", () => {
  it("signs in with the typed text, on Enter, and shows progress until the page is left", async () => {
    const signIn = vi.fn(() => new Promise<void>(() => undefined));
    await open("/login", { prepare: ({ session }) => Object.assign(session, { signIn }) });
    await userEvent.type(email(), " ada@example.com");
    await userEvent.type(password(), "gravel otter{Enter}");
    expect(signIn).toHaveBeenCalledExactlyOnceWith({
      email: "ada@example.com",
      password: "gravel otter",
    });
    await screen.findByRole("button", { name: "Signing in…" });
    await userEvent.keyboard("{Enter}");
    expect(signIn).toHaveBeenCalledTimes(1);
  });

  it("sends once for a double click", async () => {
    const signIn = vi.fn(() => new Promise<void>(() => undefined));
    await open("/login", { prepare: ({ session }) => Object.assign(session, { signIn }) });
    await userEvent.type(email(), "ada@example.com");
    await userEvent.type(password(), "gravel otter");
    const button = screen.getByRole("button", { name: "Sign in" });
    act(() => {
      button.click();
      button.click();
    });
    await screen.findByRole("button", { name: "Signing in…" });
    expect(signIn).toHaveBeenCalledTimes(1);
  });

  it("names the missing fields, sends nothing, and focuses the first", async () => {
    await open("/login");
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
    expect(email().getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(email());
    expect(screen.getAllByText("Enter your password.").length).toBeGreaterThan(0);
  });

  it("keeps the typed text when it is refused, and says when to try again", async () => {
    const refused = new Response(
      JSON.stringify({ message: "Too many attempts. Wait a while, then try again." }),
      {
        status: 429,
        headers: { "retry-after": "120", "content-type": "application/problem+json" },
      },
    );
    await open("/login", {
      answers: { "POST /idp/interaction/x/login": () => refused },
      prepare: ({ session, json }) =>
        Object.assign(session, {
          signIn: async () =>
            void (await json({
              method: "POST",
              url: "https://api.example.com/idp/interaction/x/login",
              body: {},
            })),
        }),
    });
    await userEvent.type(email(), "ada@example.com");
    await userEvent.type(password(), "wrong{Enter}");
    await screen.findByText("Too many attempts. Try again in about 2 minutes.");
    expect(email().value).toBe("ada@example.com");
    expect(password().value).toBe("wrong");
  });

  it("shows the password on request, and warns of Caps Lock", async () => {
    await open("/login");
    expect(password().type).toBe("password");
    await userEvent.click(screen.getByRole("button", { name: "Show password" }));
    expect(password().type).toBe("text");
    fireEvent.keyDown(password(), { key: "A", modifierCapsLock: true });
    await screen.findByText("Caps Lock is on.");
    fireEvent.keyUp(password(), { key: "CapsLock", modifierCapsLock: false });
    expect(screen.queryByText("Caps Lock is on.")).toBe(null);
  });

  it("offers what is configured: a form, other providers, or both", async () => {
    await open("/login", { identity: { providers: [OTHER] } });
    screen.getByRole("button", { name: "Continue with Corp" });
    expect(screen.queryByLabelText("E-mail address")).toBe(null);
    expect(screen.queryByRole("link", { name: "Create one" })).toBe(null);
    cleanup();
    const builtIn = makeTestPlatform().config.identity.providers;
    await open("/login", { identity: { providers: [...builtIn, OTHER] } });
    screen.getByRole("button", { name: "Continue with Corp" });
    screen.getByLabelText("E-mail address");
  });

  it("says why a person cannot be sent to a provider", async () => {
    const startRedirect = () => Promise.reject(new TypeError("Failed to fetch"));
    await open("/login", {
      identity: { providers: [OTHER] },
      prepare: ({ session }) => Object.assign(session, { startRedirect }),
    });
    await userEvent.click(screen.getByRole("button", { name: "Continue with Corp" }));
    await screen.findByText(/cannot be reached/);
  });

  it("completes a provider's sign-in once, and removes the code from the address", async () => {
    const completeRedirect = vi.fn(() => new Promise<void>(() => undefined));
    const { router } = await open("/login?code=c&state=s", {
      prepare: ({ session }) => Object.assign(session, { completeRedirect }),
    });
    await waitFor(() => expect(router.state.location.href).toBe("/login"));
    expect(completeRedirect).toHaveBeenCalledTimes(1);
    expect(completeRedirect.mock.calls[0]?.toString()).toContain("code=c&state=s");
  });

  it("offers a new start when the provider's answer is refused", async () => {
    const refused = new SignInError("unknown_attempt", "No sign-in was started in this tab.");
    await open("/login?code=c&state=s", {
      prepare: ({ session }) =>
        Object.assign(session, { completeRedirect: () => Promise.reject(refused) }),
    });
    await screen.findByText("No sign-in was started in this tab.");
    await userEvent.click(screen.getByRole("button", { name: "Start again" }));
    email();
  });

  it("explains a refusal next to the form, and removes its code from the address", async () => {
    const { router } = await open("/login?error=access_denied&state=s");
    await screen.findByText(/You cancelled signing in/);
    email();
    await waitFor(() => expect(router.state.location.href).toBe("/login"));
  });
});

describe("a forgotten password", () => {
  it("gets the same answer for every address, which is carried over from the form", async () => {
    const asked = vi.fn(() => ({}));
    await open("/login", { answers: { "POST /idp/password/forgot": asked } });
    await userEvent.type(email(), "ada@example.com");
    await userEvent.click(screen.getByRole("button", { name: "Forgot your password?" }));
    expect(email().value).toBe("ada@example.com");
    await userEvent.click(screen.getByRole("button", { name: "Send link" }));
    await screen.findByText(/If there is an account for ada@example.com/);
    expect(asked).toHaveBeenCalledTimes(1);
    await userEvent.click(screen.getByRole("button", { name: "Back to sign in" }));
    password();
  });

  it("is replaced through the link of the mail; a used link leads to a new one", async () => {
    const dead = problem(410, "LINK_INVALID", "This link does not work any more.");
    let isDead = true;
    const signOut = vi.fn(() => Promise.resolve());
    await open("/login#reset=t0k", {
      answers: { "POST /idp/password/reset": () => (isDead ? dead : {}) },
      prepare: ({ session }) => Object.assign(session, { signOut }),
    });
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await screen.findByText("This link does not work any more.");
    screen.getByRole("button", { name: "Send me a new link" });
    isDead = false;
    await userEvent.click(screen.getByRole("button", { name: "Save password" }));
    await screen.findByText(/Your password was changed/);
    expect(signOut).not.toHaveBeenCalled();
  });

  it("can be replaced by a signed-in person too, which signs them out", async () => {
    const signOut = vi.fn(() => Promise.resolve());
    await open("/login#reset=t0k", {
      answers: { "POST /idp/password/reset": () => ({}) },
      prepare: ({ session }) => {
        Object.assign(session, { signOut });
        session.change({ user: makeUser() });
      },
    });
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await screen.findByText(/Your password was changed/);
    expect(signOut).toHaveBeenCalledOnce();
  });
});

describe("an address to confirm", () => {
  const press = () => userEvent.click(screen.getByRole("button", { name: "Confirm address" }));

  it("is confirmed with the password of the registration, not by opening the link, and signs in", async () => {
    const confirmed = vi.fn((_body: unknown) => ({ email: "ada@example.com" }));
    const signIn = vi.fn(() => Promise.resolve());
    await open("/login#confirm=t0k", {
      answers: { "POST /idp/email/confirm": confirmed },
      prepare: ({ session }) => Object.assign(session, { signIn }),
    });
    await press();
    await screen.findAllByText("Enter your password.");
    expect(confirmed).not.toHaveBeenCalled();
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await waitFor(() =>
      expect(signIn).toHaveBeenCalledWith({
        email: "ada@example.com",
        password: "gravel otter candle",
      }),
    );
    expect(confirmed).toHaveBeenCalledTimes(1);
  });

  it("stays confirmed when signing in fails", async () => {
    await open("/login#confirm=t0k", {
      answers: { "POST /idp/email/confirm": () => ({ email: "ada@example.com" }) },
      prepare: ({ session }) =>
        Object.assign(session, { signIn: () => Promise.reject(new SignInError("x", "No.")) }),
    });
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await screen.findByText(/Your address is confirmed/);
    email();
  });

  it("stays unconfirmed after a wrong password, and a used link leads to signing in", async () => {
    let refusal = problem(403, "INVALID_CREDENTIALS", "This is not the password.");
    await open("/login#confirm=t0k", { answers: { "POST /idp/email/confirm": () => refusal } });
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await screen.findByText("This is not the password.");
    expect(screen.queryByRole("button", { name: "Sign in" })).toBeNull();
    refusal = problem(410, "LINK_INVALID", "This link does not work any more.");
    await press();
    await userEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    email();
  });

  it("that a stranger registered is reclaimed with another password", async () => {
    await open("/login#confirm=t0k");
    await userEvent.click(screen.getByRole("button", { name: /did someone else register/ }));
    await screen.findByRole("heading", { name: /password/i });
    email();
  });
});

describe("a link that moves an address", () => {
  it("waits for a click, since programs open links of mails, and tells that the address is another now", async () => {
    const bodies: unknown[] = [];
    const changed = async (request: Request) => {
      bodies.push(await request.json());
      return { email: "new@example.com" };
    };
    await open("/login#change-email=t0k", { answers: { "POST /idp/email/change": changed } });
    const use = await screen.findByRole("button", { name: "Use this address" });
    expect(bodies).toEqual([]);
    await userEvent.click(use);
    await screen.findByText(/Your address was changed/);
    expect(bodies).toEqual([{ token: "t0k" }]);
    email();
  });

  it("brings the former address back, and goes on to a new password", async () => {
    const bodies: unknown[] = [];
    await open("/login#undo-email=t0k", {
      answers: {
        "POST /idp/email/undo": () => ({ email: "ada@example.com", resetToken: "r3set" }),
        "POST /idp/password/reset": async (request: Request) => {
          bodies.push(await request.json());
          return {};
        },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Take the account back" }));
    await screen.findByRole("heading", { name: "Choose a new password" });
    await userEvent.type(password(), "gravel otter candle{Enter}");
    await screen.findByText(/Your password was changed/);
    expect(bodies).toEqual([{ token: "r3set", password: "gravel otter candle" }]);
  });

  it("that was used leads to signing in", async () => {
    await open("/login#undo-email=t0k", {
      answers: { "POST /idp/email/undo": () => problem(410, "LINK_INVALID", "It was used.") },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Take the account back" }));
    await screen.findByText("It was used.");
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
    email();
  });
});

describe("/register", () => {
  async function fillIn(): Promise<void> {
    await userEvent.type(email(), "ada@example.com");
    await userEvent.type(password(), "gravel otter candle{Enter}");
  }

  it("ticks off the rules as they are met, and leaves out a missing name", async () => {
    const register = vi.fn(() => new Promise<"signed_in">(() => undefined));
    await open("/register", { prepare: ({ session }) => Object.assign(session, { register }) });
    const rule = () => screen.getByText(/At least 12 characters/);
    expect(rule().textContent).toContain("not met yet");
    await fillIn();
    expect(rule().textContent).toContain("(met)");
    expect(register).toHaveBeenCalledExactlyOnceWith({
      email: "ada@example.com",
      password: "gravel otter candle",
    });
  });

  it("asks for the first tenant's name, and keeps it for the person who registers", async () => {
    const register = vi.fn(() => new Promise<string>(() => undefined));
    const { platform } = await open("/register", {
      prepare: ({ session }) => Object.assign(session, { register }),
    });
    await userEvent.type(screen.getByLabelText(/^Company or project/), " Blue Heron ");
    await fillIn();
    await waitFor(() => expect(register).toHaveBeenCalledOnce());
    expect(platform.arrivals.getFor("tenant-name", "ada@example.com")).toBe("Blue Heron");
    expect(platform.arrivals.getFor("tenant-name", "bob@example.com")).toBeUndefined();
  });

  it("says where the mail went, and how to use another address", async () => {
    await open("/register", {
      prepare: ({ session, config }) => {
        Object.assign(session, { register: () => Promise.resolve("confirmation_sent") });
        config.mail.delivers = false;
      },
    });
    await fillIn();
    await screen.findByText(/We sent a link to ada@example.com/);
    screen.getByText(/does not send e-mail yet/);
    await userEvent.click(screen.getByRole("button", { name: "Use another address" }));
    email();
  });

  it.each([
    { why: "works", answer: () => ({ valid: true }), said: "You will be the operator" },
    {
      why: "was used, replaced or invented",
      answer: () => ({ valid: false }),
      said: "This setup link does not work",
    },
    {
      why: "cannot be checked",
      answer: () => problem(429, "RATE_LIMITED", "Too many attempts."),
      said: "The setup link could not be checked",
    },
    { why: "is being checked", answer: () => "never", said: "Checking your setup link…" },
  ] as const)("promises operatorship only for a setup link that works: it $why", async (row) => {
    const codes: unknown[] = [];
    await open("/register#setup=c0de", {
      answers: {
        "POST /setup/check": async (request) => {
          codes.push(await request.json());
          return row.answer();
        },
      },
    });
    await screen.findByText(row.said);
    expect(screen.queryByLabelText(/^Company or project/)).toBe(null);
    expect(codes).toEqual([{ code: "c0de" }]);
    expect(screen.queryByText("You will be the operator") !== null).toBe(row.why === "works");
  });

  it("remembers what a link brought for the registering address, in case the tab is closed", async () => {
    const register = vi.fn(() => new Promise<string>(() => undefined));
    const { platform } = await open("/register#setup=c0de", {
      answers: { "POST /setup/check": () => ({ valid: true }) },
      prepare: ({ session }) => Object.assign(session, { register }),
    });
    await fillIn();
    await waitFor(() => expect(register).toHaveBeenCalledOnce());
    window.sessionStorage.clear();
    expect(platform.arrivals.getFor("setup", "ada@example.com")).toBe("c0de");
    expect(platform.arrivals.getFor("setup", "bob@example.com")).toBeUndefined();
  });

  it.each([
    {
      answer: () => ({ tenantName: "Acme", email: "ada@example.com", role: "member" }),
      said: "You are invited to Acme",
    },
    {
      answer: () => problem(410, "INVITATION_INVALID", "The invitation has expired."),
      said: "This invitation cannot be used",
    },
  ])("shows what an invitation is for: $said", async ({ answer, said }) => {
    await open("/register", {
      answers: { "POST /invitations/preview": answer },
      prepare: ({ arrivals }) =>
        void arrivals.capture({
          pathname: "/register",
          searchStr: "",
          hash: "invitation=t0k",
        }),
    });
    await screen.findByText(said);
  });
});

describe("an invitation's address", () => {
  const follow = async (pathname: string, setting: Setting = {}) =>
    await open(pathname, {
      answers: {
        "POST /invitations/preview": () => ({
          tenantName: "Acme",
          email: "ada@example.com",
          role: "member",
        }),
      },
      prepare: (platform) => {
        platform.arrivals.capture({ pathname, searchStr: "", hash: "invitation=t0k" });
        setting.prepare?.(platform);
      },
    });

  it("is the account's address, and cannot be changed", async () => {
    const register = vi.fn(() => Promise.resolve("confirmation_sent"));
    await follow("/register", {
      prepare: ({ session }) => Object.assign(session, { register }),
    });
    await screen.findByText("The invitation is for this address.");
    expect(screen.queryByLabelText(/^Company or project/)).toBe(null);
    expect(email().readOnly).toBe(true);
    await userEvent.type(email(), "x");
    await userEvent.type(password(), "gravel otter candle{Enter}");
    expect(register).toHaveBeenCalledExactlyOnceWith({
      email: "ada@example.com",
      password: "gravel otter candle",
    });
    await screen.findByText(/We sent a link to ada@example.com/);
    expect(screen.queryByRole("button", { name: "Use another address" })).toBe(null);
  });

  it("is prefilled for signing in, and can be changed", async () => {
    await follow("/login");
    await screen.findByText("Your invitation is for ada@example.com.");
    expect(email().value).toBe("ada@example.com");
    expect(email().readOnly).toBe(false);
  });

  it("is a free field when the invitation cannot be used", async () => {
    await open("/register", {
      answers: { "POST /invitations/preview": () => problem(410, "INVITATION_INVALID", "Gone.") },
      prepare: ({ arrivals }) =>
        void arrivals.capture({ pathname: "/register", searchStr: "", hash: "invitation=t0k" }),
    });
    await screen.findByText("This invitation cannot be used");
    expect(email().value).toBe("");
    expect(email().readOnly).toBe(false);
  });
});

describe("at another address than the public one", () => {
  it.each(["/login", "/register"])(
    "%s says where to sign in, and leads to the same page there",
    async (pathname) => {
      await open(`${pathname}#invitation=t0k&setup=c0de`, {
        answers: {
          "POST /setup/check": () => ({ valid: true }),
          "POST /invitations/preview": () => problem(410, "INVITATION_INVALID", "Gone."),
        },
        prepare: ({ config }) =>
          void Object.assign(config.urls, { console: "https://console.example.com" }),
      });
      screen.getByText("You cannot sign in at this address");
      const link = screen.getByRole<HTMLAnchorElement>("link", {
        name: "https://console.example.com",
      });
      expect(link.href).toBe(`https://console.example.com${pathname}#invitation=t0k&setup=c0de`);
    },
  );

  it("shows no notice at the public address", async () => {
    await open("/login");
    expect(screen.queryByText("You cannot sign in at this address")).toBe(null);
  });
});
