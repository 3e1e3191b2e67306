import { describe, expect, it } from "vitest";
import { toSentResult } from "./to-sent-result.ts";

describe("what a language model is sent of a result", () => {
  it("has figures and names, and neither people nor secrets, wherever they are", () => {
    const result = {
      tenantId: "ten_1",
      customer: { name: "Ada", email: "ada@example.com" },
      rows: [
        {
          group: { route: "/v1/users/bob@example.co.uk/x", key: "sk_live_abcdefgh12345678" },
          values: { requests: 42, cost: "49.90", none: null },
        },
      ],
      names: { "eve@mail.example": "for <eve@mail.example>, tp_test_ABCDEFGH_12" },
      evidence: { points: [1, 2, 3], actual: 7 },
    };
    expect(toSentResult(result)).toEqual({
      rows: [
        {
          group: { route: "/v1/users/[e-mail address]/x", key: "[key]" },
          values: { requests: 42, cost: "49.90", none: null },
        },
      ],
      names: { "[e-mail address]": "for <[e-mail address]>, [key]" },
      evidence: { actual: 7 },
    });
  });
});
