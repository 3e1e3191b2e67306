import { describe, expect, it } from "vitest";
import { listErrors } from "./draft-errors.ts";

describe("the error summary", () => {
  it("uses the field names of the form", () => {
    expect(
      listErrors({
        "/name": "Must not be empty.",
        "/rateLimits/1/windowSeconds": "Enter the length of the window.",
        "/quotas/0": "This meter already has a quota.",
        "/quotas/0/limit": "Enter the number of units.",
        "/metadata/": "Every value needs a name.",
        "/metadata/a~1b": "At most 500 characters.",
        "/allowedNetworks/3": "Not a network.",
        "": "The request is too large.",
      }),
    ).toEqual([
      "Name: Must not be empty.",
      "Rate limit 2, window: Enter the length of the window.",
      "Quota 1: This meter already has a quota.",
      "Quota 1, units: Enter the number of units.",
      "Metadata: Every value needs a name.",
      "Metadata a/b: At most 500 characters.",
      "Networks: Not a network.",
      "The request is too large.",
    ]);
  });
});
