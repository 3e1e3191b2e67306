import { describe, expect, it } from "vitest";
import { toGettingStartedSteps } from "./getting-started.view-model.ts";

const gatewayUrl = "https://gateway.example.com";

describe("toGettingStartedSteps", () => {
  it("makes commands that follow each other when nothing was made on the page", () => {
    const steps = toGettingStartedSteps({ gatewayUrl, tenant: undefined, key: undefined });
    expect(steps.map((step) => step.command)).toEqual([
      'npm run turnpike -- tenants create --name "Acme"',
      'npm run turnpike -- keys create --tenant acme --name "First key"',
      'curl -H "Authorization: Bearer $KEY" "https://gateway.example.com/v1/quote?from=berlin&to=paris&weightGrams=1200"',
      "npm run turnpike -- usage --tenant acme --by status",
    ]);
  });

  it("speaks of the chosen tenant and of the key on screen", () => {
    const steps = toGettingStartedSteps({ gatewayUrl, tenant: "northwind", key: "tp_live_x" });
    expect(steps[1]?.command).toContain("--tenant northwind ");
    expect(steps[2]?.command).toContain('"Authorization: Bearer tp_live_x"');
    expect(steps[3]?.command).toContain("--tenant northwind ");
  });
});
