// @vitest-environment jsdom
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./dialog-form.tsx";
import type { LeaveGuard } from "./leave-guard.tsx";
import { Menu, MenuItem } from "./menu.tsx";
import { Popover } from "./popover.tsx";
import { RadioList } from "./radio-list.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { Select } from "./select.tsx";
import { Sheet } from "./sheet.tsx";
import { UiProvider } from "./ui-provider.tsx";
import { KeepPage, useUnsaved } from "./unsaved.tsx";

afterEach(cleanup);

/** A page with one button that opens a layer. */
function Page({ layer }: { layer: (isOpen: boolean, close: () => void) => React.ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <UiProvider>
      <button type="button" onClick={() => setIsOpen(true)}>
        Open
      </button>
      {layer(isOpen, () => setIsOpen(false))}
    </UiProvider>
  );
}

const LAYERS = {
  Dialog: (isOpen: boolean, close: () => void) => (
    <Dialog isOpen={isOpen} onClose={close} title="New key" description="For one program.">
      <input aria-label="Name" />
    </Dialog>
  ),
  Sheet: (isOpen: boolean, close: () => void) => (
    <Sheet isOpen={isOpen} onClose={close} title="New key" description="For one program.">
      <input aria-label="Name" />
    </Sheet>
  ),
};

describe.each(Object.entries(LAYERS))("%s", (_, layer) => {
  it("has its title and description as name, puts the focus on its first field, and gives it back on Escape", async () => {
    render(<Page layer={layer} />);
    const opener = screen.getByRole("button", { name: "Open" });
    await userEvent.click(opener);

    const dialog = await screen.findByRole("dialog", { name: "New key" });
    expect(
      document.getElementById(dialog.getAttribute("aria-describedby") ?? "")?.textContent,
    ).toBe("For one program.");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
    expect(dialog.contains(document.activeElement)).toBe(true);

    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  it("keeps Tab inside and closes by its cross", async () => {
    render(<Page layer={layer} />);
    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    const dialog = await screen.findByRole("dialog");
    for (let step = 0; step < 4; step++) {
      await userEvent.tab();
      await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
    }
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
  });
});

function TypedForm() {
  const [text, setText] = useState("");
  useUnsaved(text !== "");
  return (
    <input
      aria-label="Name"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

describe("Dialog", () => {
  it("asks before what was typed is thrown away, and goes back to where one was typing", async () => {
    render(
      <Page
        layer={(isOpen, close) => (
          <Dialog isOpen={isOpen} onClose={close} title="New key">
            <TypedForm />
          </Dialog>
        )}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    const field = await screen.findByLabelText<HTMLInputElement>("Name");
    await userEvent.type(field, "Worker{Escape}");
    const question = await screen.findByRole("alertdialog", { name: "Discard your changes?" });
    await waitFor(() => expect(question.contains(document.activeElement)).toBe(true));
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBe(null));
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.value).toBe("Worker");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));

    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    await screen.findByRole("dialog");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
  });

  it("asks when a form with something typed is cancelled, and not when nothing is", async () => {
    render(
      <Page
        layer={(isOpen, close) => (
          <Dialog isOpen={isOpen} onClose={close} title="New key">
            <DialogForm onSubmit={vi.fn()} onCancel={close} action="Create">
              <TypedForm />
            </DialogForm>
          </Dialog>
        )}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    const field = await screen.findByLabelText<HTMLInputElement>("Name");
    await userEvent.type(field, "Worker");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await userEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBe(null));
    expect(field.value).toBe("Worker");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));

    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
  });

  it("cannot be left by Escape while something in it must not be lost", async () => {
    const close = vi.fn();
    render(
      <UiProvider>
        <Dialog isOpen onClose={close} title="Your key" isLocked>
          <p>Shown once</p>
        </Dialog>
      </UiProvider>,
    );
    await screen.findByRole("dialog");
    await userEvent.keyboard("{Escape}");
    expect(close).not.toHaveBeenCalled();
    expect(screen.queryByRole("button", { name: "Close" })).toBe(null);
  });
});

