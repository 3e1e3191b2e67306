// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { ErrorFallback } from "./error-fallback.tsx";

afterEach(cleanup);

describe("ErrorFallback", () => {
  it("says that something went wrong and shows the message on demand", async () => {
    render(<ErrorFallback error={new Error("The chart has no axis")} />);
    screen.getByText("Something went wrong!");
    expect(screen.queryByText("The chart has no axis")).toBeNull();

    await userEvent.click(screen.getByRole("button", { name: "Show Error" }));
    screen.getByText("The chart has no axis");

    await userEvent.click(screen.getByRole("button", { name: "Hide Error" }));
    expect(screen.queryByText("The chart has no axis")).toBeNull();
    screen.getByRole("button", { name: "Show Error" });
  });
});
