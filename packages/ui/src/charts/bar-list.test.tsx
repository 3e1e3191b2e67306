// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BarList } from "./bar-list.tsx";
import { Sparkline } from "./sparkline.tsx";

afterEach(cleanup);

const LIST = {
  label: "Top routes",
  nameHeading: "Route",
  valueHeading: "Requests",
  items: [
    { key: "/a", label: "/a", value: 30 },
    { key: "/b", label: "/b", value: 10 },
  ],
  total: 40,
  formatValue: String,
  formatShare: (share: number) => `${String(share * 100)}%`,
};

describe("BarList", () => {
  it("is a table with name, value and share", () => {
    render(<BarList {...LIST} />);
    const table = screen.getByRole("table", { name: "Top routes" });
    const rows = within(table).getAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual([
      "RouteRequestsShare",
      "/a3075%",
      "/b1025%",
    ]);
    expect(screen.queryByRole("button")).toBe(null);
  });

  it("is pressed where the view is narrowed already, and reports a press", async () => {
    const onSelect = vi.fn();
    render(<BarList {...LIST} onSelect={onSelect} selectedKeys={["/b"]} />);
    expect(screen.getByRole("button", { name: "/b" }).getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: "/a" }));
    expect(onSelect).toHaveBeenCalledExactlyOnceWith("/a");
  });
});

describe("Sparkline", () => {
  it.each([
    ["nothing", []],
    ["one value", [3]],
    ["only zeros", [0, 0, 0]],
    ["gaps", [1, null, 2]],
  ])("is one named picture for %s, without a number that is none", (_, values) => {
    render(<Sparkline label="Requests, last 14 days" values={values} />);
    const picture = screen.getByRole("img", { name: "Requests, last 14 days" });
    expect(picture.innerHTML).not.toContain("NaN");
  });
});
