// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { AT, findRow, openPage, stagePages } from "../api-keys-page.fixture.tsx";
import { makeKey, toTestKeyId } from "../keys.fixture.ts";

stagePages();

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
