// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { customer } from "@turnpike/contract/customers";
import { deletedTenant } from "@turnpike/contract/tenants";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  makeEvidence,
  makeInsight,
  makeInsightList,
} from "#components/insights/insights.fixture.ts";
import { problem } from "#platform/render-with-platform.tsx";
import {
  ACME,
  BIRCH,
  makeVerified,
  NOTHING,
  openTenants,
  stubWindow,
} from "../open-tenants.fixture.tsx";
import { makeMail, makeServiceKey, makeTenant, pageOf } from "../tenant-answers.fixture.ts";

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const verified = makeVerified({ isOperator: true });
type Opened = NonNullable<Parameters<typeof openTenants>[0]>;
const open = (screen: string, more: Opened = {}) =>
  openTenants({ path: `/operator/${screen}` as NonNullable<Opened["path"]>, verified, ...more });

describe("the operator's screens", () => {
  it("say to everyone else that they are none of theirs", async () => {
    open("outbox", { verified: makeVerified() });
    await screen.findByText("This screen is for operators");
    expect(screen.queryByText("Send a test mail")).toBeNull();
  });
});

describe("insights for the operator", () => {
  it("are those over all tenants, dismissed in place, and those of each, with the way to it", async () => {
    const route = { dimension: "route", value: "/export", share: 0.9, weight: 0.1 } as const;
    const { tenantId: _, ...overAll } = makeInsight({
      text: `The share of errors rose; 80% of it are of ${ACME}.`,
      evidence: makeEvidence({ measure: "error_rate", cause: route }),
    });
    const own = makeInsight({ tenantId: ACME as never, text: "Calls rose." });
    let isOpen = true;
    const sent: unknown[] = [];
    open("insights", {
      answers: {
        "GET /installation/insights": () =>
          makeInsightList({ items: (isOpen ? [overAll] : []) as never }),
        [`PATCH /installation/insights/${overAll.insightId}`]: async (request) => {
          sent.push(await request.json());
          isOpen = false;
          return overAll;
        },
        "GET /insights": () => pageOf(own),
        [`GET /tenants/${ACME}`]: () => makeTenant(),
      },
    });
    await screen.findByText(/80% of it are of Acme/);
    const link = await screen.findByRole("link", { name: "Acme" });
    expect(link.getAttribute("href")).toContain(`insight=${own.insightId}`);
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    await screen.findByText("Nothing is outside of what is usual.");
    expect(sent).toEqual([{ isDismissed: true }]);
  });
});

