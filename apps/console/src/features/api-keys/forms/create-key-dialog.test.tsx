// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { AT, openPage, SECRET, stagePages } from "../api-keys-page.fixture.tsx";
import { makeCreatedKey } from "../keys.fixture.ts";

stagePages();

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

  it("says of test keys that they are refused where the operator has set up no place for them", async () => {
    openPage({ search: { dialog: "create" }, refusesTestKeys: true });
    await screen.findByText("Not set up: calls with test keys are refused.");
    expect(screen.queryByText("Metered separately, never billed.")).toBeNull();
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
