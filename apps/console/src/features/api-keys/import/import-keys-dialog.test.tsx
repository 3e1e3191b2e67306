// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { AT, openPage, stagePages } from "../api-keys-page.fixture.tsx";

stagePages();

describe("importing keys", () => {
  type Sent = { dryRun: boolean; rows: { name: string }[] };

  it("checks every row, shows the errors, continues after a failure and imports the rest", async () => {
    const sent: Sent[] = [];
    let failures = 1;
    const { user, address } = openPage({
      search: { dialog: "import" },
      answers: {
        [`POST ${AT}/keys/import`]: async (request) => {
          const body = (await request.json()) as Sent;
          if (!body.dryRun && failures-- > 0) {
            return problem(503, "UNAVAILABLE", "Try again later.");
          }
          sent.push(body);
          const items = body.rows.map(({ name }) => ({
            status: name === "bad" ? "refused" : "imported",
            keyId: null,
            errors: name === "bad" ? [{ pointer: "/name", message: "Not this name." }] : [],
          }));
          const refused = items.filter(({ status }) => status === "refused").length;
          const imported = items.length - refused;
          return { dryRun: body.dryRun, imported, existing: 0, refused, items };
        },
      },
    });
    const dialog = await screen.findByRole("dialog", { name: "Import keys" });
    const choose = within(dialog).getByLabelText(/Choose a CSV or JSON file/);
    await user.upload(choose, new File(["nothing"], "wrong.csv", { type: "text/csv" }));
    await within(dialog).findByText(/^The first line must name the columns/);
    const file = "hash,name\na,good\nb,bad\nc\nd,fine\n";
    await user.upload(
      within(dialog).getByLabelText(/Choose a CSV or JSON file/),
      new File([file], "keys.csv", { type: "text/csv" }),
    );
    await within(dialog).findByText("4 of 4 rows checked; nothing is imported yet.");
    const refused = within(dialog).getByRole("region", { name: "Refused rows" });
    expect(
      within(refused)
        .getAllByRole("row")
        .map((line) => line.textContent),
    ).toEqual([
      "WhereFieldProblem",
      "Line 3nameNot this name.",
      "Line 4–1 cells where the first line names 2 columns.",
    ]);
    await user.click(within(dialog).getByRole("button", { name: "Import 2 keys" }));
    await within(dialog).findByText("Try again later.");
    await user.click(within(dialog).getByRole("button", { name: "Continue from row 2" }));
    await within(dialog).findByText("4 of 4 rows processed.");
    expect(sent.map(({ dryRun, rows }) => [dryRun, rows.map(({ name }) => name)])).toEqual([
      [true, ["good", "bad", "fine"]],
      [false, ["good", "bad", "fine"]],
    ]);
    await user.click(within(dialog).getByRole("button", { name: "Done" }));
    expect(address()).toEqual({});
  });
});

describe("a running import", () => {
  type Answer = (response: object) => void;

  /** Starts importing a file of three requests; each request waits for its answer. */
  async function startImport() {
    const answers: Answer[] = [];
    const rows = Array.from({ length: 2_500 }, (_, n) => `${String(n)},k${String(n)}`);
    const stage = openPage({
      search: { dialog: "import" },
      answers: {
        [`POST ${AT}/keys/import`]: async (request) => {
          const body = (await request.json()) as { dryRun: boolean; rows: unknown[] };
          const items = body.rows.map(() => ({ status: "imported", keyId: null, errors: [] }));
          const answer = { imported: items.length, existing: 0, refused: 0, items, ...body };
          return body.dryRun
            ? answer
            : await new Promise<object>((resolve) => answers.push(() => resolve(answer)));
        },
      },
    });
    const dialog = await screen.findByRole("dialog", { name: "Import keys" });
    await stage.user.upload(
      within(dialog).getByLabelText(/Choose a CSV or JSON file/),
      new File([["hash,name", ...rows].join("\n")], "keys.csv", { type: "text/csv" }),
    );
    await stage.user.click(await within(dialog).findByRole("button", { name: /^Import 2,500/ }));
    await waitFor(() => expect(answers).toHaveLength(1));
    return { ...stage, dialog, answers };
  }

  it("stays visible when Back takes its dialog out of the address", async () => {
    const { dialog, answers, back } = await startImport();
    act(() => back({}));
    await act(async () => answers[0]?.({}));
    await waitFor(() => expect(answers).toHaveLength(2));
    expect(dialog.isConnected).toBe(true);
    within(dialog).getByText("1,000 of 2,500 rows");
  });

  it("stops without an error, with the focus on Continue", async () => {
    const { user, dialog, answers } = await startImport();
    const stop = within(dialog).getByRole("button", { name: "Stop" });
    expect(document.activeElement).toBe(stop);
    await user.keyboard("{Enter}");
    await act(async () => answers[0]?.({}));
    await within(dialog).findByText("The import was stopped. Imported rows stay imported.");
    expect(within(dialog).queryByRole("alert")).toBe(null);
    expect(document.activeElement?.textContent).toBe("Continue from row 1,001");
  });

  it("ends when its page is left, and reports its progress", async () => {
    const { answers, leave } = await startImport();
    act(() => leave());
    await act(async () => answers[0]?.({}));
    await screen.findByText(/keys\.csv stopped when you left: 1,000 of 2,500 rows were processed/);
    expect(answers).toHaveLength(1);
  });
});
