import { exportQuestion } from "@turnpike/contract/exports";
import { describe, expect, it } from "vitest";
import type { TenantId } from "../analytics.queries.ts";
import { toAnalyticsView } from "../analytics-search.view-model.ts";
import { EXPORT_SUBJECTS, toExportQuestion } from "./export-question.view-model.ts";

describe("toExportQuestion", () => {
  it.each(EXPORT_SUBJECTS.map(({ value }) => value))(
    "asks the API a valid question about the current view: %s",
    (subject) => {
      const view = toAnalyticsView({ range: "7d", status: 404, route: "/a\\,b,/c" });
      const question = toExportQuestion(
        subject,
        { tenantId: "ten_1" as TenantId, view, grain: "hour", timeZone: "Europe/Berlin" },
        Date.UTC(2026, 10, 21),
      );
      expect(exportQuestion.parse(question)).toMatchObject({
        status: [404],
        route: ["/a,b", "/c"],
        timeZone: "Europe/Berlin",
        from: "2026-11-14T00:00:00.000Z",
      });
      expect(question).not.toHaveProperty("tenantId");
    },
  );
});
