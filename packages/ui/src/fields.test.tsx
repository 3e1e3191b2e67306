// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FormErrors } from "./form-errors.tsx";
import { NumberField } from "./number-field.tsx";
import { SearchField } from "./search-field.tsx";
import { SelectField } from "./select.tsx";
import { TextArea } from "./text-area.tsx";
import { TextField } from "./text-field.tsx";

afterEach(cleanup);

function Limit({ onChange }: { onChange: (value: number | null) => void }) {
  const [value, setValue] = useState<number | null>(9_999);
  return (
    <NumberField
      label="Limit"
      unit="per minute"
      min={1}
      max={10_000}
      value={value}
      onValueChange={(next) => {
        onChange(next);
        setValue(next);
      }}
    />
  );
}

function Search() {
  const [value, setValue] = useState("prod");
  return <SearchField label="Search keys" value={value} onValueChange={setValue} />;
}

const frame = { help: "Shown to members.", error: "Already taken." };

describe.each([
  ["TextField", <TextField key="t" label="Name" {...frame} />],
  ["TextArea", <TextArea key="a" label="Name" {...frame} />],
  [
    "NumberField",
    <NumberField key="n" label="Name" value={1} onValueChange={vi.fn()} {...frame} />,
  ],
  [
    "SelectField",
    <SelectField
      key="s"
      label="Name"
      value={null}
      choices={[]}
      onValueChange={vi.fn()}
      {...frame}
    />,
  ],
])("%s", (_, field) => {
  it("is found by its label, described by its help and error, and said to be wrong", () => {
    render(field);
    const control = screen.getByLabelText("Name");
    const described = (control.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent);
    expect(described).toContain("Shown to members.");
    expect(described).toContain("Already taken.");
    expect(control.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("Already taken.").getAttribute("role")).toBe("alert");
  });
});

describe("NumberField", () => {
  it("steps by arrows, stays within its bounds, and is empty when emptied", async () => {
    const change = vi.fn();
    render(<Limit onChange={change} />);
    const field = screen.getByLabelText("Limit");
    expect(field).toHaveProperty("value", "9,999");
    await userEvent.click(field);
    await userEvent.keyboard("{ArrowUp}{ArrowUp}");
    expect(change).toHaveBeenLastCalledWith(10_000);
    await userEvent.clear(field);
    await userEvent.tab();
    expect(change).toHaveBeenLastCalledWith(null);
  });
});

describe("NumberField, typed into", () => {
  it.each([
    ["-12.7", -12.7, "-12.7"],
    ["0", 0, "0"],
    ["99999999999", 99_999_999_999, "99,999,999,999"],
    ["1.23456", 1.23456, "1.23456"],
  ])("keeps %s, for the form to say what is wrong with it", async (typed, value, shown) => {
    const change = vi.fn();
    render(<Limit onChange={change} />);
    const field = screen.getByLabelText("Limit");
    await userEvent.clear(field);
    await userEvent.type(field, typed);
    await userEvent.tab();
    expect(field).toHaveProperty("value", shown);
    expect(change).toHaveBeenLastCalledWith(value);
  });

  it("comes back within its bounds by a step", async () => {
    const change = vi.fn();
    render(<Limit onChange={change} />);
    const field = screen.getByLabelText("Limit");
    await userEvent.clear(field);
    await userEvent.type(field, "99999999999{ArrowDown}");
    expect(change).toHaveBeenLastCalledWith(10_000);
  });
});

describe("SearchField", () => {
  it("is emptied by Escape and by its cross, and keeps the focus", async () => {
    render(<Search />);
    const field = screen.getByLabelText("Search keys");
    await userEvent.click(field);
    await userEvent.keyboard("{Escape}");
    expect(field).toHaveProperty("value", "");
    await userEvent.type(field, "test");
    await userEvent.click(screen.getByRole("button", { name: "Clear search" }));
    expect(field).toHaveProperty("value", "");
    expect(document.activeElement).toBe(field);
  });
});

describe("FormErrors", () => {
  it("is there before anything is wrong, so that what comes is read out", () => {
    const { rerender } = render(<FormErrors title={undefined} errors={[]} />);
    const alert = screen.getByRole("alert");
    expect(alert.childNodes).toHaveLength(0);
    rerender(<FormErrors title="The key was not created." errors={["Name: too long."]} />);
    expect(screen.getByRole("alert")).toBe(alert);
    expect(alert.textContent).toContain("Name: too long.");
  });
});
