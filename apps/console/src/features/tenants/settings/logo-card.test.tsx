// @vitest-environment jsdom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { ACME, makeVerified, NOTHING, openTenants, stubWindow } from "../open-tenants.fixture.tsx";

const LOGO = "ab".repeat(32);

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

/** Opens the settings as someone whose tenant has this logo. */
function open(logoId: string | null, answers: Parameters<typeof openTenants>[0] = {}) {
  const verified = makeVerified();
  const [acme, ...others] = verified.tenants;
  const tenants = acme === undefined ? others : [{ ...acme, logoId }, ...others];
  openTenants({ search: "?tab=settings", verified: { ...verified, tenants }, ...answers });
}

const choose = async (file: File) =>
  userEvent.upload(await screen.findByLabelText(/^Choose a picture/), file);

it("shows a picture before it is saved, and says why one is refused", async () => {
  const sent: string[] = [];
  open(null, {
    answers: {
      [`GET /tenants/${ACME}/members`]: () => NOTHING,
      [`PUT /tenants/${ACME}/logo`]: (request) => {
        sent.push(new URL(request.url).search);
        return problem(
          415,
          "UNSUPPORTED_MEDIA_TYPE",
          "The picture is damaged: nothing can be drawn of it.",
        );
      },
    },
  });
  await choose(new File([new Uint8Array(5 * 1024 * 1024 + 1)], "large.png"));
  expect(await screen.findByText(/larger than 5 MB/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Save logo" })).toBeNull();

  await choose(new File(["png"], "logo.png", { type: "image/png" }));
  const preview = await screen.findByRole("img", { name: "Preview of the logo" });
  expect(preview.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
  await userEvent.click(screen.getByRole("radio", { name: "Crop to square" }));
  await userEvent.click(screen.getByRole("button", { name: "Save logo" }));
  await waitFor(() => expect(sent).toEqual(["?fit=cover"]));
  expect(await screen.findByText(/The picture is damaged/)).toBeDefined();
  // It can be sent again, or another one be chosen.
  expect(screen.getByRole("button", { name: "Save logo" })).toBeDefined();
});

it("shows the logo of the tenant, and removes it", async () => {
  let isRemoved = false;
  open(LOGO, {
    answers: {
      [`GET /tenants/${ACME}/members`]: () => NOTHING,
      [`DELETE /tenants/${ACME}/logo`]: () => {
        isRemoved = true;
        return new Response(null, { status: 204 });
      },
      "POST /auth/verify": () => makeVerified(),
    },
  });
  const remove = await screen.findByRole("button", { name: "Remove logo" });
  const sources = () =>
    [...document.querySelectorAll("img")].map(({ src }) => new URL(src).pathname);
  expect(sources()).toEqual([`/v1/logos/${LOGO}/128.webp`]);
  await userEvent.click(remove);
  await waitFor(() => expect(isRemoved).toBe(true));
  await waitFor(() => expect(sources()).toEqual([]));
  expect(screen.queryByRole("button", { name: "Remove logo" })).toBeNull();
});
