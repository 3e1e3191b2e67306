// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswer, problem } from "#platform/render-with-platform.tsx";
import {
  ACME,
  ADA,
  BOB,
  EVE,
  makeVerified,
  NOTHING,
  openTenants,
  stubWindow,
} from "../open-tenants.fixture.tsx";
import { makeInvitation, makeKey, makeMember, pageOf } from "../tenant-answers.fixture.ts";

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const MEMBERS = `GET /tenants/${ACME}/members`;
const INVITATIONS = `GET /tenants/${ACME}/invitations`;
const THREE = () =>
  pageOf(
    makeMember(ADA, "Ada", "owner"),
    makeMember(BOB, "Bob", "developer"),
    makeMember(EVE, "Eve", "owner"),
  );
const QUIET = { [MEMBERS]: THREE, [INVITATIONS]: () => NOTHING };
const open = (input: Parameters<typeof openTenants>[0] = {}) =>
  openTenants({ search: "?tab=members", ...input, answers: { ...QUIET, ...input.answers } });

const findRow = async (name: string) =>
  (await screen.findByText(name, { selector: "span" })).closest("tr") as HTMLElement;

async function choose(select: HTMLElement, name: RegExp): Promise<void> {
  await userEvent.click(select);
  await userEvent.click(await screen.findByRole("option", { name }));
}

describe("roles", () => {
  it("show a new one at once, and revert it with the reason when the server refuses", async () => {
    const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
    let refused: Response | undefined;
    open({
      answers: {
        [`PUT /tenants/${ACME}/members/${BOB}`]: () =>
          new Response(
            new ReadableStream({
              start: async (stream) => {
                refused = (await promise) as Response;
                stream.enqueue(new Uint8Array(await refused.arrayBuffer()));
                stream.close();
              },
            }),
            { status: 403, headers: { "content-type": "application/problem+json" } },
          ),
      },
    });
    const select = await screen.findByRole("combobox", { name: "Role of Bob" });
    await choose(select, /^Viewer/);
    await waitFor(() => expect(select.textContent).toContain("Viewer"));
    resolve(problem(403, "INSUFFICIENT_SCOPE", "Your role is not enough."));
    await screen.findByText("The role of Bob was not changed: Your role is not enough.");
    await waitFor(() =>
      expect(screen.getByRole("combobox", { name: "Role of Bob" }).textContent).toContain(
        "Developer",
      ),
    );
  });

  it("stay fixed, with the reason, for the only owner", async () => {
    open({
      answers: {
        [MEMBERS]: () =>
          pageOf(makeMember(ADA, "Ada", "owner"), makeMember(BOB, "Bob", "developer")),
      },
    });
    const row = await findRow("Ada");
    within(row).getByText("The only owner. Make someone else an owner first.");
    expect(within(row).queryByRole("combobox")).toBeNull();
  });

  it("of owners can be changed only by owners", async () => {
    open({ verified: makeVerified({ role: "admin" }) });
    const row = await findRow("Eve");
    within(row).getByText("Only an owner can change owners.");
    expect(screen.queryByRole("button", { name: "Remove Eve" })).toBeNull();
    const select = screen.getByRole("combobox", { name: "Role of Bob" });
    await userEvent.click(select);
    const owner = await screen.findByRole("option", { name: /^Owner/ });
    expect(owner.getAttribute("aria-disabled")).toBe("true");
  });

  it("are read-only, with one reason, for people who may not change them", async () => {
    open({ verified: makeVerified({ role: "viewer" }) });
    await screen.findByText("Your role, viewer, cannot change members: ask an owner or an admin.");
    await findRow("Bob");
    expect(screen.queryByRole("combobox")).toBeNull();
    expect(screen.queryByRole("button", { name: /Invite|Remove/ })).toBeNull();
  });
});

