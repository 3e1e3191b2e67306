// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { afterEach, describe, expect, it, vi } from "vitest";
import { renderWithPlatform } from "#platform/render-with-platform.tsx";
import { stubWindow } from "../open-tenants.fixture.tsx";
import { CreateServiceKeyDialog } from "./create-service-key-dialog.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("the form of a service key", () => {
  it("shows every scope by the name used in programs and commands", async () => {
    stubWindow();
    renderWithPlatform(<CreateServiceKeyDialog isOpen onClose={() => undefined} />, {});
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getAllByRole("checkbox")).toHaveLength(SCOPES.length);
    for (const scope of SCOPES) {
      expect(within(dialog).getByText(scope).tagName).toBe("CODE");
    }
  });
});
