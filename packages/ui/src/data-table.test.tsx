// @vitest-environment jsdom
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Column } from "./column.tsx";
import { ColumnChoice } from "./column-choice.tsx";
import { CursorPagination } from "./cursor-pagination.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { toLeavingColumns } from "./data-table-room.tsx";
import { Dialog } from "./dialog.tsx";
import { UiProvider } from "./ui-provider.tsx";

afterEach(cleanup);

type Key = { id: string; name: string; calls: number };

const KEYS: Key[] = [
  { id: "key_1", name: "Production", calls: 120 },
  { id: "key_2", name: "Staging", calls: 7 },
  { id: "key_3", name: "Import", calls: 0 },
];

const COLUMNS: Column<Key>[] = [
  { id: "name", header: "Name", cell: (key) => key.name, sortKey: "name", phone: "title" },
  {
    id: "calls",
    header: "Calls",
    cell: (key) => key.calls,
    align: "end",
    sortKey: "calls",
    isDescendingFirst: true,
    isOptional: true,
  },
];

function Table(props: Partial<DataTableProps<Key>>) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return (
    <UiProvider>
      <DataTable
        label="API keys"
        columns={COLUMNS}
        rows={KEYS}
        getRowId={(key) => key.id}
        getRowName={(key) => key.name}
        empty={<p>No keys yet</p>}
        selection={{ ids, onChange: setIds, actions: <button type="button">Revoke keys</button> }}
        {...props}
      />
    </UiProvider>
  );
}

function Chosen() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  return (
    <UiProvider>
      <ColumnChoice columns={COLUMNS} hidden={hidden} onHiddenChange={setHidden} />
      <Table hiddenColumns={hidden} />
    </UiProvider>
  );
}

function Edited({ isOpen, rows }: { isOpen: boolean; rows: Key[] }) {
  return (
    <>
      <Table rows={rows} />
      <Dialog isOpen={isOpen} onClose={() => undefined} title="Edit">
        <button type="button">Save</button>
      </Dialog>
    </>
  );
}

function Pages() {
  const [page, setPage] = useState(2);
  const back = page === 1 ? undefined : () => setPage(1);
  return <CursorPagination summary={`Page ${String(page)}`} onPrevious={back} />;
}

function row(name: string): HTMLElement {
  return screen.getByRole("row", { name: new RegExp(name) });
}