describe("removing a member", () => {
  it("names the keys that keep working, asks for the name, and lists the remaining members", async () => {
    let isGone = false;
    open({
      answers: {
        [MEMBERS]: () => (isGone ? pageOf(makeMember(ADA, "Ada", "owner")) : THREE()),
        [`GET /tenants/${ACME}/keys`]: () => pageOf(makeKey("Worker", `user:${BOB}`)),
        [`DELETE /tenants/${ACME}/members/${BOB}`]: () => {
          isGone = true;
          return { liveKeys: [], pausedWebhooks: [] };
        },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Remove Bob" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Remove Bob?" });
    await within(dialog).findByText("Worker");
    await userEvent.type(within(dialog).getByRole("textbox"), "Bob{Enter}");
    await waitFor(() => expect(screen.queryByText("bob@example.com")).toBeNull());
  });

  it("says why it was refused, and keeps the list unchanged", async () => {
    open({
      answers: {
        [`GET /tenants/${ACME}/keys`]: () => NOTHING,
        [`DELETE /tenants/${ACME}/members/${BOB}`]: () =>
          problem(404, "RESOURCE_NOT_FOUND", "There is no such member."),
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Remove Bob" }));
    const dialog = await screen.findByRole("alertdialog");
    await userEvent.type(within(dialog).getByRole("textbox"), "Bob{Enter}");
    await within(dialog).findByText("There is no such member.");
  });
});

describe("invitations", () => {
  it("are sent with a role, once for a double click, and listed until they are accepted", async () => {
    const asked: Request[] = [];
    open({
      answers: {
        [INVITATIONS]: () =>
          asked.length === 0 ? NOTHING : pageOf(makeInvitation("new@example.com", "viewer")),
        [`POST /tenants/${ACME}/invitations`]: (request) => {
          asked.push(request);
          return makeInvitation("new@example.com", "viewer");
        },
      },
    });
    await screen.findByText("No pending invitations.");
    await userEvent.click(screen.getByRole("button", { name: "Invite member" }));
    const dialog = await screen.findByRole("dialog", { name: "Invite to Acme" });
    await userEvent.type(within(dialog).getByLabelText("E-mail address"), " new@example.com ");
    await choose(within(dialog).getByRole("combobox"), /^Viewer/);
    const button = within(dialog).getByRole("button", { name: "Send invitation" });
    fireEvent.click(button);
    fireEvent.click(button);
    await screen.findByRole("button", { name: "Send again to new@example.com" });
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([
      { email: "new@example.com", role: "viewer" },
    ]);
  });

  it("say where the mail is when none can be delivered", async () => {
    open({ mailDelivers: false });
    await screen.findByText(/the operator finds it in the outbox/);
    cleanup();
    open({ mailDelivers: false, verified: makeVerified({ isOperator: true }) });
    expect((await screen.findByRole("link", { name: "outbox" })).getAttribute("href")).toContain(
      "tab=outbox",
    );
  });

  it("are sent again with the same role, and revoked", async () => {
    const calls: string[] = [];
    let isRevoked = false;
    open({
      answers: {
        [INVITATIONS]: () =>
          isRevoked ? NOTHING : pageOf(makeInvitation("new@example.com", "admin")),
        [`POST /tenants/${ACME}/invitations`]: () => {
          calls.push("sent");
          return makeInvitation("new@example.com", "admin");
        },
        [`DELETE /tenants/${ACME}/invitations/ivt_0199f3b0c1d27a4e8f60112233445566`]: () => {
          isRevoked = true;
          return new Response(null, { status: 204 });
        },
      },
    });
    await userEvent.click(
      await screen.findByRole("button", { name: "Send again to new@example.com" }),
    );
    await screen.findByText("new@example.com gets a new link; the previous one no longer works.");
    expect(calls).toEqual(["sent"]);
    await userEvent.click(
      screen.getByRole("button", { name: "Revoke the invitation of new@example.com" }),
    );
    await userEvent.click(await screen.findByRole("button", { name: "Revoke invitation" }));
    await screen.findByText("No pending invitations.");
  });

  it("keep a refused address in the form, with the reason", async () => {
    open({
      answers: {
        [`POST /tenants/${ACME}/invitations`]: () =>
          problem(429, "TOO_MANY_INVITATIONS", "Too many invitations were sent today."),
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Invite member" }));
    const field = await screen.findByLabelText<HTMLInputElement>("E-mail address");
    await userEvent.type(field, "new@example.com{Enter}");
    await screen.findByText("Too many invitations were sent today.");
    expect(field.value).toBe("new@example.com");
  });
});
