// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { PlanChangeNote } from "./plan-change-note.tsx";

afterEach(cleanup);

describe("PlanChangeNote", () => {
  it("leads to whom the operator named", () => {
    render(<PlanChangeNote brandName="Acme" contact="billing@acme.example" />);
    const link = screen.getByRole("link", { name: "contact Acme" });
    expect(link.getAttribute("href")).toBe("mailto:billing@acme.example");
  });

  it("says the same without a link when nobody is named", () => {
    const { container } = render(<PlanChangeNote brandName="Acme" contact={null} />);
    expect(screen.queryByRole("link")).toBe(null);
    expect(container.textContent).toContain("To change plans, contact Acme. A change");
  });
});
