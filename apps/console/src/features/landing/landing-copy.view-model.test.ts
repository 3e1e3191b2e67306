import { describe, expect, it } from "vitest";
import { toLandingCopy, toLandingHead } from "./landing-copy.view-model.ts";

const CONFIG = {
  brand: { name: "Acme", accent: undefined },
  urls: { console: "https://a.example", api: "https://a.example", gateway: "https://api.example" },
};
const FREE = {
  planId: "free",
  version: 1,
  isDefault: true,
  name: "Free",
  description: "",
  currency: "USD",
  pricePerMonth: "0",
  visibility: "public" as const,
  phases: [{ rateCards: [] }],
  isAddOn: false,
  archivedAt: null,
  scopes: [],
  rateLimits: [],
  quotas: [],
  concurrency: null,
};
const OWN = { headline: undefined, summary: undefined, plans: [FREE] };

describe("the words of the landing page", () => {
  it("name the product, its gateway, and that it begins for free when it does", () => {
    const copy = toLandingCopy(CONFIG, OWN);
    expect(copy.headline).toContain("Acme");
    expect(copy.summary).toContain("Start for free");
    expect(copy.questions[0]?.answer).toContain("https://api.example");
    const paid = toLandingCopy(CONFIG, { ...OWN, plans: [{ ...FREE, pricePerMonth: "9" }] });
    expect(paid.summary).not.toContain("free");
    expect(toLandingCopy(CONFIG, { ...OWN, plans: [] }).summary).not.toContain("free");
  });

  it("are the operator's where there are some", () => {
    const content = { ...OWN, headline: "Maps of everything", summary: "For everybody." };
    expect(toLandingCopy(CONFIG, content)).toMatchObject({
      headline: "Maps of everything",
      summary: "For everybody.",
    });
    expect(toLandingHead(CONFIG, content)).toEqual({
      title: "Maps of everything · Acme",
      description: "For everybody.",
    });
    expect(toLandingHead(CONFIG, OWN).title).not.toContain("·");
  });

  it("speak of soft quotas only where a plan has one", () => {
    const answerOf = (plans: (typeof FREE)[]) =>
      toLandingCopy(CONFIG, { ...OWN, plans }).questions.find(({ question }) =>
        question.includes("limit"),
      )?.answer;
    expect(answerOf([FREE])).not.toContain("soft");
    const quotas = [{ meter: "requests", limit: 1, kind: "soft" as const }];
    expect(answerOf([{ ...FREE, quotas } as never])).toContain("soft");
  });
});
