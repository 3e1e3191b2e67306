// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { RequestError } from "#platform/error-message.ts";
import { FailureNotice } from "./failure-notice.tsx";

const failure = (code: string, consoleUrl: string) =>
  new RequestError("This tenant lives in another cell.", {
    data: { body: { code, consoleUrl } },
  });

afterEach(cleanup);

describe("FailureNotice", () => {
  it("leads to the console of the cell where a tenant lives that is not here", () => {
    const cause = failure("TENANT_ELSEWHERE", "https://us.example.com");
    render(<FailureNotice what="The keys could not be loaded." cause={cause} />);
    screen.getByText("This tenant lives in another cell.");
    const link = screen.getByRole("link", { name: "Open the console of its cell" });
    expect(link.getAttribute("href")).toBe("https://us.example.com");
  });

  it.each([
    ["another failure", failure("CONFLICT", "https://us.example.com")],
    ["no address of the web", failure("TENANT_ELSEWHERE", "javascript:alert(1)")],
  ])("leads nowhere for %s", (_why, cause) => {
    render(<FailureNotice what="The keys could not be loaded." cause={cause} />);
    expect(screen.queryByRole("link")).toBeNull();
  });
});
