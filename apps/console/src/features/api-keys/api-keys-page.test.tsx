// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useEffect, useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { ToastArea } from "#components/toast-area.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import {
  type FakeAnswer,
  type FakeAnswers,
  problem,
  renderWithPlatform,
} from "#platform/render-with-platform.tsx";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import type { Key } from "./api-keys.queries.ts";
import { ApiKeysPage } from "./api-keys-page.tsx";
import type { ApiKeysSearch } from "./api-keys-search.view-model.ts";
import {
  answerSummaries,
  MAKER_ID,
  makeCreatedKey,
  makeKey,
  makeOwnTenant,
  TENANT_ID,
  toTestKeyId,
} from "./keys.fixture.ts";

const AT = `/tenants/${TENANT_ID}`;
const SECRET = `tp_live_${"s".repeat(38)}`;

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.getAnimations = () => [];
  Element.prototype.setPointerCapture = () => undefined;
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

type Stage = {
  user: ReturnType<typeof userEvent.setup>;
  /** The current search parameters of the address. */
  address: () => ApiKeysSearch;
  /** Search parameters of each list request. */
  lists: URLSearchParams[];
  /** Makes the person a viewer, as someone else changing their role would. */
  demote: () => void;
  /** Changes the address from outside the page, as Back does. */
  back: (search: ApiKeysSearch) => void;
  /** Goes to another screen. */
  leave: () => void;
};

type StageProps = {
  tenant: OwnTenant;
  search: ApiKeysSearch;
  /** Receives a function that changes the address, or leaves the page when given undefined. */
  onReady: (go: (search: ApiKeysSearch | undefined) => void) => void;
  onAddress: (search: ApiKeysSearch) => void;
  onDemotable: (demote: () => void) => void;
};

/** The page with an address that it can change. */
function StagedPage({ tenant: first, search, onReady, onAddress, onDemotable }: StageProps) {
  const [current, setCurrent] = useState<ApiKeysSearch | undefined>(search);
  const [tenant, setTenant] = useState(first);
  onDemotable(() => setTenant(makeOwnTenant("viewer")));
  useEffect(() => onReady(setCurrent), [onReady]);
  return (
    <>
      {current !== undefined && (
        <ApiKeysPage
          tenant={tenant}
          search={current}
          onSearchChange={(next) => {
            onAddress(next);
            setCurrent(next);
          }}
        />
      )}
      <ToastArea />
    </>
  );
}

type Options = {
  keys?: readonly Key[];
  nextCursor?: string | null;
  search?: ApiKeysSearch;
  role?: OwnTenant["role"];
  list?: (request: Request) => FakeAnswer | Promise<FakeAnswer>;
  answers?: FakeAnswers;
};

function openPage(options: Options = {}): Stage {
  const lists: URLSearchParams[] = [];
  let address = options.search ?? {};
  let demote: () => void = () => undefined;
  let go: (search: ApiKeysSearch | undefined) => void = () => undefined;
  const setGo = (next: typeof go) => {
    go = next;
  };
  // Charts of the panel link to Ask.
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  renderWithPlatform(
    <RouterContextProvider router={router}>
      <StagedPage
        tenant={makeOwnTenant(options.role)}
        search={address}
        onReady={setGo}
        onAddress={(next) => {
          address = next;
        }}
        onDemotable={(next) => {
          demote = next;
        }}
      />
    </RouterContextProvider>,
    {
      [`GET ${AT}/keys`]: (request) => {
        lists.push(new URL(request.url).searchParams);
        return (
          options.list?.(request) ?? {
            items: options.keys ?? [makeKey(1), makeKey(2)],
            nextCursor: options.nextCursor ?? null,
          }
        );
      },
      [`GET ${AT}/usage/keys`]: answerSummaries,
      [`GET ${AT}/members`]: () => ({
        items: [
          {
            userId: MAKER_ID,
            role: "owner",
            email: "ada@example.com",
            name: "Ada",
            createdAt: "2026-11-01T00:00:00.000Z",
          },
        ],
        nextCursor: null,
      }),
      [`GET ${AT}/key-scopes`]: () => ({
        management: ["keys:read"],
        custom: ["maps:read", "maps:write"],
      }),
      [`GET ${AT}/insights`]: () => makeInsightList(),
      "GET /plans": () => ({ items: [] }),
      "GET /meters": () => ({
        items: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
      }),
      "GET /page-data/landing": () => ({ samplePath: "/v1/quote" }),
      ...options.answers,
    },
  );
  return {
    user: userEvent.setup(),
    address: () => address,
    lists,
    back: (search) => go(search),
    leave: () => go(undefined),
    demote: () => act(demote),
  };
}

const findRow = (name: RegExp) => screen.findByRole("row", { name });