describe("a form that is being sent", () => {
  it("holds its dialog until the answer is there, and lets go of it then", async () => {
    const close = vi.fn();
    const renderForm = (progress: string | undefined) => (
      <UiProvider>
        <Dialog isOpen onClose={close} title="New key">
          <DialogForm onSubmit={vi.fn()} onCancel={close} action="Create" progress={progress}>
            <input aria-label="Name" />
          </DialogForm>
        </Dialog>
      </UiProvider>
    );
    const { rerender } = render(renderForm("Creating…"));
    await screen.findByRole("dialog");
    await userEvent.keyboard("{Escape}");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(close).not.toHaveBeenCalled();
    rerender(renderForm(undefined));
    await userEvent.keyboard("{Escape}");
    expect(close).toHaveBeenCalledOnce();
  });
});

describe("leaving the page", () => {
  function watchGuards() {
    const guards = new Set<LeaveGuard>();
    return {
      guards,
      guardLeave: (guard: LeaveGuard) => {
        guards.add(guard);
        return () => guards.delete(guard);
      },
      leave: async (by: "history" | "link") => {
        const answers = await Promise.all([...guards].map((guard) => guard.mayLeave(by)));
        return answers.every((mayLeave) => mayLeave);
      },
      isHeld: () => [...guards].some((guard) => guard.isHeld()),
    };
  }

  it("is asked about while something is typed in a dialog, and free before and after", async () => {
    const { guardLeave, leave, isHeld } = watchGuards();
    render(
      <UiProvider guardLeave={guardLeave}>
        <Dialog isOpen onClose={vi.fn()} title="New key">
          <TypedForm />
        </Dialog>
      </UiProvider>,
    );
    const field = await screen.findByLabelText("Name");
    expect(isHeld()).toBe(false);
    await userEvent.type(field, "Worker");
    expect(isHeld()).toBe(true);
    const kept = leave("history");
    await userEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
    expect(await kept).toBe(false);
    const left = leave("link");
    await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
    expect(await left).toBe(true);
    await userEvent.clear(field);
    expect(await leave("history")).toBe(true);
    expect(isHeld()).toBe(false);
  });

  it("waits for a form that is being sent, which itself may lead elsewhere", async () => {
    const { guardLeave, leave, isHeld } = watchGuards();
    render(
      <UiProvider guardLeave={guardLeave}>
        <Dialog isOpen onClose={vi.fn()} title="New key">
          <DialogForm onSubmit={vi.fn()} onCancel={vi.fn()} action="Create" progress="Creating…">
            <TypedForm />
          </DialogForm>
        </Dialog>
      </UiProvider>,
    );
    await userEvent.type(await screen.findByLabelText("Name"), "Worker");
    expect(await leave("history")).toBe(false);
    expect(await leave("link")).toBe(true);
    expect(isHeld()).toBe(true);
    expect(screen.queryByRole("alertdialog")).toBe(null);
  });

  it.each([
    [
      "a dialog",
      (secret: React.ReactNode) => (
        <Dialog isOpen onClose={vi.fn()} title="Your key">
          {secret}
        </Dialog>
      ),
    ],
    ["a part of a page", (secret: React.ReactNode) => <KeepPage>{secret}</KeepPage>],
  ])("is asked about while a secret is shown in %s, until it is gone", async (_, around) => {
    const { guardLeave, leave, guards } = watchGuards();
    const secret = (
      <SecretOnce subject="API key" secret="s3" advice="Keep it." onStored={vi.fn()} />
    );
    const { rerender } = render(<UiProvider guardLeave={guardLeave}>{around(secret)}</UiProvider>);
    await screen.findByText("It is shown only this once.");
    const stayed = leave("link");
    const question = await screen.findByRole("alertdialog", {
      name: "Leave without saving the secret?",
    });
    expect(await leave("history")).toBe(false);
    await userEvent.click(within(question).getByRole("button", { name: "Stay" }));
    expect(await stayed).toBe(false);
    rerender(<UiProvider guardLeave={guardLeave}>{around(null)}</UiProvider>);
    expect(guards.size).toBe(0);
  });

  it("is not held up by the question of a layer that is gone", async () => {
    const { guardLeave, leave } = watchGuards();
    const { unmount } = render(
      <UiProvider guardLeave={guardLeave}>
        <Dialog isOpen onClose={vi.fn()} title="New key">
          <TypedForm />
        </Dialog>
      </UiProvider>,
    );
    await userEvent.type(await screen.findByLabelText("Name"), "Worker");
    const left = leave("history");
    await screen.findByRole("alertdialog");
    unmount();
    expect(await left).toBe(true);
  });
});

