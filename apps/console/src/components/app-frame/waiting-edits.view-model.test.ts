import { expect, it } from "vitest";
import { listDeliveryNotices, toStripText } from "./waiting-edits.view-model.ts";

it("says what waits for the network, and nothing when all is well", () => {
  expect([
    toStripText(true, 0),
    toStripText(true, 1),
    toStripText(false, 0),
    toStripText(false, 2),
  ]).toEqual([
    undefined,
    "1 change waits to be sent.",
    "You are offline: what you see may be old.",
    "You are offline. 2 changes wait in this browser.",
  ]);
});

it("names what someone else changed too, and what was refused", () => {
  const edit = { tenantId: "ten_1", collection: "c", documentId: "d" } as never;
  const conflicts = [{ path: ["search", "range"], kept: "7d", dropped: "24h" }];
  const refused = [{ edit, cause: new Error("You may not change it.") }];
  expect(listDeliveryNotices({ sent: 1, waiting: 0, conflicts, refused })).toEqual([
    "Someone else changed the same meanwhile (search.range). The newer is kept.",
    "A change could not be saved: You may not change it.",
  ]);
  expect(listDeliveryNotices({ sent: 1, waiting: 0, conflicts: [], refused: [] })).toEqual([]);
});
