// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RadioList } from "./radio-list.tsx";

afterEach(cleanup);

const CHOICES = [
  { value: "none", label: "Not at all", note: "Refused at once." },
  { value: "hour", label: "1 hour" },
  { value: "week", label: "7 days", isDisabled: true },
] as const;

function Grace({ error }: { error?: string }) {
  const [value, setValue] = useState<(typeof CHOICES)[number]["value"]>("none");
  return (
    <RadioList
      label="Grace period"
      choices={CHOICES}
      value={value}
      error={error}
      onValueChange={setValue}
    />
  );
}

describe("RadioList", () => {
  it("is one group in which each choice says what it means", () => {
    render(<Grace />);
    screen.getByRole("radiogroup", { name: "Grace period" });
    screen.getByRole("radio", { name: /^Not at all\s*Refused at once\.$/, checked: true });
    expect(screen.getByRole("radio", { name: "7 days" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
  });

  it("chooses by arrow, and by a press on the words", async () => {
    render(<Grace />);
    await userEvent.tab();
    await userEvent.keyboard("{ArrowDown}");
    screen.getByRole("radio", { name: "1 hour", checked: true });
    await userEvent.click(screen.getByText("Refused at once."));
    screen.getByRole("radio", { name: /Not at all/, checked: true });
  });

  it("sends its form by Enter, as long as that has a button which sends", async () => {
    const submit = vi.fn((event: React.SubmitEvent) => event.preventDefault());
    const renderForm = (isDisabled: boolean) => (
      <form onSubmit={submit}>
        <Grace />
        <button type="submit" disabled={isDisabled}>
          Roll
        </button>
      </form>
    );
    const { rerender } = render(renderForm(false));
    await userEvent.tab();
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledOnce();
    rerender(renderForm(true));
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledOnce();
  });

  it("says what is wrong with the choice", () => {
    render(<Grace error="One of 0, 3600." />);
    expect(screen.getByRole("alert").textContent).toBe("One of 0, 3600.");
  });
});
