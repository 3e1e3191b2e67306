// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AT, findRow, openPage, SECRET, stagePages } from "../api-keys-page.fixture.tsx";
import { makeCreatedKey, makeKey, toTestKeyId } from "../keys.fixture.ts";

stagePages();

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