describe("a dialog with a secret", () => {
  const openSecret = async () => {
    render(
      <Page
        layer={(isOpen, close) => (
          <Dialog isOpen={isOpen} onClose={close} title="Your key">
            <SecretOnce subject="API key" secret="s3" advice="Keep it." onStored={close} />
          </Dialog>
        )}
      />,
    );
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: "Open" }));
    await screen.findByText("It is shown only this once.");
    return user;
  };
  const findGone = () => waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));

  it("stays on Escape until it was copied, and shows the button that closes it", async () => {
    const user = await openSecret();
    await user.keyboard("{Escape}");
    const stored = screen.getByRole("button", { name: "I have stored it" });
    expect(document.activeElement).toBe(stored);
    expect(screen.getByRole("button", { name: "Close" })).toHaveProperty("disabled", true);
    await user.keyboard("{Enter}");
    await findGone();
  });

  it.each([
    ["Escape", (user: ReturnType<typeof userEvent.setup>) => user.keyboard("{Escape}")],
    [
      "the cross",
      (user: ReturnType<typeof userEvent.setup>) =>
        user.click(screen.getByRole("button", { name: "Close" })),
    ],
  ])("is closed by %s once it was copied", async (_, close) => {
    const user = await openSecret();
    await user.click(screen.getByRole("button", { name: "Copy API key" }));
    expect(await navigator.clipboard.readText()).toBe("s3");
    await close(user);
    await findGone();
  });

  it("stays on Escape where copying was refused", async () => {
    const user = await openSecret();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValueOnce(new Error("No TLS."));
    await user.click(screen.getByRole("button", { name: "Copy API key" }));
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "I have stored it" }));
  });
});

describe("a dialog above a panel", () => {
  it("dims the panel too", async () => {
    render(
      <UiProvider>
        <Sheet isOpen onClose={vi.fn()} title="Key">
          <Dialog isOpen onClose={vi.fn()} title="Roll key">
            <p>With a grace period.</p>
          </Dialog>
        </Sheet>
      </UiProvider>,
    );
    await screen.findByRole("dialog", { name: "Roll key" });
    expect(document.querySelectorAll(".bg-scrim")).toHaveLength(2);
  });
});

describe("a layer that begins with a choice", () => {
  it("puts the focus on what is chosen, so that Space changes nothing", async () => {
    const onValueChange = vi.fn();
    render(
      <Page
        layer={(isOpen, close) => (
          <Dialog isOpen={isOpen} onClose={close} title="Roll" description="With a grace period.">
            <RadioList
              label="Grace"
              choices={[
                { value: "0", label: "Not at all" },
                { value: "1", label: "A day" },
              ]}
              value="1"
              onValueChange={onValueChange}
            />
          </Dialog>
        )}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Open" }));
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("radio", { name: "A day" })),
    );
    await userEvent.keyboard(" ");
    expect(onValueChange).not.toHaveBeenCalledWith("0");
  });
});

