import { describe, expect, it } from "vitest";
import { toActivitySubject, toActivityTitle } from "./activity.view-model.ts";

describe("toActivityTitle", () => {
  it("writes what is known as people say it and the rest as its words", () => {
    expect(toActivityTitle("key.rolled")).toBe("Key rolled");
    expect(toActivityTitle("webhook.endpoint_disabled")).toBe("Webhook endpoint disabled");
  });
});

describe("toActivitySubject", () => {
  it("takes a name, or what a name became", () => {
    expect(toActivitySubject({ name: "Worker" })).toBe("Worker");
    expect(toActivitySubject({ name: ["Old", "New"] })).toBe("New");
    expect(toActivitySubject({ email: "ada@example.com" })).toBe("ada@example.com");
    expect(toActivitySubject({ role: [null, "viewer"] })).toBeUndefined();
  });
});