describe("all tenants", () => {
  const makeCustomer = (tenant = makeTenant(), more: object = {}) =>
    customer.parse({
      tenant,
      standing: "current",
      used: "0",
      quotaPercent: null,
      lastUsedAt: null,
      revenue: null,
      ...more,
    });
  const listTwo = () =>
    pageOf(
      makeCustomer(makeTenant(), {
        used: "12345",
        quotaPercent: 104.2,
        standing: "overdue",
        revenue: { amount: "49.00", currency: "USD" },
      }),
      makeCustomer(makeTenant({ tenantId: BIRCH, name: "Birch", slug: "b" })),
    );

  it("show use, share of quota, revenue and what is not in order, and link to what the tenant sees", async () => {
    open("tenants", { answers: { "GET /customers": listTwo } });
    const acme = (await screen.findByText("Acme")).closest("tr") as HTMLElement;
    for (const text of ["12,345 requests", "104.2%", "Payment overdue", "$49.00"]) {
      within(acme).getByText(text);
    }
    expect(within(acme).queryByText("Active")).toBeNull();
    const link = await screen.findByRole("link", { name: "Birch" });
    expect(link.getAttribute("href")).toBe("/overview?tenant=b");
    const birch = link.closest("tr") as HTMLElement;
    within(birch).getByText("Active");
    within(birch).getByText("Never");
  });

  it("are filtered and sorted by the address, from the first page on", async () => {
    const asked: string[] = [];
    const { readSearch } = open("tenants", {
      search: "?standing=suspended&plan=pro&cursor=ten_1",
      answers: {
        "GET /customers": (request) => {
          asked.push(new URL(request.url).search);
          return listTwo();
        },
      },
    });
    await userEvent.click(await screen.findByRole("combobox", { name: "Order" }));
    await userEvent.click(await screen.findByRole("option", { name: "Fullest quota" }));
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(readSearch()).toEqual({ standing: "suspended", plan: "pro", sort: "quota" });
    expect(new URLSearchParams(asked[1]).toString()).toBe(
      "limit=25&planId=pro&suspended=true&sort=quota",
    );
  });

  it("that are deleted are behind a filter in the address, and can be restored until their data is removed", async () => {
    const gone = (name: string, more: object = {}) =>
      deletedTenant.parse({
        tenantId: ACME,
        name,
        slug: "acme",
        externalId: null,
        deletedAt: "2026-11-20T10:00:00.000Z",
        deletedBy: "user:usr_1",
        restorableUntil: "2026-12-20T10:00:00.000Z",
        purgedAt: null,
        ...more,
      });
    const old = gone("Deleted tenant", { tenantId: BIRCH, purgedAt: "2026-11-21T10:00:00.000Z" });
    let restored = 0;
    const { readSearch } = open("tenants", {
      answers: {
        "GET /customers": listTwo,
        "GET /deleted-tenants": () => pageOf(...(restored < 2 ? [gone("Acme"), old] : [])),
        [`POST /deleted-tenants/${ACME}/restore`]: () => {
          restored += 1;
          return restored === 1
            ? problem(409, "CONFLICT", "Another tenant has its external id.")
            : makeTenant();
        },
        "POST /auth/verify": () => verified,
      },
    });
    await userEvent.click(await screen.findByRole("radio", { name: "Deleted" }));
    await screen.findByText("Too late");
    expect(readSearch()).toMatchObject({ state: "deleted" });
    await userEvent.click(screen.getByRole("button", { name: "Restore Acme…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Restore Acme?" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Restore tenant" }));
    await within(dialog).findByText(/Another tenant has its external id/);
    await userEvent.click(within(dialog).getByRole("button", { name: "Restore tenant" }));
    await screen.findByText("No deleted tenants");
  });

  it("that are deleted say why they cannot be opened", async () => {
    open("tenants", {
      search: "?state=deleted",
      answers: {
        "GET /deleted-tenants": () => problem(503, "DATABASE_UNAVAILABLE", "Not reached."),
      },
    });
    await screen.findByText("The deleted tenants could not be loaded.");
  });

  it("are searched by the typed text, in the address, and the search can be cleared", async () => {
    const { readSearch } = open("tenants", {
      answers: {
        "GET /customers": (request) =>
          new URL(request.url).searchParams.get("q") === "zzz" ? NOTHING : listTwo(),
      },
    });
    await screen.findByText("Birch");
    await userEvent.type(
      screen.getByRole("textbox", { name: "Search name, id or member’s e-mail" }),
      "zzz",
    );
    await screen.findByText("No matching tenants");
    expect(readSearch()).toEqual({ q: "zzz" });
    await userEvent.click(screen.getByRole("button", { name: "Show all tenants" }));
    await screen.findByText("Birch");
    expect(readSearch()).toEqual({});
  });

  it("are suspended with a reason for the customer, and resumed", async () => {
    const asked: unknown[] = [];
    let suspendedAt: string | null = null;
    open("tenants", {
      answers: {
        "GET /customers": () => pageOf(makeCustomer(makeTenant({ suspendedAt }))),
        "POST /auth/verify": () => verified,
        [`PATCH /tenants/${ACME}`]: (request) => {
          suspendedAt = suspendedAt === null ? "2026-11-21T00:00:00.000Z" : null;
          asked.push(request);
          return makeTenant({ suspendedAt });
        },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Acme" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Suspend tenant…" }));
    const dialog = await screen.findByRole("dialog", { name: "Suspend Acme?" });
    const suspend = within(dialog).getByRole<HTMLButtonElement>("button", {
      name: "Suspend tenant",
    });
    expect(suspend.disabled).toBe(true);
    await userEvent.type(within(dialog).getByRole("textbox", { name: "Reason" }), "A leaked key.");
    await userEvent.click(suspend);
    await screen.findByText("Suspended");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await userEvent.click(screen.getByRole("button", { name: "Actions for Acme" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Resume tenant…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Resume tenant" }));
    await screen.findByText("Active");
    const bodies = await Promise.all((asked as Request[]).map((request) => request.json()));
    expect(bodies).toEqual([
      { suspended: true, suspensionReason: "A leaked key." },
      { suspended: false },
    ]);
  });

  it("move to a plan only after a confirmation", async () => {
    const asked: Request[] = [];
    open("tenants", {
      answers: {
        "GET /customers": () =>
          pageOf(makeCustomer(makeTenant({ planId: asked.length === 0 ? "free" : "pro" }))),
        "POST /auth/verify": () => verified,
        [`PATCH /tenants/${ACME}`]: (request) => {
          asked.push(request);
          return makeTenant({ planId: "pro" });
        },
      },
    });
    const select = await screen.findByRole("combobox", { name: "Plan of Acme" });
    await waitFor(() => expect(select.textContent).toContain("Free"));
    await userEvent.click(select);
    await userEvent.click(await screen.findByRole("option", { name: /^Pro/ }));
    expect(asked).toHaveLength(0);
    await userEvent.click(await screen.findByRole("button", { name: "Change plan" }));
    await waitFor(() => expect(select.textContent).toContain("Pro"));
    expect(await asked[0]?.json()).toEqual({ planId: "pro" });
  });
});

describe("service keys", () => {
  it("are created with scopes, once for a double click, and shown once", async () => {
    const asked: Request[] = [];
    const made = makeServiceKey("Backend");
    open("service-keys", {
      answers: {
        "GET /service-keys": () => (asked.length === 0 ? NOTHING : pageOf(made)),
        "POST /service-keys": (request) => {
          asked.push(request);
          return { ...made, key: "tp_svc_secret" };
        },
      },
    });
    await screen.findByText("No service keys yet");
    await userEvent.click(screen.getByRole("button", { name: "Create service key" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.type(within(dialog).getByLabelText("Name"), "Backend");
    await userEvent.click(within(dialog).getByRole("checkbox", { name: /Usage: *Read/ }));
    const button = within(dialog).getByRole("button", { name: "Create service key" });
    fireEvent.click(button);
    fireEvent.click(button);
    await within(dialog).findByText("tp_svc_secret");
    await userEvent.keyboard("{Escape}");
    within(dialog).getByText("tp_svc_secret");
    await userEvent.click(within(dialog).getByRole("button", { name: "I have stored it" }));
    await screen.findByText("Backend");
    expect(document.body.textContent).not.toContain("tp_svc_secret");
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([
      { name: "Backend", scopes: ["keys:verify", "usage:read"] },
    ]);
  });

  it("are revoked for good after typing the name", async () => {
    let revokedAt: string | null = null;
    const key = makeServiceKey("Backend");
    open("service-keys", {
      answers: {
        "GET /service-keys": () => pageOf({ ...key, revokedAt }),
        [`POST /service-keys/${key.serviceKeyId}/revoke`]: () => {
          revokedAt = "2026-11-21T00:00:00.000Z";
          return { ...key, revokedAt };
        },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Revoke Backend" }));
    const dialog = await screen.findByRole("alertdialog");
    await userEvent.type(within(dialog).getByRole("textbox"), "Backend{Enter}");
    await screen.findByText("Revoked");
    expect(screen.queryByRole("button", { name: "Revoke Backend" })).toBeNull();
  });
});

describe("the outbox", () => {
  const refusedAddress = {
    address: "gone@example.com",
    explanation: "There is no such mailbox.",
    answer: "550 5.1.1 no such user",
    refusedAt: "2026-11-20T10:00:00.000Z",
  };

  it("filters in the address, says why a mail is held, sends it again and lifts the refusal", async () => {
    const asked: URLSearchParams[] = [];
    let refused = [refusedAddress];
    const held = makeMail("mail_1", { state: "held", explanation: refusedAddress.explanation });
    const sent: unknown[] = [];
    const { readSearch } = open("outbox", {
      answers: {
        "GET /outbox": (request) => {
          asked.push(new URL(request.url).searchParams);
          return pageOf(held);
        },
        "GET /outbox/refused-addresses": () => ({ items: refused }),
        "POST /outbox/refused-addresses/lift": async (request) => {
          sent.push(await request.json());
          refused = [];
          return { address: refusedAddress.address };
        },
        "POST /outbox/mail_1/resend": () => {
          sent.push("mail_1");
          return { ...held, state: "queued" };
        },
      },
    });
    await userEvent.click(await screen.findByRole("combobox", { name: "State" }));
    await userEvent.click(await screen.findByRole("option", { name: "Held" }));
    await userEvent.click(await screen.findByRole("combobox", { name: "Kind" }));
    await userEvent.click(await screen.findByRole("option", { name: "Invitations" }));
    await userEvent.type(screen.getByRole("textbox", { name: "Search address" }), "bob");
    const filters = { mailState: "held", mailKind: "invitation", q: "bob" };
    await waitFor(() => expect(readSearch()).toEqual({ ...filters }));
    await waitFor(() =>
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({
        ...{ state: "held", kind: "invitation", to: "bob" },
      }),
    );
    await userEvent.click(
      screen.getByRole("button", { name: "Send mails again to gone@example.com" }),
    );
    await waitFor(() => expect(screen.queryByText("gone@example.com")).toBeNull());
    await userEvent.click(screen.getByText("You are invited to Acme"));
    const sheet = await screen.findByRole("dialog", { name: "You are invited to Acme" });
    within(sheet).getByText(refusedAddress.explanation);
    await userEvent.click(within(sheet).getByRole("button", { name: "Send again" }));
    await waitFor(() => expect(sent).toEqual([{ address: "gone@example.com" }, "mail_1"]));
  });

  it("sends a test mail to the person's own address, and says what the server answered", async () => {
    const sent: unknown[] = [];
    open("outbox", {
      answers: {
        "GET /outbox": () => NOTHING,
        "GET /outbox/refused-addresses": () => ({ items: [] }),
        "POST /outbox/test": async (request) => {
          sent.push(await request.json());
          const explanation = "Nothing answers at this port of the mail server.";
          const answer = "connect ECONNREFUSED 192.0.2.1:587";
          return { mailId: "mail_1", outcome: "failed", explanation, answer };
        },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Send a test mail" }));
    const dialog = await screen.findByRole("dialog", { name: "Send a test mail" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Send test mail" }));
    await within(dialog).findByText("Nothing answers at this port of the mail server.");
    within(dialog).getByText("connect ECONNREFUSED 192.0.2.1:587");
    expect(sent).toEqual([{ to: "ada@example.com" }]);
  });

  const LINK = "https://console.example.com/register#invitation=abc";

  it("opens a mail next to the list, with its link as text and never as a link", async () => {
    const { readSearch } = open("outbox", {
      answers: {
        "GET /outbox": () => pageOf(makeMail("mail_1")),
        "GET /outbox/refused-addresses": () => ({ items: [] }),
      },
    });
    await userEvent.click(await screen.findByText("You are invited to Acme"));
    const sheet = await screen.findByRole("dialog", { name: "You are invited to Acme" });
    expect(readSearch()).toEqual({ mail: "mail_1" });
    const figure = within(sheet).getByRole("figure", { name: "link of the mail" });
    expect(figure.textContent).toContain(LINK);
    expect(within(sheet).queryByRole("link")).toBeNull();
    expect(document.querySelector(`[href*="invitation"], [src*="invitation"]`)).toBeNull();
  });

  it("offers the files of a mail as long as they are kept, and no link of it to pass on", async () => {
    const file = { position: 1, name: "INV-1.pdf", mediaType: "application/pdf", bytes: 41_000 };
    const text = "Invoice\n\nhttps://console.example.com/billings?invoice=inv_1";
    open("outbox", {
      search: "?mail=mail_1",
      answers: {
        "GET /outbox": () =>
          pageOf(
            makeMail("mail_1", { text, attachments: [{ ...file, isKept: true }] }),
            makeMail("mail_2", {
              ...{
                subject: "Taken",
                text: null,
                state: "sent",
                sentAt: "2026-11-20T10:00:01.000Z",
              },
              attachments: [{ ...file, isKept: false }],
            }),
          ),
      },
    });
    const sheet = await screen.findByRole("dialog", { name: "You are invited to Acme" });
    expect(within(sheet).getByText("41 kB")).toBeDefined();
    within(sheet).getByRole("button", { name: "Download INV-1.pdf" });
    expect(within(sheet).queryByRole("figure")).toBeNull();
    await userEvent.keyboard("{Escape}");
    await userEvent.click(await screen.findByText("Taken"));
    await screen.findByText("Deleted with the text");
  });

  it("says why a text is gone and why a mail failed", async () => {
    open("outbox", {
      search: "?mail=mail_1",
      answers: {
        "GET /outbox": () =>
          pageOf(
            makeMail("mail_1", { text: null, state: "sent", sentAt: "2026-11-20T10:00:01.000Z" }),
            makeMail("mail_2", { state: "failed", lastError: "Mailbox full", attempts: 5 }),
          ),
      },
    });
    await screen.findByText(/Deleted once the mail server accepted the e-mail/);
    await userEvent.keyboard("{Escape}");
    await userEvent.click(await screen.findByText("Failed"));
    await screen.findByText("Mailbox full");
  });
});

describe("health", () => {
  it("shows the components, the addresses and the version", async () => {
    const parts = {
      database: { status: "ok" },
      journal: { status: "degraded", detail: "9 s behind" },
    };
    open("health", { answers: { "GET /health/ready": () => ({ status: "degraded", parts }) } });
    await screen.findByText("9 s behind");
    await screen.findByText("https://gateway.example.com");
    await screen.findByText("Version 1.0.0");
  });
});
