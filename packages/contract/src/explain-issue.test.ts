import { describe, expect, it } from "vitest";
import { z } from "zod";
import { instant } from "./shapes.ts";

describe("the message about a wrong value", () => {
  it.each<[unknown, z.ZodType, string]>([
    [1.5, z.int(), "A whole number."],
    [1.5, z.number().int(), "A whole number."],
    ["many", z.coerce.number(), "A number."],
    [7, z.string(), "A text."],
    ["x", z.boolean(), "true or false."],
    [{}, z.array(z.string()), "A list."],
    [[], z.strictObject({}), "An object."],
    [undefined, z.string(), "Required."],
    ["prod", z.enum(["live", "test"]), "One of live, test."],
    ["next", z.literal("previous"), "Only previous."],
    ["tomorrow", instant, "An instant such as 2027-01-31T00:00:00Z."],
    ["soon", z.iso.date(), "A day such as 2027-01-31."],
    ["ada", z.email(), "An e-mail address."],
    ["example", z.url(), "An address such as https://example.com."],
    [0, z.int().min(1), "At least 1."],
    [2_000_000, z.int().max(1_000_000), "At most 1,000,000."],
    [0, z.number().positive(), "More than 0."],
    ["", z.string().min(1), "Must not be empty."],
    ["abc", z.string().max(2), "At most 2 characters."],
    ["abc", z.string().length(2), "Exactly 2 characters."],
    [[], z.array(z.int()).min(1), "At least one."],
    [[1, 2], z.array(z.int()).max(1), "At most 1 entry."],
    [7, z.number().multipleOf(5), "A multiple of 5."],
    [{ nmae: "x" }, z.strictObject({}), "Unknown: nmae."],
    [
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${String(index)}`, 1])),
      z.strictObject({}),
      `Unknown: ${Array.from({ length: 20 }, (_, index) => `x${String(index)}`).join(", ")} and 10 more.`,
    ],
    [
      { nmae: "x", name: "" },
      z.strictObject({ name: z.string() }),
      "Unknown: nmae. Did you mean name?",
    ],
    [
      { nmae: "x", zzz: 1, ulr: 1 },
      z.strictObject({ name: z.string().optional(), url: z.string().optional() }),
      "Unknown: nmae, zzz, ulr. Did you mean name instead of nmae? Did you mean url instead of ulr?",
    ],
    ["lvie", z.enum(["live", "test"]), "One of live, test. Did you mean live?"],
  ])("of %j is plain English", (input, schema, words) => {
    expect(schema.safeParse(input).error?.issues.map(({ message }) => message)).toEqual([words]);
  });

  it("keeps the message of a schema that has one", () => {
    const schema = z.string().max(1, "One letter.");
    expect(schema.safeParse("ab").error?.issues[0]?.message).toBe("One letter.");
  });
});