describe("ConfirmDialog", () => {
  function open(props: Partial<Parameters<typeof ConfirmDialog>[0]> = {}) {
    const confirm = vi.fn();
    const close = vi.fn();
    render(
      <UiProvider>
        <ConfirmDialog
          isOpen
          onClose={close}
          title="Revoke this key?"
          description="Calls with it are refused from now on."
          action="Revoke key"
          nameToType="Production"
          onConfirm={confirm}
          {...props}
        />
      </UiProvider>,
    );
    return { confirm, close };
  }

  it("does nothing until the exact name is typed, says so, and puts the focus where it is missing", async () => {
    const { confirm } = open();
    await screen.findByRole("alertdialog", { name: "Revoke this key?" });
    const field = screen.getByLabelText(/Type Production to confirm/);
    await userEvent.type(field, "production");
    await userEvent.click(screen.getByRole("button", { name: "Revoke key" }));

    expect(confirm).not.toHaveBeenCalled();
    expect(screen.getByText("The name does not match.").getAttribute("role")).toBe("alert");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(field);

    await userEvent.clear(field);
    await userEvent.type(field, "Production{Enter}");
    expect(confirm).toHaveBeenCalledOnce();
  });

  it("takes a name as it is shown, however many blanks are in a row", async () => {
    const { confirm } = open({ nameToType: " Blue   Heron\u00A0Maps" });
    const field = await screen.findByLabelText(/Type Blue Heron Maps to confirm/);
    await userEvent.type(field, "BlueHeron Maps{Enter}");
    expect(confirm).not.toHaveBeenCalled();
    await userEvent.clear(field);
    await userEvent.type(field, "Blue Heron Maps{Enter}");
    expect(confirm).toHaveBeenCalledOnce();
  });

  it("asks only once while it is at work, and keeps what was typed when it fails", async () => {
    const { confirm } = open({ progress: "Revoking…", error: "The key is gone already." });
    const field = await screen.findByLabelText(/Type Production to confirm/);
    await userEvent.type(field, "Production{Enter}");
    expect(confirm).not.toHaveBeenCalled();
    expect(screen.getByText("The key is gone already.").getAttribute("role")).toBe("alert");
    expect(field).toHaveProperty("value", "Production");
  });

  it("cannot be left while it is at work: what comes of it is only said there", async () => {
    const { close } = open({ progress: "Revoking…" });
    await screen.findByRole("alertdialog");
    await userEvent.keyboard("{Escape}");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).not.toHaveBeenCalled();
  });

  it("is left by Cancel", async () => {
    const { close } = open();
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledOnce();
  });
});

describe("Menu", () => {
  it("opens by key, moves by arrows and first letters, acts on Enter, and gives the focus back", async () => {
    const revoke = vi.fn();
    render(
      <UiProvider>
        <Menu trigger={<button type="button">Actions of Production</button>}>
          <MenuItem onSelect={vi.fn()}>Edit key</MenuItem>
          <MenuItem onSelect={vi.fn()}>Roll key</MenuItem>
          <MenuItem onSelect={revoke}>Withdraw key</MenuItem>
        </Menu>
      </UiProvider>,
    );
    const trigger = screen.getByRole("button", { name: "Actions of Production" });
    expect(trigger.getAttribute("aria-haspopup")).toBe("menu");
    trigger.focus();
    await userEvent.keyboard("{Enter}");
    await screen.findByRole("menu");
    expect(trigger.getAttribute("aria-expanded")).toBe("true");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Edit key"));
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement?.textContent).toBe("Roll key");
    await userEvent.keyboard("w");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Withdraw key"));
    await userEvent.keyboard("{Enter}");
    expect(revoke).toHaveBeenCalledOnce();
    await waitFor(() => expect(screen.queryByRole("menu")).toBe(null));
    await waitFor(() => expect(document.activeElement).toBe(trigger));
  });
});

describe("Popover", () => {
  it("has a name and gives the focus back on Escape", async () => {
    render(
      <UiProvider>
        <Popover trigger={<button type="button">Filters</button>} title="More filters">
          <input aria-label="From" />
        </Popover>
      </UiProvider>,
    );
    const trigger = screen.getByRole("button", { name: "Filters" });
    await userEvent.click(trigger);
    await screen.findByRole("dialog", { name: "More filters" });
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    await waitFor(() => expect(document.activeElement).toBe(trigger));
  });
});

it("puts no style element into the page, as the policy of the console asks", async () => {
  const styles = () => document.querySelectorAll("style").length;
  const before = styles();
  render(
    <UiProvider>
      <Select
        label="Role"
        choices={[{ value: "owner", label: "Owner" }]}
        value="owner"
        onValueChange={vi.fn()}
      />
      <Sheet isOpen={false} onClose={vi.fn()} title="Keys">
        <p>None</p>
      </Sheet>
    </UiProvider>,
  );
  await userEvent.click(screen.getByRole("combobox", { name: "Role" }));
  await screen.findByRole("listbox");
  expect(styles()).toBe(before);
});