describe("DataTable", () => {
  it("says by which column it is sorted, and asks for the other direction on the next press", async () => {
    const sort = vi.fn();
    const { rerender } = render(<Table sort="-calls" onSortChange={sort} />);
    expect(screen.getByRole("columnheader", { name: "Calls" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    expect(screen.getByRole("columnheader", { name: "Name" }).hasAttribute("aria-sort")).toBe(
      false,
    );
    await userEvent.click(screen.getByRole("button", { name: "Calls" }));
    expect(sort).toHaveBeenLastCalledWith("calls");
    await userEvent.click(screen.getByRole("button", { name: "Name" }));
    expect(sort).toHaveBeenLastCalledWith("name");
    rerender(<Table sort="name" onSortChange={sort} />);
    await userEvent.click(screen.getByRole("button", { name: "Calls" }));
    expect(sort).toHaveBeenLastCalledWith("-calls");
  });

  it("has one row in the tab order; arrows, Home and End move; Enter opens; Space chooses", async () => {
    const open = vi.fn();
    render(<Table onRowOpen={open} />);
    expect(
      screen.getAllByRole("row").filter((one) => one.tabIndex === 0 && one.closest("tbody")),
    ).toHaveLength(1);
    row("Production").focus();
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(row("Staging"));
    await userEvent.keyboard("{End}{ArrowDown}");
    expect(document.activeElement).toBe(row("Import"));
    await userEvent.keyboard("{Enter}");
    expect(open).toHaveBeenCalledWith(KEYS[2]);
    await userEvent.keyboard("{Home} ");
    screen.getByRole("checkbox", { name: "Select Production", checked: true });
    expect(open).toHaveBeenCalledOnce();
  });

  it("chooses a range by Shift with the arrows or a press, all by Control A, none by Escape", async () => {
    render(<Table />);
    const chosen = () => screen.getByRole("status").textContent;
    row("Production").focus();
    await userEvent.keyboard("{Shift>}{ArrowDown}{/Shift}");
    expect(document.activeElement).toBe(row("Staging"));
    expect(chosen()).toBe("2 selected");
    await userEvent.keyboard("{Escape}");
    expect(chosen()).toBe("");
    await userEvent.keyboard("{Control>}a{/Control}");
    expect(chosen()).toBe("3 selected");
    await userEvent.keyboard("{Escape}");
    const user = userEvent.setup();
    await user.click(screen.getByRole("checkbox", { name: "Select Production" }));
    await user.keyboard("{Shift>}");
    await user.click(screen.getByRole("checkbox", { name: "Select Import" }));
    expect(chosen()).toBe("3 selected");
  });

  it("opens a row by a press on it, not by one on what is inside", async () => {
    const open = vi.fn();
    const copy = vi.fn();
    render(
      <Table
        onRowOpen={open}
        getRowActions={(key) => (
          <button type="button" onClick={copy}>
            Copy {key.name}
          </button>
        )}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Copy Staging" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Select Staging" }));
    expect(copy).toHaveBeenCalledOnce();
    expect(open).not.toHaveBeenCalled();
    await userEvent.click(screen.getByText("Staging"));
    expect(open).toHaveBeenCalledWith(KEYS[1]);
  });

  it("counts what is chosen aloud, offers what can be done with it, and chooses all or none", async () => {
    render(<Table />);
    expect(screen.queryByRole("button", { name: "Revoke keys" })).toBe(null);
    await userEvent.click(screen.getByRole("checkbox", { name: "Select Import" }));
    const all = within(screen.getByRole("table")).getByRole("checkbox", {
      name: "Select all API keys",
    });
    expect(all.getAttribute("aria-checked")).toBe("mixed");
    expect(screen.getByRole("status").textContent).toBe("1 selected");
    await userEvent.click(all);
    expect(screen.getByRole("status").textContent).toBe("3 selected");
    screen.getByRole("button", { name: "Revoke keys" });
    await userEvent.click(screen.getByRole("button", { name: "Clear selection" }));
    expect(screen.queryByRole("checkbox", { checked: true })).toBe(null);
  });

  it("keeps its place in the tab order with a row when others come in above it", () => {
    const { rerender } = render(<Table />);
    row("Production").focus();
    rerender(<Table rows={[{ id: "key_4", name: "New", calls: 0 }, ...KEYS]} />);
    expect(row("Production").tabIndex).toBe(0);
    expect(row("New").tabIndex).toBe(-1);
  });

  it("gives the focus of a row that leaves to the one that takes its place, and to the list when there is none", () => {
    const { rerender } = render(<Table />);
    row("Staging").focus();
    rerender(<Table rows={KEYS.filter(({ id }) => id !== "key_2")} />);
    expect(document.activeElement).toBe(row("Import"));
    rerender(<Table rows={KEYS.slice(0, 1)} />);
    expect(document.activeElement).toBe(row("Production"));
    rerender(<Table rows={[]} />);
    expect(document.activeElement?.contains(screen.getByText("No keys yet"))).toBe(true);
    expect(document.activeElement).not.toBe(document.body);
  });

  it("takes the focus back when a dialog closes and its row is gone", async () => {
    const { rerender } = render(<Edited isOpen={false} rows={KEYS} />);
    row("Staging").focus();
    rerender(<Edited isOpen rows={KEYS} />);
    (await screen.findByRole("button", { name: "Save" })).focus();
    const rest = KEYS.filter(({ id }) => id !== "key_2");
    rerender(<Edited isOpen rows={rest} />);
    rerender(<Edited isOpen={false} rows={rest} />);
    await waitFor(() => expect(document.activeElement).toBe(row("Import")));
  });

  it("leaves the focus where the person took it", () => {
    const elsewhere = render(<input aria-label="Elsewhere" />);
    const { rerender } = render(<Table />);
    row("Staging").focus();
    screen.getByRole("textbox", { name: "Elsewhere" }).focus();
    elsewhere.unmount();
    rerender(<Table rows={KEYS.slice(0, 1)} />);
    expect(document.activeElement).toBe(document.body);
  });

  it("goes on at the rows after the choice is cleared", async () => {
    render(<Table />);
    row("Staging").focus();
    await userEvent.keyboard(" ");
    await userEvent.click(screen.getByRole("button", { name: "Clear selection" }));
    expect(document.activeElement).toBe(row("Staging"));
  });

  it("draws the shape of its rows while they load and says that it is busy", () => {
    const { container } = render(<Table rows={undefined} />);
    expect(container.querySelector("[aria-busy=true]")).not.toBe(null);
    expect(screen.getAllByRole("row").length).toBeGreaterThan(3);
    screen.getByRole("columnheader", { name: "Calls" });
  });

  it("shows why it is empty instead of headers without rows", () => {
    render(<Table rows={[]} footer="0 keys" />);
    screen.getByText("No keys yet");
    expect(screen.queryByRole("table")).toBe(null);
  });

  it("lets columns be put away, but not the one that names the row", async () => {
    render(<Chosen />);
    await userEvent.click(screen.getByRole("button", { name: "Columns" }));
    const menu = await screen.findByRole("menu");
    expect(within(menu).queryByText("Name")).toBe(null);
    await userEvent.click(within(menu).getByRole("menuitemcheckbox", { name: "Calls" }));
    expect(screen.queryByText("120")).toBe(null);
    await userEvent.click(within(menu).getByRole("menuitemcheckbox", { name: "Calls" }));
    screen.getByText("120");
  });
});

describe("toLeavingColumns", () => {
  const room = [
    ["name", 200],
    ["state", 300],
    ["calls", 150],
    ["made", 100],
  ] as const;
  const table = { room, hiddenColumns: undefined, hasSelection: true, hasActions: true };

  it("lets the least important columns leave first, and the first ones never", () => {
    expect([...toLeavingColumns(table)]).toEqual([
      ["state", 576],
      ["calls", 704],
      ["made", 832],
    ]);
  });

  it("gives the room of what was put away to the others", () => {
    const hiddenColumns = new Set(["state"]);
    expect([...toLeavingColumns({ ...table, hiddenColumns })]).toEqual([["made", 512]]);
  });
});

describe("CursorPagination", () => {
  it("keeps the focus of who went back to the first page", async () => {
    render(<Pages />);
    screen.getByRole("button", { name: "Previous" }).focus();
    await userEvent.keyboard("{Enter}");
    screen.getByText("Page 1");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Previous" }));
  });

  it("shows the top of its list when a page is turned", async () => {
    const scroll = vi.fn();
    render(<Table footer={<CursorPagination summary="Page 1" onNext={() => undefined} />} />);
    const list = screen.getByRole("table").closest<HTMLElement>("[data-list]");
    Object.assign(list ?? {}, {
      getBoundingClientRect: () => ({ top: -900 }),
      scrollIntoView: scroll,
    });
    await userEvent.click(screen.getByRole("button", { name: "Next" }));
    expect(scroll).toHaveBeenCalledOnce();
  });

  it("goes only where there is a page", async () => {
    const next = vi.fn();
    render(<CursorPagination summary="Page 1" onNext={next} />);
    const previous = screen.getByRole("button", { name: "Previous" });
    expect(previous.getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(previous);
    await userEvent.click(screen.getByRole("button", { name: "Next" }));
    expect(next).toHaveBeenCalledOnce();
  });

  it("hands other keys of a row on, but those pressed in its fields and with Control", async () => {
    const seen: string[] = [];
    render(
      <Table
        onRowKey={(row, key) => {
          seen.push(`${row.name} ${key}`);
          return key === "e";
        }}
      />,
    );
    screen.getByRole("row", { name: /Staging/ }).focus();
    await userEvent.keyboard("e{Control>}e{/Control}");
    screen.getByRole("checkbox", { name: "Select Staging" }).focus();
    await userEvent.keyboard("e");
    expect(seen.filter((one) => one.endsWith(" e"))).toEqual(["Staging e"]);
  });
});
