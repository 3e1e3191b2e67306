import { describe, expect, it } from "vitest";
import { listErrors } from "./draft-errors.ts";

describe("the summary of what is wrong", () => {
  it("names the field of each sentence as the form does", () => {
    expect(
      listErrors({
        "/name": "Must not be empty.",
        "/rateLimits/1/windowSeconds": "How long?",
        "/quotas/0": "There is a quota of it already.",
        "/quotas/0/limit": "How many units?",
        "/metadata/": "Every value needs a name.",
        "/metadata/a~1b": "At most 500 characters.",
        "/allowedNetworks/3": "Not a network.",
        "": "The request is too large.",
      }),
    ).toEqual([
      "Name: Must not be empty.",
      "Rate limit 2, window: How long?",
      "Quota 1: There is a quota of it already.",
      "Quota 1, units: How many units?",
      "Metadata: Every value needs a name.",
      "Metadata a/b: At most 500 characters.",
      "Networks: Not a network.",
      "The request is too large.",
    ]);
  });
});
