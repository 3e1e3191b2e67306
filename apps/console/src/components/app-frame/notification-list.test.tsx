// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACME, NONE, news, openFrame, stageFrames } from "./app-frame.fixture.tsx";

stageFrames();

describe("the notifications", () => {
  it("are counted while unread, and all marked as read at once, up to the newest that is shown", async () => {
    let unread = [news("2", "Quota nearly used", null), news("1", "Key expires", null)];
    const asked = vi.fn();
    const { user } = await openFrame({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: () => ({ items: unread, nextCursor: null }),
        [`POST /tenants/${ACME}/notifications/read`]: async (request: Request) => {
          asked(await request.json());
          const read = unread.length;
          unread = [];
          return { read };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Notifications, 2 unread" }));
    await screen.findByText("Quota nearly used");
    await user.click(screen.getByRole("button", { name: "Mark all as read" }));
    await screen.findByText("Nothing new");
    expect(asked).toHaveBeenCalledWith({ userId: expect.any(String), upTo: "ntf_2" });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("that are unread and older than the list reaches are marked with the others", async () => {
    const read = { ...news("9", "Key expires", null), readAt: "2026-11-21T00:00:00.000Z" };
    let older = [news("1", "Quota nearly used", null)];
    const { user } = await openFrame({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: ({ url }: Request) => ({
          items: new URL(url).searchParams.has("unread") ? older : [read],
          nextCursor: null,
        }),
        [`POST /tenants/${ACME}/notifications/read`]: () => {
          const count = older.length;
          older = [];
          return { read: count };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Notifications, 1 unread" }));
    await screen.findByText("Key expires");
    await user.click(screen.getByRole("button", { name: "Mark all as read" }));
    await screen.findByRole("button", { name: "Notifications" });
  });

  it("are read by following one, which never leads to another site", async () => {
    const items = [
      news("1", "Invoice is due", "/billings"),
      news("2", "Free money", "//evil.example"),
    ];
    const readOne = vi.fn(() => ({ ...items[0], readAt: "2026-11-21T00:00:00.000Z" }));
    const { router, user } = await openFrame({
      answers: {
        [`GET /tenants/${ACME}/notifications`]: () => ({ items, nextCursor: null }),
        [`POST /tenants/${ACME}/notifications/ntf_1/read`]: readOne,
        [`POST /tenants/${ACME}/notifications/ntf_2/read`]: readOne,
      },
    });
    await user.click(await screen.findByRole("button", { name: /Notifications, 2 unread/ }));
    await user.click(await screen.findByRole("button", { name: /Free money/ }));
    expect(router.state.location.pathname).toBe("/overview");
    await user.click(screen.getByRole("button", { name: /Invoice is due/ }));
    const heading = await screen.findByRole("heading", { name: "Screen /billings" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(router.state.location.pathname).toBe("/billings");
    expect(readOne).toHaveBeenCalledTimes(2);
  });

  it("say what failed and can be asked for again", async () => {
    let isUp = false;
    const refused = () =>
      new Response(JSON.stringify({ error: "The database is away." }), {
        status: 400,
        headers: { "content-type": "application/problem+json" },
      });
    const { user } = await openFrame({
      answers: { [`GET /tenants/${ACME}/notifications`]: () => (isUp ? NONE : refused()) },
    });
    await user.click(screen.getByRole("button", { name: "Notifications" }));
    await screen.findByText("The database is away.");
    isUp = true;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Nothing new");
  });
});
