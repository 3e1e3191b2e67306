// @vitest-environment jsdom
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { NOW } from "#components/billing/billing-answers.fixture.ts";
import { problem } from "#platform/render-with-platform.tsx";
import { OF_TENANT, openBillings, stageBillings } from "../billings-page.fixture.tsx";
import { makeDetails } from "./billing-details.fixture.ts";

stageBillings();

describe("billing details", () => {
  it("are empty until they are given, and keep what is typed when the tax id is refused", async () => {
    const sent: unknown[] = [];
    let given = makeDetails();
    openBillings("/billings", {
      [`GET ${OF_TENANT}/billing/details`]: () => given,
      [`PUT ${OF_TENANT}/billing/details`]: async (request) => {
        const input = await request.json();
        sent.push(input);
        if (sent.length === 1) {
          return problem(400, "INVALID_REQUEST", "The request is invalid.", {
            errors: [{ pointer: "/taxId", message: "Its check digits are wrong." }],
          });
        }
        given = makeDetails({ ...input, taxIdStatus: "pending", updatedAt: NOW });
        return given;
      },
    });
    const card = within(await screen.findByRole("region", { name: "Billing details" }));
    await card.findByText(/without an address\./);
    await userEvent.click(card.getByRole("button", { name: "Add billing details…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Billing details" }));
    await userEvent.type(dialog.getByLabelText("Company"), "Exemple SARL");
    await userEvent.type(dialog.getByLabelText("Address"), "1 rue Haute\n\nBâtiment B");
    await userEvent.type(dialog.getByLabelText("Postal code"), "75001");
    await userEvent.type(dialog.getByLabelText("City"), "Paris");
    await userEvent.type(dialog.getByLabelText("Tax id"), "FR41303265045");
    await userEvent.click(dialog.getByRole("combobox", { name: "Country" }));
    await userEvent.type(await screen.findByLabelText("Search countries"), "Fran");
    await userEvent.click(await screen.findByRole("option", { name: "France" }));
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await dialog.findAllByText("Its check digits are wrong.");
    const taxId = dialog.getByLabelText("Tax id");
    await userEvent.clear(taxId);
    await userEvent.type(taxId, "FR40303265045");
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await card.findByText("Being checked");
    card.getByText(/Exemple SARL\s1 rue Haute\sBâtiment B\s75001 Paris\sFrance/);
    expect(sent[1]).toEqual({
      companyName: "Exemple SARL",
      addressLines: ["1 rue Haute", "Bâtiment B"],
      postalCode: "75001",
      city: "Paris",
      region: null,
      country: "FR",
      email: null,
      taxId: "FR40303265045",
      language: null,
    });
  });

  it("are read by everyone, and changed by those who pay", async () => {
    openBillings(
      "/billings",
      {
        [`GET ${OF_TENANT}/billing/details`]: () =>
          makeDetails({ companyName: "Birch Ltd", taxId: "GB123", taxIdStatus: "invalid" }),
      },
      "viewer",
    );
    const card = within(await screen.findByRole("region", { name: "Billing details" }));
    await card.findByText("Birch Ltd");
    card.getByText("Refused");
    card.getByText(/cannot change the billing details: ask an owner/);
    expect(card.queryByRole("button")).toBeNull();
  });
});
