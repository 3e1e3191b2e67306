// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { ChangePlanHelp } from "./change-plan-help.tsx";

afterEach(cleanup);

describe("ChangePlanHelp", () => {
  it("links to the contact that the operator set", () => {
    render(<ChangePlanHelp brandName="Acme" contact="billing@acme.example" />);
    const link = screen.getByRole("link", { name: "contact Acme" });
    expect(link.getAttribute("href")).toBe("mailto:billing@acme.example");
  });

  it("says the same without a link when no contact is set", () => {
    const { container } = render(<ChangePlanHelp brandName="Acme" contact={null} />);
    expect(screen.queryByRole("link")).toBe(null);
    expect(container.textContent).toContain(
      "For another plan, or a question about a price, contact Acme. The limits",
    );
  });
});
