// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** The parts anew, none of whose layers has been loaded. */
async function importParts() {
  vi.resetModules();
  const [{ Menu, MenuItem }, { Select }, { Dialog }, { Tooltip }, { loadLayers }, { UiProvider }] =
    await Promise.all([
      import("./menu.tsx"),
      import("./select.tsx"),
      import("./dialog.tsx"),
      import("./tooltip.tsx"),
      import("./late-layer.tsx"),
      import("./ui-provider.tsx"),
    ]);
  return { Menu, MenuItem, Select, Dialog, Tooltip, loadLayers, UiProvider };
}

let parts: Awaited<ReturnType<typeof importParts>>;

beforeEach(async () => {
  parts = await importParts();
});
afterEach(cleanup);

function showMenu(onSelect = vi.fn(), onPressAround = vi.fn()) {
  const { Menu, MenuItem } = parts;
  render(
    // biome-ignore lint/a11y: plays a row that opens on a click
    <div onClick={onPressAround}>
      <Menu trigger={<button type="button">Actions</button>}>
        <MenuItem onSelect={onSelect}>Edit key</MenuItem>
        <MenuItem onSelect={vi.fn()}>Roll key</MenuItem>
      </Menu>
    </div>,
  );
  return { onSelect, onPressAround };
}

describe("a menu that has not been loaded", () => {
  it("opens by the press that loads it, acts, and gives the focus back", async () => {
    const { onSelect, onPressAround } = showMenu();
    const waiting = screen.getByRole("button", { name: "Actions" });
    expect(waiting.getAttribute("aria-haspopup")).toBe("menu");
    expect(waiting.getAttribute("aria-expanded")).toBe("false");
    await userEvent.click(waiting);
    const item = await screen.findByRole("menuitem", { name: "Edit key" });
    expect(onPressAround).toHaveBeenCalledOnce();
    await userEvent.click(item);
    expect(onSelect).toHaveBeenCalledOnce();
    await waitFor(() => expect(screen.queryByRole("menu")).toBe(null));
    const button = screen.getByRole("button", { name: "Actions" });
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it.each(["{Enter}", " ", "{ArrowDown}"])("opens by the key %j at its first item", async (key) => {
    showMenu();
    await userEvent.tab();
    await userEvent.keyboard(key);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Edit key"));
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement?.textContent).toBe("Roll key");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Actions"));
  });

  it("keeps its button while it is not pressed, also when it is there", async () => {
    showMenu();
    const button = screen.getByRole("button", { name: "Actions" });
    await parts.loadLayers();
    expect(screen.getByRole("button", { name: "Actions" })).toBe(button);
    await userEvent.click(button);
    await screen.findByRole("menu");
  });
});

it("a list that has not been loaded opens by its first press, and chooses", async () => {
  const { Select } = parts;
  const choose = vi.fn();
  render(
    <Select
      label="Role"
      choices={[
        { value: "owner", label: "Owner" },
        { value: "viewer", label: "Viewer" },
      ]}
      value="owner"
      onValueChange={choose}
    />,
  );
  const waiting = screen.getByRole("combobox", { name: "Role" });
  expect(waiting.textContent).toBe("Owner");
  await userEvent.click(waiting);
  await userEvent.click(await screen.findByRole("option", { name: "Viewer" }));
  expect(choose).toHaveBeenCalledWith("viewer");
});

it("a dialog that has not been loaded comes once it is open", async () => {
  const { Dialog } = parts;
  render(
    <Dialog isOpen onClose={vi.fn()} title="New key">
      <input aria-label="Name" />
    </Dialog>,
  );
  await screen.findByRole("dialog", { name: "New key" });
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
});

describe("a tooltip that has not been loaded", () => {
  it("comes to what has the focus, describes it, and goes by Escape", async () => {
    const { Tooltip } = parts;
    render(
      <Tooltip content="In UTC">
        <button type="button">Noon</button>
      </Tooltip>,
    );
    await userEvent.tab();
    const tooltip = await screen.findByRole("tooltip");
    const button = screen.getByRole("button", { name: "Noon" });
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute("aria-describedby")).toBe(tooltip.id);
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("tooltip")).toBe(null));
  });

  it("comes to what is pointed at, and goes with the pointer", async () => {
    const { Tooltip } = parts;
    render(
      <Tooltip content="In UTC">
        <button type="button">Noon</button>
      </Tooltip>,
    );
    const button = screen.getByRole("button", { name: "Noon" });
    await userEvent.hover(button);
    await screen.findByRole("tooltip");
    await userEvent.unhover(button);
    await waitFor(() => expect(screen.queryByRole("tooltip")).toBe(null));
  });
});

it("layers are loaded once the person does anything, and not before", async () => {
  const { UiProvider, createLateLayer } = {
    ...parts,
    ...(await import("./late-layer.tsx")),
  };
  const load = vi.fn(() => Promise.resolve({}));
  createLateLayer(load);
  render(<UiProvider>Page</UiProvider>);
  expect(load).not.toHaveBeenCalled();
  await userEvent.keyboard("a");
  await userEvent.keyboard("b");
  expect(load).toHaveBeenCalledOnce();
});

it("a layer that could not be loaded is tried again by the next press", async () => {
  const { createLateLayer } = await import("./late-layer.tsx");
  const load = vi.fn<() => Promise<object>>();
  load.mockRejectedValueOnce(new Error("no network")).mockResolvedValueOnce({ Part: 1 });
  const layer = createLateLayer(load);
  await layer.load();
  expect(layer.read()).toBe(undefined);
  await layer.load();
  expect(layer.read()).toEqual({ Part: 1 });
});
