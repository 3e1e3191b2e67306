// @vitest-environment jsdom
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Checkbox } from "./checkbox.tsx";
import { CodeTabs } from "./code-tabs.tsx";
import { Combobox } from "./combobox.tsx";
import { FacetFilter } from "./facet-filter.tsx";
import { SegmentedControl } from "./segmented-control.tsx";
import { Select } from "./select.tsx";
import { Switch } from "./switch.tsx";
import { Tabs } from "./tabs.tsx";
import { UiProvider } from "./ui-provider.tsx";

afterEach(cleanup);

const TENANTS = [
  { value: "acme", label: "Acme" },
  { value: "birch", label: "Birch", note: "Member" },
  { value: "cedar", label: "Cedar" },
] as const;

type TenantName = (typeof TENANTS)[number]["value"];

function Stateful<Value>(props: {
  initial: Value;
  children: (value: Value, set: (value: Value) => void) => ReactNode;
}) {
  const [value, setValue] = useState(props.initial);
  return <UiProvider>{props.children(value, setValue)}</UiProvider>;
}

describe("Select", () => {
  it("opens by key, chooses by arrow and Enter, and shows what was chosen", async () => {
    render(
      <Stateful<TenantName | null> initial={null}>
        {(value, set) => (
          <Select label="Tenant" choices={TENANTS} value={value} onValueChange={set} />
        )}
      </Stateful>,
    );
    const trigger = screen.getByRole("combobox", { name: "Tenant" });
    trigger.focus();
    await userEvent.keyboard("{ArrowDown}");
    const list = await screen.findByRole("listbox");
    await waitFor(() => expect(list.contains(document.activeElement)).toBe(true));
    await userEvent.keyboard("{End}{Enter}");
    await waitFor(() => expect(trigger.textContent).toContain("Cedar"));
    await waitFor(() => expect(document.activeElement).toBe(trigger));
  });
});

describe("Combobox", () => {
  it("finds by typing, in the second line too, and chooses with Enter", async () => {
    const choose = vi.fn();
    render(
      <UiProvider>
        <Combobox label="Tenant" choices={TENANTS} value="acme" onValueChange={choose} />
      </UiProvider>,
    );
    await userEvent.click(screen.getByRole("combobox", { name: "Tenant" }));
    const search = await screen.findByRole("combobox", { name: "Search…" });
    await userEvent.type(search, "member");
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
    await userEvent.keyboard("{Enter}");
    expect(choose).toHaveBeenCalledWith("birch");
  });

  it("says that nothing was found", async () => {
    render(
      <UiProvider>
        <Combobox label="Tenant" choices={TENANTS} value={null} onValueChange={vi.fn()} />
      </UiProvider>,
    );
    await userEvent.click(screen.getByRole("combobox", { name: "Tenant" }));
    await userEvent.type(await screen.findByRole("combobox", { name: "Search…" }), "zzz");
    await screen.findByText("Nothing found.");
  });
});

describe("FacetFilter", () => {
  it("chooses several and says which; the list stays open; all can be cleared", async () => {
    render(
      <Stateful<TenantName[]> initial={[]}>
        {(value, set) => (
          <FacetFilter label="Tenant" choices={TENANTS} value={value} onValueChange={set} />
        )}
      </Stateful>,
    );
    await userEvent.click(screen.getByRole("combobox", { name: "Filter by Tenant" }));
    await userEvent.click(await screen.findByRole("option", { name: /Acme/ }));
    await userEvent.click(screen.getByRole("option", { name: /Cedar/ }));
    expect(screen.getByRole("option", { name: /Cedar/ }).getAttribute("aria-selected")).toBe(
      "true",
    );
    expect(document.querySelector("[aria-label='Filter by Tenant: Acme, Cedar']")).not.toBe(null);
    await userEvent.click(screen.getByRole("button", { name: "Clear filter" }));
    expect(document.querySelector("[aria-label='Filter by Tenant']")).not.toBe(null);
  });

  it("shows a value of a shared address that the list does not know", () => {
    render(
      <UiProvider>
        <FacetFilter<string>
          label="Tenant"
          choices={TENANTS}
          value={["gone"]}
          onValueChange={vi.fn()}
        />
      </UiProvider>,
    );
    screen.getByRole("combobox", { name: "Filter by Tenant: gone" });
  });
});

describe("Tabs", () => {
  it("moves by arrows and opens by Enter, so that passing by loads nothing", async () => {
    const open = vi.fn();
    render(
      <UiProvider>
        <Tabs
          label="Key"
          value="usage"
          onValueChange={open}
          tabs={[
            { value: "usage", label: "Usage", content: "120 calls" },
            { value: "audit", label: "Audit", count: 3, content: "Created" },
          ]}
        />
      </UiProvider>,
    );
    const usage = screen.getByRole("tab", { name: "Usage" });
    expect(usage.getAttribute("aria-selected")).toBe("true");
    expect(screen.getByRole("tabpanel").textContent).toBe("120 calls");
    await userEvent.click(usage);
    await userEvent.keyboard("{ArrowRight}");
    expect(open).not.toHaveBeenCalled();
    await userEvent.keyboard("{Enter}");
    expect(open).toHaveBeenCalledWith("audit");
  });
});

describe("CodeTabs", () => {
  it("shows the first language where the remembered one is missing, and copies what it shows", async () => {
    const user = userEvent.setup();
    render(
      <UiProvider>
        <CodeTabs
          subject="First call"
          value="cobol"
          onValueChange={vi.fn()}
          snippets={[
            { id: "curl", language: "curl", code: "curl https://gateway.example.com" },
            { id: "python", language: "Python", code: "import httpx" },
          ]}
        />
      </UiProvider>,
    );
    await user.click(screen.getByRole("button", { name: "Copy First call, curl" }));
    expect(await navigator.clipboard.readText()).toBe("curl https://gateway.example.com");
    await within(screen.getByRole("tabpanel")).findAllByText("Copied");
  });
});

describe("SegmentedControl", () => {
  it("is a group of radio buttons that arrows choose from", async () => {
    render(
      <Stateful<"light" | "dark"> initial="light">
        {(value, set) => (
          <SegmentedControl
            label="Theme"
            value={value}
            onValueChange={set}
            segments={[
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
            ]}
          />
        )}
      </Stateful>,
    );
    screen.getByRole("radiogroup", { name: "Theme" });
    await userEvent.tab();
    expect(document.activeElement).toBe(screen.getByRole("radio", { name: "Light" }));
    await userEvent.keyboard("{ArrowRight}");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Dark" }).checked).toBe(true);
  });
});

describe("Checkbox and Switch", () => {
  it("are pressed by their words, by Space, and say that only some are chosen", async () => {
    const check = vi.fn();
    const turn = vi.fn();
    render(
      <UiProvider>
        <Checkbox label="All keys" isChecked={false} isMixed onCheckedChange={check} />
        <Switch label="Alerts" help="By mail." isOn={false} onChange={turn} />
      </UiProvider>,
    );
    const box = screen.getByRole("checkbox", { name: "All keys" });
    expect(box.getAttribute("aria-checked")).toBe("mixed");
    await userEvent.click(screen.getByText("All keys"));
    expect(check).toHaveBeenCalledWith(true);
    screen.getByRole("switch", { name: /Alerts/ }).focus();
    await userEvent.keyboard(" ");
    expect(turn).toHaveBeenCalledWith(true);
  });
});
