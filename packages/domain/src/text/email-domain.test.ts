import { describe, expect, it } from "vitest";
import { emailDomainOf, isEmailDomain } from "./email-domain.ts";

describe("the domain of an e-mail address", () => {
  it.each(["example.com", "a.b.c.example.co", "xn--bcher-kva.example", "1and1.com"])(
    "%s is one",
    (text) => expect(isEmailDomain(text)).toBe(true),
  );

  it.each([
    "com",
    "Example.com",
    "-a.com",
    "a-.com",
    "a..com",
    "a.com.",
    "192.0.2.1",
    "bücher.example",
    "a b.com",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(126)}com`,
  ])("%s is none", (text) => expect(isEmailDomain(text)).toBe(false));

  it("is what follows the last @", () => {
    expect(emailDomainOf("Ann@Example.COM")).toBe("example.com");
    expect(emailDomainOf('"a@other.com"@example.com')).toBe("example.com");
    expect(emailDomainOf("example.com")).toBeUndefined();
    expect(emailDomainOf("ann@localhost")).toBeUndefined();
  });
});
