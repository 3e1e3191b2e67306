// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { BASIC_SCOPES, ROLE_SCOPES, ROLES } from "@turnpike/domain/access/scopes";
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
import {
  makeInvitation,
  makeKey,
  makeMember,
  makeRole,
  pageOf,
} from "../tenant-answers.fixture.ts";

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
const ROLES_OF_ACME = `GET /tenants/${ACME}/roles`;
const SUPPORT = "rol_0199f3b0c1d27a4e8f60112233445566";
const builtIn = ROLES.map((role) => makeRole(role, role, ROLE_SCOPES[role]));
const support = (members: number) =>
  makeRole(SUPPORT, "Support", [...BASIC_SCOPES, "keys:read"], members);
const QUIET = {
  [MEMBERS]: THREE,
  [INVITATIONS]: () => NOTHING,
  [ROLES_OF_ACME]: () => ({ items: builtIn }),
};
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
  const BULK = `POST /tenants/${ACME}/invitations/bulk`;
  const RESEND = `POST /tenants/${ACME}/invitations/ivt_0199f3b0c1d27a4e8f60112233445566/resend`;
  const sent = (email: string, link: string | null = null) => ({
    email,
    invitation: { ...makeInvitation(email, "viewer"), link },
    error: null,
  });
  const refused = (email: string, message: string) => ({
    ...{ email, invitation: null },
    error: { code: "ALREADY_EXISTS", message },
  });
  const openDialog = async () => {
    await userEvent.click(await screen.findByRole("button", { name: "Invite member" }));
    return await screen.findByRole("dialog", { name: "Invite to Acme" });
  };

  it("are sent with a role and a time, once for a double click, and listed until they are accepted", async () => {
    const asked: Request[] = [];
    open({
      answers: {
        [INVITATIONS]: () =>
          asked.length === 0 ? NOTHING : pageOf(makeInvitation("new@example.com", "viewer")),
        [BULK]: (request) => {
          asked.push(request);
          return { sent: 1, refused: 0, items: [sent("new@example.com")] };
        },
      },
    });
    await screen.findByText("No pending invitations.");
    const dialog = await openDialog();
    await userEvent.type(within(dialog).getByLabelText("E-mail addresses"), " new@example.com ");
    await choose(within(dialog).getByRole("combobox", { name: "Role" }), /^Viewer/);
    await choose(within(dialog).getByRole("combobox", { name: "Link works for" }), /^30 days/);
    const button = within(dialog).getByRole("button", { name: "Send invitation" });
    fireEvent.click(button);
    fireEvent.click(button);
    await screen.findByRole("button", { name: "Send again to new@example.com" });
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([
      { emails: ["new@example.com"], role: "viewer", expiresInDays: 30 },
    ]);
  });

  it("of a pasted list say what happened to each line, and keep those that were refused", async () => {
    open({
      answers: {
        [BULK]: () => ({
          ...{ sent: 1, refused: 1 },
          items: [sent("a@example.com"), refused("b@example.com", "Is a member already.")],
        }),
      },
    });
    const dialog = await openDialog();
    const field = within(dialog).getByLabelText("E-mail addresses");
    fireEvent.change(field, { target: { value: "a@example.com\nb@example.com" } });
    await userEvent.click(within(dialog).getByRole("button", { name: "Send 2 invitations" }));
    await within(dialog).findByText("1 person is invited, 1 not.");
    within(dialog).getByText("Not invited: Is a member already.");
    await userEvent.click(within(dialog).getByRole("button", { name: "Correct and send again" }));
    const again = within(dialog).getByLabelText<HTMLTextAreaElement>("E-mail addresses");
    expect(again.value).toBe("b@example.com");
    const tooMany = Array.from({ length: 101 }, (_, index) => `p${String(index)}@example.com`);
    fireEvent.change(again, { target: { value: tooMany.join(" ") } });
    within(dialog).getByText("These are 101 addresses: send at most 100 at once.");
    expect(
      within(dialog).getByRole<HTMLButtonElement>("button", { name: /^Send 101/ }).disabled,
    ).toBe(true);
  });

  it("give a link to pass on when none can be delivered", async () => {
    const link = "https://console.example.com/register#invitation=abc";
    open({
      mailDelivers: false,
      answers: {
        [INVITATIONS]: () => pageOf(makeInvitation("old@example.com", "viewer")),
        [BULK]: () => ({ sent: 1, refused: 0, items: [sent("new@example.com", link)] }),
        [RESEND]: () => sent("old@example.com", `${link}def`).invitation,
      },
    });
    await screen.findByText(/you get the link to pass on yourself/);
    const dialog = await openDialog();
    await userEvent.type(within(dialog).getByLabelText("E-mail addresses"), "new@example.com");
    await userEvent.click(within(dialog).getByRole("button", { name: "Send invitation" }));
    const figure = await within(dialog).findByRole("figure", { name: "link for new@example.com" });
    expect(figure.querySelector("code")?.textContent).toBe(link);
    await userEvent.click(within(dialog).getByRole("button", { name: "Done" }));
    await userEvent.click(
      await screen.findByRole("button", { name: "Send again to old@example.com" }),
    );
    const again = await screen.findByRole("figure", { name: "Invitation link" });
    expect(again.querySelector("code")?.textContent).toBe(`${link}def`);
    cleanup();
    open({ mailDelivers: false, verified: makeVerified({ isOperator: true }) });
    expect((await screen.findByRole("link", { name: "outbox" })).getAttribute("href")).toContain(
      "/operator/outbox",
    );
  });

  it("are sent again, and revoked", async () => {
    let isRevoked = false;
    open({
      answers: {
        [INVITATIONS]: () =>
          isRevoked ? NOTHING : pageOf(makeInvitation("new@example.com", "admin")),
        [RESEND]: () => sent("new@example.com").invitation,
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
    await userEvent.click(
      screen.getByRole("button", { name: "Revoke the invitation of new@example.com" }),
    );
    await userEvent.click(await screen.findByRole("button", { name: "Revoke invitation" }));
    await screen.findByText("No pending invitations.");
  });

  it("keep the addresses in the form when the request fails", async () => {
    open({ answers: { [BULK]: () => problem(503, "OVERLOADED", "Try again shortly.") } });
    const dialog = await openDialog();
    const field = within(dialog).getByLabelText<HTMLTextAreaElement>("E-mail addresses");
    await userEvent.type(field, "new@example.com");
    await userEvent.click(within(dialog).getByRole("button", { name: "Send invitation" }));
    await within(dialog).findByText("No invitation was sent.");
    expect(field.value).toBe("new@example.com");
  });
});

describe("roles of the tenant", () => {
  it("are listed with the built-in ones and what each can do, are made of what their maker has, and deleted with a replacement", async () => {
    const asked: unknown[] = [];
    let items = [...builtIn, support(2)];
    open({
      verified: makeVerified({ role: "admin" }),
      answers: {
        [ROLES_OF_ACME]: () => ({ items }),
        [`POST /tenants/${ACME}/roles`]: async (request) => {
          asked.push(await request.json());
          const made = makeRole(`rol_${"a".repeat(32)}`, "Auditor", ["audit:read"]);
          items = [...items, made];
          return made;
        },
        [`POST /tenants/${ACME}/roles/${SUPPORT}/delete`]: async (request) => {
          asked.push(await request.json());
          items = builtIn;
          return new Response(null, { status: 204 });
        },
      },
    });
    const table = await screen.findByRole("table", { name: "What each role can do" });
    const titles = within(table).getAllByRole("columnheader");
    expect(titles.map(({ textContent }) => textContent)).toEqual([
      ...["Can do", "Owner", "Admin", "Developer", "Billing", "Viewer", "Support"],
    ]);
    const row = within(table).getByRole("rowheader", { name: /^Create, change, roll/ });
    const cells = within(row.closest("tr") as HTMLElement).getAllByRole("cell");
    expect(cells.map(({ textContent }) => textContent)).toEqual([
      ...["Yes", "Yes", "Yes", "No", "No", "No"],
    ]);
    const select = await screen.findByRole("combobox", { name: "Role of Bob" });
    await userEvent.click(select);
    await screen.findByRole("option", { name: /^Support/ });
    await userEvent.keyboard("{Escape}");

    await userEvent.click(screen.getByRole("button", { name: "New role" }));
    const dialog = await screen.findByRole("dialog", { name: "New role" });
    expect(within(dialog).queryByRole("checkbox", { name: "Delete the tenant" })).toBeNull();
    await userEvent.type(within(dialog).getByLabelText("Name"), "Auditor");
    await userEvent.click(within(dialog).getByRole("checkbox", { name: "Read the audit log" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Save role" }));
    await screen.findByRole("button", { name: "Change the role Auditor" });

    await userEvent.click(screen.getByRole("button", { name: "Delete the role Support" }));
    const question = await screen.findByRole("alertdialog", { name: "Delete the role Support?" });
    await choose(within(question).getByRole("combobox", { name: "Role instead" }), /^Developer/);
    await userEvent.click(within(question).getByRole("button", { name: "Delete role" }));
    await waitFor(() =>
      expect(screen.queryByRole("button", { name: "Delete the role Support" })).toBeNull(),
    );
    expect(asked).toEqual([
      { name: "Auditor", description: "", scopes: ["audit:read"] },
      { replacement: "developer" },
    ]);
  });
});
