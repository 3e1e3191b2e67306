// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { makeUsageReport } from "#platform/usage-report.fixture.ts";
import { AT, findRow, openPage, SECRET, stagePages } from "./api-keys-page.fixture.tsx";
import { makeKey, toTestKeyId } from "./keys.fixture.ts";

stagePages();

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
