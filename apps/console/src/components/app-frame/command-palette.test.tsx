// @vitest-environment jsdom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ACME, BIRCH, openFrame, QUIET, stageFrames } from "./app-frame.fixture.tsx";

stageFrames();

describe("the command palette", () => {
  it("opens by Ctrl+K, goes where Enter says, and gives the focus to the screen", async () => {
    const { router, user } = await openFrame({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    const field = await screen.findByRole("combobox", { name: "Search or go to…" });
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.keyboard("bill{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/billings?tenant=acme"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    const heading = screen.getByRole("heading", { name: "Screen /billings" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  it("finds parts of screens, what has a name in this tenant, and pages of the documentation", async () => {
    const alertId = `alt_${"0".repeat(32)}`;
    const { router, user } = await openFrame({
      path: "/overview?tenant=acme",
      answers: {
        ...QUIET,
        [`GET /tenants/${ACME}/alerts`]: () => ({
          items: [{ alertId, name: "Errors of checkout" }],
        }),
        [`GET /tenants/${ACME}/exports`]: () => ({
          items: [{ exportId: "exp_1", name: "November by key", format: "csv" }],
          nextCursor: null,
        }),
        "GET /plans": () => ({ items: [] }),
        "GET /meters": () => ({ items: [{ meterId: "tokens", name: "Input tokens" }] }),
      },
    });
    const look = async (query: string) => {
      await user.keyboard("{Control>}k{/Control}");
      await screen.findByRole("combobox", { name: "Search or go to…" });
      await user.keyboard(query);
      return await screen.findAllByRole("option");
    };
    await look("checkout");
    await waitFor(() => expect(screen.getAllByRole("option")[0]?.textContent).toContain("Alert"));
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({ tab: "alerts", alert: alertId }),
    );
    await look("input tok");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ meter: "tokens" }));
    await look("november");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "exports" }));
    await look("settings");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.href).toContain("/tenants?tab=settings"));
    const guides = await look("how events");
    expect(guides[0]?.textContent).toBe("How events and meters workGuide");
  });

  it("finds keys by name, and rolls them for those who may", async () => {
    const key = (digit: string, name: string, more: object = {}) => ({
      ...{ keyId: `key_${digit.repeat(32)}`, name, start: "tp_live_a", lastFour: digit.repeat(4) },
      ...{ state: "active", rolledToKeyId: null, ...more },
    });
    const items = [
      key("1", "Checkout"),
      key("2", "Checkout, old", { rolledToKeyId: `key_${"1".repeat(32)}` }),
      key("3", "Checkout, gone", { state: "revoked" }),
    ];
    const answers = {
      ...QUIET,
      [`GET /tenants/${ACME}/keys`]: () => ({ items, nextCursor: null }),
      [`GET /tenants/${BIRCH}/keys`]: () => ({ items, nextCursor: null }),
    };
    const look = async (user: Awaited<ReturnType<typeof openFrame>>["user"], query: string) => {
      await user.keyboard("{Control>}k{/Control}");
      await screen.findByRole("combobox", { name: "Search or go to…" });
      await user.keyboard(query);
      await screen.findByRole("option", { name: /^Checkout, old/ });
      return screen.getAllByRole("option").map(({ textContent }) => textContent);
    };
    const { router, user } = await openFrame({ path: "/overview?tenant=acme", answers });
    expect(await look(user, "checkout")).toEqual([
      "Checkouttp_live_a…1111",
      "Checkout, oldtp_live_a…2222",
      "Roll Checkouttp_live_a…1111",
    ]);
    await user.click(screen.getByRole("option", { name: /^Roll Checkout/ }));
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({
        ...{ key: `key_${"1".repeat(32)}`, dialog: "roll" },
      }),
    );
    cleanup();
    const viewer = await openFrame({ path: "/overview?tenant=birch", answers });
    const found = await look(viewer.user, "checkout");
    expect(found.some((text) => text?.startsWith("Roll"))).toBe(false);
  });

  it("asks the server for keys by what is typed when there are more than it has", async () => {
    const key = (digit: string, name: string) => ({
      ...{ keyId: `key_${digit.repeat(32)}`, name, start: "tp_live_a", lastFour: digit.repeat(4) },
      ...{ state: "active", rolledToKeyId: null },
    });
    const { user } = await openFrame({
      path: "/overview?tenant=acme",
      answers: {
        ...QUIET,
        [`GET /tenants/${ACME}/keys`]: ({ url }: Request) =>
          new URL(url).searchParams.get("q") === "harbour"
            ? { items: [key("2", "Harbour")], nextCursor: null }
            : { items: [key("1", "Newest")], nextCursor: "next" },
      },
    });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("harbour");
    await screen.findByRole("option", { name: /^Harbour/ });
  });

  it("leads operators alone to what is theirs", async () => {
    const { user } = await openFrame({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("outbox");
    await screen.findByRole("option", { name: "Search the documentation: outbox" });
    expect(screen.queryByRole("option", { name: /^Outbox/ })).toBe(null);
    cleanup();
    const operator = await openFrame({ path: "/overview?tenant=acme", isOperator: true });
    await operator.user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await operator.user.keyboard("outbox{Enter}");
    await waitFor(() => expect(operator.router.state.location.pathname).toBe("/operator/outbox"));
  });

  it("names guides for running it to operators alone", async () => {
    const { user } = await openFrame({ path: "/overview?tenant=acme" });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("rotate");
    await screen.findByRole("option", { name: /^How to call the API/ });
    await user.clear(screen.getByRole("combobox", { name: "Search or go to…" }));
    await user.keyboard("how to run");
    await screen.findByRole("option", { name: "Search the documentation: how to run" });
    expect(screen.queryByRole("option", { name: /^How to run it/ })).toBe(null);
    cleanup();
    const operator = await openFrame({ path: "/overview?tenant=acme", isOperator: true });
    await operator.user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await operator.user.keyboard("how to run");
    await screen.findByRole("option", { name: /^How to run it/ });
  });

  it("switches tenant and theme, and offers the documentation when nothing is called that", async () => {
    const { router, user } = await openFrame({ path: "/overview?tenant=acme" });
    await user.click(screen.getByRole("button", { name: /^Search or go to…/ }));
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("birch{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ tenant: "birch" }));
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("dark");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.documentElement.dataset["theme"]).toBe("dark"));
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("combobox", { name: "Search or go to…" });
    await user.keyboard("qqqq");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "Search the documentation: qqqq",
    ]);
  });
});