describe("the table of keys", () => {
  it("shows each key's name, state, safe characters, creator and recent usage", async () => {
    openPage({ keys: [makeKey(1, { name: "Worker", scopes: ["keys:read", "usage:read"] })] });
    const row = await findRow(/Worker/);
    within(row).getByText("Active");
    within(row).getByText("tp_live_ab…x7Q1");
    within(row).getByText("key_00000000…0001");
    await within(row).findByText("Ada");
    await within(row).findByRole("img", { name: "10 requests in 14 days, 10 today" });
    expect(row.textContent).not.toContain(SECRET);
  });

  it("does not show when a revoked key would have expired", async () => {
    const ends = { expiresAt: "2099-01-01T00:00:00.000Z" };
    const revoked = { state: "revoked" as const, revokedAt: "2026-11-20T00:00:00.000Z" };
    openPage({
      keys: [
        makeKey(1, { name: "Worker", ...ends }),
        makeKey(2, { name: "Former", ...ends, ...revoked }),
      ],
    });
    expect(within(await findRow(/Worker/)).queryByText(/^in /)).not.toBeNull();
    expect(within(await findRow(/Former/)).queryByText(/^in /)).toBeNull();
  });

  it("requests what the address says, and writes choices into it", async () => {
    const { user, address, lists } = openPage({
      search: { state: "disabled", environment: "test" },
    });
    await findRow(/Key 1/);
    expect(lists[0]?.get("state")).toBe("disabled");
    expect(lists[0]?.get("environment")).toBe("test");
    await user.click(screen.getByRole("button", { name: "Name" }));
    expect(address()).toEqual({ state: "disabled", environment: "test", sort: "name" });
    await waitFor(() => expect(lists.at(-1)?.get("sort")).toBe("name"));
  });

  it("searches once the person pauses typing, from the first page", async () => {
    const { user, address, lists } = openPage({ search: { after: "somewhere" } });
    await findRow(/Key 1/);
    await user.type(screen.getByRole("textbox", { name: "Search keys" }), "wor");
    await waitFor(() => expect(address()).toEqual({ q: "wor" }));
    await waitFor(() => expect(lists.at(-1)?.get("q")).toBe("wor"));
    expect(lists.some((list) => list.get("q") === "w")).toBe(false);
    expect(lists.at(-1)?.has("cursor")).toBe(false);
  });

  it("pages forward by cursor, and back", async () => {
    const { user, address, lists } = openPage({ nextCursor: "next-one" });
    await findRow(/Key 1/);
    await user.click(screen.getByRole("button", { name: "Next" }));
    expect(address()).toEqual({ after: "next-one" });
    await waitFor(() => expect(lists.at(-1)?.get("cursor")).toBe("next-one"));
    await screen.findByText("Page 2, 2 keys");
    await user.click(screen.getByRole("button", { name: "Previous" }));
    expect(address()).toEqual({});
  });

  it("shows the page number far from the first page, and says where the way back is lost", async () => {
    const { user, address } = openPage({
      search: { after: "one.two", skipped: 22 },
      nextCursor: "three",
    });
    await findRow(/Key 1/);
    screen.getByText("Page 25, 2 keys");
    await user.click(screen.getByRole("button", { name: "Next" }));
    expect(address()).toEqual({ after: "one.two.three", skipped: 22 });
    await user.click(screen.getByRole("button", { name: "Previous" }));
    await user.click(screen.getByRole("button", { name: "Previous" }));
    await screen.findByText("Page 24, 2 keys");
    await user.click(screen.getByRole("button", { name: "First page" }));
    expect(address()).toEqual({});
    await screen.findByText("Page 1, 2 keys");
  });

  it("hides a column, in the address", async () => {
    const { user, address } = openPage();
    await findRow(/Key 1/);
    await user.click(screen.getByRole("button", { name: "Columns" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Scopes" }));
    expect(address()).toEqual({ hide: "scopes" });
    expect(screen.queryByRole("columnheader", { name: "Scopes", hidden: true })).toBe(null);
  });
});

describe("without keys", () => {
  it("says what a key is for, how to get one, and how to call with it", async () => {
    const { user, address } = openPage({ keys: [] });
    await screen.findByText("No API keys yet");
    await screen.findByText(/gateway\.example\.com/);
    const [, create] = screen.getAllByRole("button", { name: "Create key" });
    await user.click(create as HTMLElement);
    expect(address()).toEqual({ dialog: "create" });
  });

  it("distinguishes no keys at all from no match, and clears the filters", async () => {
    const { user, address } = openPage({ keys: [], search: { q: "zzz", state: "revoked" } });
    await screen.findByText("No matching keys");
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(address()).toEqual({});
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Search keys" }).value).toBe("");
  });

  it("leads from a page that has become empty to the first one", async () => {
    const { user, address } = openPage({ keys: [], search: { after: "gone" } });
    await user.click(await screen.findByRole("button", { name: "Go to the first page" }));
    expect(address()).toEqual({});
  });
});

describe("a list that fails to load", () => {
  it("because of an invalid cursor in the address leads to the first page", async () => {
    const refusal = {
      status: 400,
      code: "INVALID_REQUEST",
      error: "Not a cursor of this list.",
      errors: [{ pointer: "/cursor", message: "Not a cursor of this list." }],
    };
    const { user, address } = openPage({
      search: { after: "cut-of", state: "active" },
      list: (request) =>
        new URL(request.url).searchParams.has("cursor")
          ? Response.json(refusal, {
              status: 400,
              headers: { "content-type": "application/problem+json" },
            })
          : { items: [makeKey(1)], nextCursor: null },
    });
    await user.click(await screen.findByRole("button", { name: "Go to the first page" }));
    expect(address()).toEqual({ state: "active" });
    await findRow(/Key 1/);
  });

  it("says why, and retries on request", async () => {
    let isUp = false;
    const { user } = openPage({
      list: () =>
        isUp
          ? { items: [makeKey(1)], nextCursor: null }
          : problem(404, "RESOURCE_NOT_FOUND", "There is no such tenant."),
    });
    await screen.findByText("There is no such tenant.");
    expect(screen.queryByRole("table")).toBe(null);
    isUp = true;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await findRow(/Key 1/);
  });

  it("looks like the table while it loads", async () => {
    openPage({ list: () => "never" });
    const table = screen.getByRole("table", { name: "API keys" });
    expect(table.parentElement?.parentElement?.getAttribute("aria-busy")).toBe("true");
  });
});

describe("a person without keys:write", () => {
  it("sees the table, no actions, and the reason", async () => {
    openPage({ role: "viewer", search: { dialog: "create" } });
    await findRow(/Key 1/);
    screen.getByText(/Your role, viewer, can view keys\. .* admin of Acme\./);
    expect(screen.queryByRole("button", { name: /Create key|Actions for/ })).toBe(null);
    expect(screen.queryByRole("checkbox")).toBe(null);
    expect(screen.queryByRole("dialog")).toBe(null);
  });
});

describe("a row", () => {
  it("opens with Enter, and runs actions by the shortcuts in its menu", async () => {
    const patches: unknown[] = [];
    const { user, address } = openPage({
      answers: {
        [`PATCH ${AT}/keys/${toTestKeyId(1)}`]: (request) => {
          patches.push(request.method);
          return makeKey(1, { state: "disabled" });
        },
        [`GET ${AT}/keys/${toTestKeyId(1)}`]: () => makeKey(1),
        [`GET ${AT}/usage`]: () => makeUsageReport(),
        [`GET ${AT}/audit`]: () => ({ items: [], nextCursor: null }),
      },
    });
    const row = await findRow(/Key 1/);
    row.focus();
    await user.keyboard("d");
    await screen.findByText("Key 1 is disabled.");
    expect(patches).toEqual(["PATCH"]);
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Enter}");
    expect(address()).toEqual({ key: toTestKeyId(1) });
  });

  it.each(["key", "menu"])("disables its API key by %s, and Undo enables it again", async (way) => {
    const asked: Promise<unknown>[] = [];
    // A unique name: toasts outlive the page that showed them.
    const name = `By ${way}`;
    const answer = () => makeKey(1, { name, state: asked.length === 1 ? "disabled" : "active" });
    const { user } = openPage({
      list: () => ({ items: [answer()], nextCursor: null }),
      answers: {
        [`PATCH ${AT}/keys/${toTestKeyId(1)}`]: (request) => {
          asked.push(request.json());
          return answer();
        },
      },
    });
    const row = await findRow(new RegExp(name));
    if (way === "key") {
      row.focus();
      await user.keyboard("d");
    } else {
      await user.click(within(row).getByRole("button", { name: `Actions for ${name}` }));
      await user.click(await screen.findByRole("menuitem", { name: /Disable key/ }));
    }
    await within(row).findByText("Disabled");
    const toast = (await screen.findByText(`${name} is disabled.`)).closest("li") as HTMLElement;
    await user.click(within(toast).getByRole("button", { name: "Undo" }));
    const undone = (await screen.findByText(`${name} is enabled.`)).closest("li") as HTMLElement;
    expect(within(undone).queryByRole("button", { name: "Undo" })).toBe(null);
    await within(await findRow(new RegExp(name))).findByText("Active");
    expect(await Promise.all(asked)).toEqual([{ disabled: true }, { disabled: false }]);
  });

  it("shows a change at once, and reverts it with the reason when the server refuses", async () => {
    let refuse: (answer: Response) => void = () => undefined;
    const answer = new Promise<Response>((resolve) => {
      refuse = resolve;
    });
    const { user } = openPage();
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (input: Request) =>
      input instanceof Request && input.method === "PATCH" ? answer : real(input),
    );
    const row = await findRow(/Key 1/);
    await user.click(within(row).getByRole("button", { name: "Actions for Key 1" }));
    await user.click(await screen.findByRole("menuitem", { name: /Disable key/ }));
    await within(row).findByText("Disabled");
    refuse(problem(409, "CONFLICT", "A revoked key cannot be changed: create a new one."));
    await screen.findByText(/Key 1 was not disabled: A revoked key cannot be changed/);
    await within(row).findByText("Active");
  });
});

describe("revoking", () => {
  it("asks for the name, says what it stops, and shows the result", async () => {
    const revoke = vi.fn(() => makeKey(1, { state: "revoked" }));
    const { user } = openPage({
      answers: { [`POST ${AT}/keys/${toTestKeyId(1)}/revoke`]: revoke },
    });
    const row = await findRow(/Key 1/);
    await within(row).findByRole("img", { name: /10 requests/ });
    row.focus();
    await user.keyboard("{Delete}");
    const dialog = await screen.findByRole("alertdialog");
    within(dialog).getByText(/It made 10 requests in the last 14 days/);
    await user.click(within(dialog).getByRole("button", { name: "Revoke key" }));
    within(dialog).getByText("The name does not match.");
    expect(revoke).not.toHaveBeenCalled();
    await user.type(within(dialog).getByRole("textbox"), "Key 1");
    await user.click(within(dialog).getByRole("button", { name: "Revoke key" }));
    await screen.findByText("Key 1 is revoked.");
    expect(revoke).toHaveBeenCalledTimes(1);
  });
});

describe("many keys", () => {
  type Sent = { keyIds: string[]; change: { action: string; expiresAt?: string | null } };

  /** Answers a bulk change; refuses the second key while `isRefusing` returns true. */
  function answerBulk(sent: Sent[], isRefusing: () => boolean) {
    return async (request: Request) => {
      const body = (await request.json()) as Sent;
      sent.push(body);
      const items = body.keyIds.map((keyId) => {
        const isRefused = keyId === toTestKeyId(2) && isRefusing();
        const state =
          body.change.action === "disable" ? ("disabled" as const) : ("active" as const);
        return {
          keyId,
          status: isRefused ? "refused" : "changed",
          key: isRefused
            ? null
            : makeKey(Number(keyId.slice(-2)), { state, expiresAt: body.change.expiresAt ?? null }),
          error: isRefused ? { code: "CONFLICT", message: "This key is locked." } : null,
        };
      });
      const refused = items.filter(({ status }) => status === "refused").length;
      return { changed: items.length - refused, unchanged: 0, refused, items };
    };
  }

  const changeAsked = (sent: Sent[]) =>
    sent.map(({ keyIds, change }) => [change.action, keyIds.map((id) => Number(id.slice(-2)))]);

  it("are changed by one request; failures show their reason and stay selected; Undo reverts the rest", async () => {
    const keys = [makeKey(1), makeKey(2), makeKey(3, { state: "disabled" })];
    let isRefusing = true;
    const sent: Sent[] = [];
    const { user } = openPage({
      keys,
      answers: { [`POST ${AT}/keys/bulk`]: answerBulk(sent, () => isRefusing) },
    });
    await findRow(/Key 1/);
    // Phones have their own label.
    const [selectAll] = screen.getAllByRole("checkbox", { name: "Select all API keys" });
    await user.click(selectAll as HTMLElement);
    screen.getByRole("button", { name: "Enable 1 key" });
    await user.click(screen.getByRole("button", { name: "Disable 2 keys" }));
    await screen.findByText(/1 key was not disabled\. 1 of 2 was\./);
    const alert = screen.getByText(/This key is locked\./);
    expect(alert.textContent).toContain("Key 2");
    screen.getByText("1 selected", { selector: "span" });
    const toast = (await screen.findByText("1 key is disabled.")).closest("li") as HTMLElement;
    await user.click(within(toast).getByRole("button", { name: "Undo" }));
    await screen.findByText("1 key was changed back.");
    isRefusing = false;
    await user.click(screen.getByRole("button", { name: "Try these again" }));
    await waitFor(() =>
      expect(changeAsked(sent)).toEqual([
        ["disable", [1, 2]],
        ["enable", [1]],
        ["disable", [2]],
      ]),
    );
    await waitFor(() =>
      expect(screen.queryByRole("button", { name: "Try these again" })).toBe(null),
    );
  });

  it("can be selected and given an expiry by keyboard alone", async () => {
    const sent: Sent[] = [];
    const { user } = openPage({
      keys: [makeKey(1), makeKey(2), makeKey(3)],
      answers: { [`POST ${AT}/keys/bulk`]: answerBulk(sent, () => false) },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
    screen.getByText("2 selected", { selector: "span" });
    await user.keyboard("x");
    const dialog = await screen.findByRole("dialog", { name: "Set the expiry of 2 keys" });
    await user.click(within(dialog).getByRole("button", { name: "Set expiry" }));
    await screen.findByText("2 keys are given a new expiry.");
    expect(changeAsked(sent)).toEqual([["set_expiry", [1, 2]]]);
    const days = (Date.parse(sent[0]?.change.expiresAt ?? "") - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    await waitFor(() => expect(screen.queryByText(/selected/, { selector: "span" })).toBe(null));
    (await findRow(/Key 3/)).focus();
    await user.keyboard("{Control>}a{/Control}");
    screen.getByText("3 selected", { selector: "span" });
    await user.keyboard("{Delete}");
    await screen.findByRole("alertdialog", { name: "Revoke 3 keys?" });
  });

  it("can be selected across all pages, up to the limit of one request, with a notice", async () => {
    const sent: Sent[] = [];
    const all = Array.from({ length: 99 }, (_, place) => makeKey(place + 1));
    let isEndless = false;
    const { user, lists } = openPage({
      list: (request) => {
        const search = new URL(request.url).searchParams;
        const size = Number(search.get("limit"));
        const from = Number(search.get("cursor") ?? "0");
        const isOver = from + size >= all.length && !isEndless;
        return {
          items: isEndless && size === 100 ? [...all, makeKey(100)] : all.slice(from, from + size),
          nextCursor: isOver ? null : String(from + size),
        };
      },
      answers: { [`POST ${AT}/keys/bulk`]: answerBulk(sent, () => false) },
    });
    (await findRow(/Key 1 /)).focus();
    await user.keyboard("{Control>}a{/Control}");
    screen.getByText("All 25 keys on this page are selected; there are more.");
    const widen = { name: "Select all matches, up to 500" };
    await user.click(screen.getByRole("button", widen));
    await screen.findByText("All 99 keys that match are selected, across all pages.");
    expect(document.activeElement?.textContent).toBe("Select this page only");
    await user.keyboard("{Enter}");
    screen.getByText("25 selected", { selector: "span" });
    await user.keyboard("{Enter}");
    await screen.findByText("All 99 keys that match are selected, across all pages.");
    screen.getByText("99 selected", { selector: "span" });
    expect(lists.at(-1)?.get("limit")).toBe("100");
    await user.click(screen.getByRole("button", { name: "Disable 99 keys" }));
    await screen.findByText("99 keys are disabled.");
    expect(sent[0]?.keyIds).toHaveLength(99);
    isEndless = true;
    (await findRow(/Key 2 /)).focus();
    await user.keyboard("{Control>}a{/Control}");
    await user.click(screen.getByRole("button", widen));
    await screen.findByText(
      /The first 500 keys that match are selected, the most one change can take/,
    );
    await user.click(screen.getByRole("button", { name: "Clear selection" }));
    expect(screen.queryByText(/are selected/)).toBe(null);
  });

  it("are not selected when the filters have changed meanwhile", async () => {
    let answer: (page: object) => void = () => undefined;
    const { user, back } = openPage({
      list: (request) => {
        const search = new URL(request.url).searchParams;
        return search.get("limit") === "100"
          ? new Promise((resolve) => (answer = resolve))
          : {
              items: [makeKey(search.has("state") ? 2 : 1), makeKey(3)],
              nextCursor: "next",
            };
      },
    });
    (await findRow(/Key 1 /)).focus();
    await user.keyboard("{Control>}a{/Control}");
    await user.click(screen.getByRole("button", { name: /^Select all matches/ }));
    act(() => back({ state: "active" }));
    await findRow(/Key 2 /);
    const items = Array.from({ length: 3 }, (_, place) => makeKey(place + 1));
    await act(async () => answer({ items, nextCursor: null }));
    await waitFor(() => expect(screen.queryByText("Selecting…")).toBe(null));
    // The one key of the earlier selection that is still visible.
    screen.getByText("1 selected", { selector: "span" });
    expect(screen.queryByText(/are selected, across all pages/)).toBe(null);
    act(() => back({}));
    await findRow(/Key 1 /);
    screen.getByText("2 selected", { selector: "span" });
  });

  it("already changed by others stay that way when Undo reverts the rest", async () => {
    const sent: Sent[] = [];
    const { user } = openPage({
      answers: {
        [`POST ${AT}/keys/bulk`]: async (request) => {
          const body = (await request.json()) as Sent;
          sent.push(body);
          const items = body.keyIds.map((keyId) => ({
            keyId,
            status: keyId === toTestKeyId(2) ? "unchanged" : "changed",
            key: makeKey(Number(keyId.slice(-2)), { state: "disabled" }),
            error: null,
          }));
          return { changed: 1, unchanged: 1, refused: 0, items };
        },
      },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Control>}a{/Control}d");
    const done = await screen.findByText("1 key is disabled. 1 key needed no change.");
    const toast = done.closest("li") as HTMLElement;
    await user.click(within(toast).getByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(changeAsked(sent)).toEqual([
        ["disable", [1, 2]],
        ["enable", [1]],
      ]),
    );
  });

  it("are not reported as restored when a previous expiry has passed", async () => {
    const sent: Sent[] = [];
    const { user } = openPage({
      keys: [
        makeKey(1),
        makeKey(3, { state: "expired", expiresAt: "2026-11-01T00:00:00.000Z" }),
        makeKey(4, { state: "expired", expiresAt: "2026-11-01T00:00:00.000Z" }),
      ],
      answers: { [`POST ${AT}/keys/bulk`]: answerBulk(sent, () => false) },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Control>}a{/Control}x");
    const dialog = await screen.findByRole("dialog", { name: "Set the expiry of 3 keys" });
    await user.click(within(dialog).getByRole("button", { name: "Set expiry" }));
    const done = await screen.findByText("3 keys are given a new expiry.");
    await user.click(
      within(done.closest("li") as HTMLElement).getByRole("button", { name: "Undo" }),
    );
    await screen.findByText(
      "1 key was changed back. 2 keys keep the new expiry, because the previous one has passed.",
    );
    expect(changeAsked(sent)).toEqual([
      ["set_expiry", [1, 3, 4]],
      ["set_expiry", [1]],
    ]);
  });

  it("keep the focus on Try again, then return it to the rows", async () => {
    let isRefusing = true;
    const { user } = openPage({
      answers: { [`POST ${AT}/keys/bulk`]: answerBulk([], () => isRefusing) },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Control>}a{/Control}d");
    const again = await screen.findByRole("button", { name: "Try these again" });
    again.focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(again.textContent).toBe("Try these again"));
    expect(document.activeElement).toBe(again);
    isRefusing = false;
    await user.keyboard("{Enter}");
    await waitFor(() => expect(again.isConnected).toBe(false));
    expect(document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName).toBe(
      "TR",
    );
  });

  it("report in plain words that the server cannot be reached", async () => {
    const { user } = openPage({ answers: { [`POST ${AT}/keys/bulk`]: () => "unreachable" } });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Control>}a{/Control}d");
    await screen.findByText(/The server could not be reached\. Check your connection/);
    expect(screen.queryByText(/Failed to fetch/)).toBe(null);
  });

  it("are restored when the request fails, and a shared reason is given once", async () => {
    const { user } = openPage({
      answers: { [`POST ${AT}/keys/bulk`]: () => problem(503, "UNAVAILABLE", "Try again later.") },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("{Control>}a{/Control}d");
    await screen.findByText(/2 keys were not disabled\./);
    const [reason, ...others] = screen.getAllByText(/Try again later\./);
    expect(reason?.textContent).toBe("Key 1, Key 2: Try again later.");
    expect(others).toEqual([]);
    within(await findRow(/Key 1/)).getByText("Active");
  });
});

describe("creating a key", () => {
  it("shows it once, with a working call, and stores it nowhere", async () => {
    const bodies: unknown[] = [];
    const { user, address } = openPage({
      search: { dialog: "create", environment: "test" },
      answers: {
        [`POST ${AT}/keys`]: (request) => {
          void request.json().then((body) => bodies.push(body));
          return makeCreatedKey(9, SECRET, { name: "Worker" });
        },
      },
    });
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Worker{Enter}");
    await screen.findByText("It is shown only this once.");
    expect(screen.getByRole("figure", { name: "API key" }).textContent).toContain(SECRET);
    const call = screen.getByRole("figure", { name: "A call with this key" });
    expect(call.textContent).toContain(`Bearer ${SECRET}`);
    expect(bodies).toEqual([{ name: "Worker", environment: "test", scopes: [], metadata: {} }]);
    await user.keyboard("{Escape}");
    expect(address()).toEqual({ dialog: "create", environment: "test" });
    await user.click(screen.getByRole("button", { name: "I have stored it" }));
    expect(address()).toEqual({ environment: "test" });
    await waitFor(() => expect(document.body.textContent).not.toContain(SECRET));
    expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(SECRET);
  });

  it("keeps everything typed when the server refuses, and shows the error at its field", async () => {
    const { user } = openPage({
      search: { dialog: "create" },
      answers: {
        [`POST ${AT}/keys`]: () =>
          Response.json(
            {
              status: 400,
              code: "INVALID_REQUEST",
              error: "The request is not valid.",
              requestId: "req_1",
              errors: [{ pointer: "/metadata/region", message: "At most 500 characters." }],
            },
            { status: 400, headers: { "content-type": "application/problem+json" } },
          ),
      },
    });
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Worker");
    await user.click(screen.getByText("Metadata"));
    await user.click(screen.getByRole("button", { name: "Add metadata" }));
    await user.type(screen.getByRole("textbox", { name: "Name 1" }), "region");
    await user.type(screen.getByRole("textbox", { name: "Value 1" }), "eu");
    const dialog = screen.getByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Create key" }));
    await screen.findByText("The key was not created.");
    screen.getByText("Metadata region: At most 500 characters.");
    screen.getByText("At most 500 characters.");
    const wrong = screen.getByRole("textbox", { name: "Name 1" });
    expect(wrong.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("Worker");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Value 1" }).value).toBe("eu");
  });

  it("accepts every property of a key, and shows refusals at their fields", async () => {
    const bodies: object[] = [];
    const { user } = openPage({
      search: { dialog: "create" },
      answers: {
        [`POST ${AT}/keys`]: async (request) => {
          bodies.push((await request.json()) as object);
          return bodies.length > 1
            ? makeCreatedKey(9, SECRET, { name: "Worker" })
            : Response.json(
                {
                  status: 400,
                  code: "INVALID_REQUEST",
                  error: "The request is not valid.",
                  errors: [{ pointer: "/quotas/0/meter", message: "There is no meter requests." }],
                },
                { status: 400, headers: { "content-type": "application/problem+json" } },
              );
        },
      },
    });
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "Worker");
    await user.click(await within(dialog).findByRole("checkbox", { name: /maps:write/ }));
    await user.click(within(dialog).getByText("Networks"));
    const networks = within(dialog).getByRole("textbox", { name: "Addresses and ranges" });
    await user.type(networks, "10.0.0.0/33");
    await user.click(within(dialog).getByText("Limits of this key"));
    await user.click(within(dialog).getByRole("button", { name: "Add rate limit" }));
    await user.click(within(dialog).getByRole("button", { name: "Add quota" }));
    const units = within(dialog).getByRole("textbox", { name: "Units per billing period" });
    await user.type(units, "5000");
    await user.type(within(dialog).getByRole("textbox", { name: /^Calls at once/ }), "5");
    const send = within(dialog).getByRole("button", { name: "Create key" });
    await user.click(send);
    expect(
      within(dialog).getAllByText(/Not an address or a range .* 10\.0\.0\.0\/33\./),
    ).toHaveLength(2);
    await waitFor(() => expect(document.activeElement).toBe(networks));
    expect(bodies).toEqual([]);
    await user.clear(networks);
    await user.type(networks, "10.0.0.0/8");
    await user.click(send);
    await within(dialog).findByText("Quota 1, meter: There is no meter requests.");
    expect(within(dialog).getByRole("group", { name: "Quota 1" }).textContent).toContain(
      "There is no meter requests.",
    );
    await user.click(send);
    await screen.findByText("It is shown only this once.");
    expect(bodies[1]).toEqual({
      name: "Worker",
      environment: "live",
      scopes: ["maps:write"],
      metadata: {},
      concurrency: 5,
      allowedNetworks: ["10.0.0.0/8"],
      rateLimits: [{ name: "per-minute", limit: 100, windowSeconds: 60 }],
      quotas: [{ meter: "requests", limit: 5_000 }],
    });
  });

  it("asks before Escape discards what was typed", async () => {
    const { user, address } = openPage({ search: { dialog: "create" } });
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "Worker{Escape}");
    await user.click(await screen.findByRole("button", { name: "Keep editing" }));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("Worker");
    expect(address()).toEqual({ dialog: "create" });
  });

  it("creates one key from a double click", async () => {
    const create = vi.fn(() => makeCreatedKey(9, SECRET, { name: "Worker" }));
    const { user } = openPage({
      search: { dialog: "create" },
      answers: { [`POST ${AT}/keys`]: create },
    });
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "Worker");
    const button = within(dialog).getByRole("button", { name: "Create key" });
    act(() => {
      button.click();
      button.click();
    });
    await screen.findByText("It is shown only this once.");
    expect(create).toHaveBeenCalledTimes(1);
  });

  it("requires a name", async () => {
    const { user } = openPage({ search: { dialog: "create" } });
    await user.click(
      within(await screen.findByRole("dialog")).getByRole("button", { name: "Create key" }),
    );
    await screen.findByText("Give the key a name.");
    screen.getByText("Name: Give the key a name.");
  });

  it("stays open until the response arrives: neither Escape nor Cancel abandons the key", async () => {
    let answer: (key: object) => void = () => undefined;
    const { user } = openPage({
      search: { dialog: "create" },
      answers: { [`POST ${AT}/keys`]: () => new Promise((resolve) => (answer = resolve)) },
    });
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Worker{Enter}");
    await screen.findByText("Creating…");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(screen.getByRole("button", { name: "Cancel" })).toHaveProperty("disabled", true);
    act(() => answer(makeCreatedKey(9, SECRET, { name: "Worker" })));
    expect((await screen.findByRole("figure", { name: "API key" })).textContent).toContain(SECRET);
  });

  it("keeps the form and its text when the person loses the role meanwhile", async () => {
    const { user, demote } = openPage({
      search: { dialog: "create" },
      answers: {
        [`POST ${AT}/keys`]: () => problem(403, "FORBIDDEN", "Your role cannot do this."),
      },
    });
    const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
    await user.type(name, "Worker{Enter}");
    await screen.findByText("Your role cannot do this.");
    demote();
    await screen.findByText(/can view keys/);
    expect(screen.getByRole("textbox", { name: "Name" })).toBe(name);
    expect(name.value).toBe("Worker");
    screen.getByText("Your role cannot do this.");
  });

  it("does not open from the address for someone who may not create keys", async () => {
    openPage({ search: { dialog: "create" }, role: "viewer" });
    await screen.findByText(/can view keys/);
    expect(screen.queryByRole("dialog")).toBe(null);
  });

  it("opens a fold that contains an error at each attempt, and focuses the error", async () => {
    const { user } = openPage({ search: { dialog: "create" } });
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "Worker");
    const fold = within(dialog).getByText("Metadata");
    await user.click(fold);
    await user.click(within(dialog).getByRole("button", { name: "Add metadata" }));
    const line = within(dialog).getByRole("textbox", { name: "Name 1" });
    await user.type(within(dialog).getByRole("textbox", { name: "Value 1" }), "eu");
    for (let attempt = 0; attempt < 2; attempt++) {
      await user.click(fold);
      const details = fold.closest("details");
      await waitFor(() => expect(details?.open).toBe(false));
      await user.click(within(dialog).getByRole("button", { name: "Create key" }));
      await waitFor(() => expect(details?.open).toBe(true));
      expect(line.getAttribute("aria-invalid")).toBe("true");
      await waitFor(() => expect(document.activeElement).toBe(line));
      within(dialog).getByText("Metadata: Every value needs a name.");
    }
  });
});

describe("importing keys", () => {
  type Sent = { dryRun: boolean; rows: { name: string }[] };

  it("checks every row, shows the errors, continues after a failure and imports the rest", async () => {
    const sent: Sent[] = [];
    let failures = 1;
    const { user, address } = openPage({
      search: { dialog: "import" },
      answers: {
        [`POST ${AT}/keys/import`]: async (request) => {
          const body = (await request.json()) as Sent;
          if (!body.dryRun && failures-- > 0) {
            return problem(503, "UNAVAILABLE", "Try again later.");
          }
          sent.push(body);
          const items = body.rows.map(({ name }) => ({
            status: name === "bad" ? "refused" : "imported",
            keyId: null,
            errors: name === "bad" ? [{ pointer: "/name", message: "Not this name." }] : [],
          }));
          const refused = items.filter(({ status }) => status === "refused").length;
          const imported = items.length - refused;
          return { dryRun: body.dryRun, imported, existing: 0, refused, items };
        },
      },
    });
    const dialog = await screen.findByRole("dialog", { name: "Import keys" });
    const choose = within(dialog).getByLabelText(/Choose a CSV or JSON file/);
    await user.upload(choose, new File(["nothing"], "wrong.csv", { type: "text/csv" }));
    await within(dialog).findByText(/^The first line must name the columns/);
    const file = "hash,name\na,good\nb,bad\nc\nd,fine\n";
    await user.upload(
      within(dialog).getByLabelText(/Choose a CSV or JSON file/),
      new File([file], "keys.csv", { type: "text/csv" }),
    );
    await within(dialog).findByText("4 of 4 rows checked; nothing is imported yet.");
    const refused = within(dialog).getByRole("region", { name: "Refused rows" });
    expect(
      within(refused)
        .getAllByRole("row")
        .map((line) => line.textContent),
    ).toEqual([
      "WhereFieldProblem",
      "Line 3nameNot this name.",
      "Line 4–1 cells where the first line names 2 columns.",
    ]);
    await user.click(within(dialog).getByRole("button", { name: "Import 2 keys" }));
    await within(dialog).findByText("Try again later.");
    await user.click(within(dialog).getByRole("button", { name: "Continue from row 2" }));
    await within(dialog).findByText("4 of 4 rows processed.");
    expect(sent.map(({ dryRun, rows }) => [dryRun, rows.map(({ name }) => name)])).toEqual([
      [true, ["good", "bad", "fine"]],
      [false, ["good", "bad", "fine"]],
    ]);
    await user.click(within(dialog).getByRole("button", { name: "Done" }));
    expect(address()).toEqual({});
  });
});

describe("a running import", () => {
  type Answer = (response: object) => void;

  /** Starts importing a file of three requests; each request waits for its answer. */
  async function startImport() {
    const answers: Answer[] = [];
    const rows = Array.from({ length: 2_500 }, (_, n) => `${String(n)},k${String(n)}`);
    const stage = openPage({
      search: { dialog: "import" },
      answers: {
        [`POST ${AT}/keys/import`]: async (request) => {
          const body = (await request.json()) as { dryRun: boolean; rows: unknown[] };
          const items = body.rows.map(() => ({ status: "imported", keyId: null, errors: [] }));
          const answer = { imported: items.length, existing: 0, refused: 0, items, ...body };
          return body.dryRun
            ? answer
            : await new Promise<object>((resolve) => answers.push(() => resolve(answer)));
        },
      },
    });
    const dialog = await screen.findByRole("dialog", { name: "Import keys" });
    await stage.user.upload(
      within(dialog).getByLabelText(/Choose a CSV or JSON file/),
      new File([["hash,name", ...rows].join("\n")], "keys.csv", { type: "text/csv" }),
    );
    await stage.user.click(await within(dialog).findByRole("button", { name: /^Import 2,500/ }));
    await waitFor(() => expect(answers).toHaveLength(1));
    return { ...stage, dialog, answers };
  }

  it("stays visible when Back takes its dialog out of the address", async () => {
    const { dialog, answers, back } = await startImport();
    act(() => back({}));
    await act(async () => answers[0]?.({}));
    await waitFor(() => expect(answers).toHaveLength(2));
    expect(dialog.isConnected).toBe(true);
    within(dialog).getByText("1,000 of 2,500 rows");
  });

  it("stops without an error, with the focus on Continue", async () => {
    const { user, dialog, answers } = await startImport();
    const stop = within(dialog).getByRole("button", { name: "Stop" });
    expect(document.activeElement).toBe(stop);
    await user.keyboard("{Enter}");
    await act(async () => answers[0]?.({}));
    await within(dialog).findByText("The import was stopped. Imported rows stay imported.");
    expect(within(dialog).queryByRole("alert")).toBe(null);
    expect(document.activeElement?.textContent).toBe("Continue from row 1,001");
  });

  it("ends when its page is left, and reports its progress", async () => {
    const { answers, leave } = await startImport();
    act(() => leave());
    await act(async () => answers[0]?.({}));
    await screen.findByText(/keys\.csv stopped when you left: 1,000 of 2,500 rows were processed/);
    expect(answers).toHaveLength(1);
  });
});

describe("rolling a key", () => {
  it("opens by its address, also of a key that is on no page shown, and closes to the list", async () => {
    const { user, address } = openPage({
      search: { key: toTestKeyId(1), dialog: "roll" },
      answers: { [`GET ${AT}/keys/${toTestKeyId(1)}`]: () => makeKey(1) },
    });
    const dialog = await screen.findByRole("dialog", { name: "Roll Key 1" });
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(address()).toEqual({}));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("explains each grace period and creates one new key from a double click, shown once", async () => {
    const bodies: unknown[] = [];
    const { user } = openPage({
      answers: {
        [`POST ${AT}/keys/${toTestKeyId(1)}/roll`]: (request) => {
          void request.json().then((body) => bodies.push(body));
          return makeCreatedKey(9, SECRET, { name: "Key 1" });
        },
      },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("r");
    const dialog = await screen.findByRole("dialog", { name: "Roll Key 1" });
    expect(within(dialog).getAllByRole("radio")).toHaveLength(5);
    await user.click(within(dialog).getByRole("radio", { name: /Not at all.*leaked/ }));
    const button = within(dialog).getByRole("button", { name: "Roll key" });
    fireEvent.click(button);
    fireEvent.click(button);
    await screen.findByText("The old key no longer works.");
    expect(bodies).toEqual([{ graceSeconds: 0 }]);
    expect(screen.getByRole("figure", { name: "API key" }).textContent).toContain(SECRET);
    await user.click(screen.getByRole("button", { name: "I have stored it" }));
    await waitFor(() => expect(document.body.textContent).not.toContain(SECRET));
  });

  it("is sent by Enter on a choice, and shows the new key even if Escape was pressed meanwhile", async () => {
    let answer: (key: object) => void = () => undefined;
    const { user } = openPage({
      answers: {
        [`POST ${AT}/keys/${toTestKeyId(1)}/roll`]: () =>
          new Promise((resolve) => (answer = resolve)),
      },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("r");
    const dialog = await screen.findByRole("dialog", { name: "Roll Key 1" });
    const chosen = within(dialog).getByRole("radio", { name: /^1 day/ });
    await waitFor(() => expect(document.activeElement).toBe(chosen));
    await user.keyboard("{Enter}");
    await screen.findByText("Rolling…");
    await user.keyboard("{Escape}");
    act(() => answer(makeCreatedKey(9, SECRET, { name: "Key 1" })));
    expect((await screen.findByRole("figure", { name: "API key" })).textContent).toContain(SECRET);
    await user.keyboard("{Escape}");
    screen.getByRole("figure", { name: "API key" });
  });

  it("shows the grace period that was sent, even if another is chosen before the response", async () => {
    let answer: (key: object) => void = () => undefined;
    const { user } = openPage({
      answers: {
        [`POST ${AT}/keys/${toTestKeyId(1)}/roll`]: () =>
          new Promise((resolve) => (answer = resolve)),
      },
    });
    (await findRow(/Key 1/)).focus();
    await user.keyboard("r");
    const dialog = await screen.findByRole("dialog", { name: "Roll Key 1" });
    await user.click(within(dialog).getByRole("button", { name: "Roll key" }));
    await screen.findByText("Rolling…");
    await user.click(within(dialog).getByRole("radio", { name: /Not at all/ }));
    await act(async () => answer(makeCreatedKey(9, SECRET, { name: "Key 1" })));
    await screen.findByText(/^The old key works until /);
  });
});

describe("the panel of a key", () => {
  const DETAILS: FakeAnswers = {
    [`GET ${AT}/keys/${toTestKeyId(1)}`]: () => makeKey(1, { metadata: { region: "eu" } }),
    [`GET ${AT}/usage`]: () =>
      makeUsageReport({
        rows: [makeUsageRow(1, { outcome: "DISABLED" }, { requests: 4, denied: 4 })],
        totals: { requests: 4, denied: 4 },
      }),
    [`GET ${AT}/audit`]: (request) => {
      expect(new URL(request.url).searchParams.get("entityId")).toBe(toTestKeyId(1));
      return {
        items: [
          {
            auditId: "aud_1",
            occurredAt: "2026-11-21T12:00:00.000Z",
            actorType: "user",
            actorId: MAKER_ID,
            action: "key.disabled",
            entityType: "key",
            entityId: toTestKeyId(1),
            requestId: null,
            details: {},
          },
        ],
        nextCursor: null,
      };
    },
  };

  it("opens from the address alone, with denials and the audit trail", async () => {
    const { user, address } = openPage({
      keys: [makeKey(2)],
      search: { key: toTestKeyId(1) },
      answers: DETAILS,
    });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    await within(panel).findByText("region:");
    const denials = await within(panel).findByRole("table", { name: "Denials by reason" });
    expect(denials.textContent).toContain("Key disabledDISABLED4100.0%");
    const trail = within(panel).getByRole("region", { name: "Audit trail" });
    await within(trail).findByText("by Ada");
    await user.click(within(panel).getByRole("button", { name: "Close" }));
    expect(address()).toEqual({});
  });

  it("says when and by whom a key was added if its trail does not", async () => {
    openPage({
      search: { key: toTestKeyId(1) },
      answers: { ...DETAILS, [`GET ${AT}/audit`]: () => ({ items: [], nextCursor: null }) },
    });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    const trail = within(panel).getByRole("region", { name: "Audit trail" });
    await within(trail).findByText(
      /^This key was added on .*2026.* by Ada; nothing has been recorded since\.$/,
    );
  });

  it("has no trail for someone who may not read it", async () => {
    openPage({ search: { key: toTestKeyId(1) }, role: "developer", answers: DETAILS });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    await within(panel).findByRole("table", { name: "Denials by reason" });
    expect(within(panel).queryByRole("region", { name: "Audit trail" })).toBe(null);
    within(panel).getByRole("button", { name: "Revoke" });
  });

  it("says when a key is not of this tenant, and shows none", async () => {
    openPage({
      search: { key: toTestKeyId(1) },
      keys: [],
      answers: {
        ...DETAILS,
        [`GET ${AT}/keys/${toTestKeyId(1)}`]: () =>
          problem(404, "RESOURCE_NOT_FOUND", "There is no such key."),
      },
    });
    const panel = await screen.findByRole("dialog");
    await within(panel).findByText("There is no such key.");
    expect(within(panel).queryByRole("button", { name: "Revoke" })).toBe(null);
  });
});
