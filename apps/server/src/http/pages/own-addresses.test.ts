import { describe, expect, it } from "vitest";
import { withOwnAddresses } from "./own-addresses.ts";

const OWN = { consoleUrl: "https://portal.acme.example", gatewayUrl: "https://api.acme.example" };

describe("samples in guides", () => {
  it.each([
    ["curl http://localhost:3000/v1/tenants", "curl https://portal.acme.example/v1/tenants"],
    ["curl http://localhost:3001/v1/cities", "curl https://api.acme.example/v1/cities"],
    ["turnpike login https://console.example.com", "turnpike login https://portal.acme.example"],
    ["url: http://127.0.0.1:8080", "url: http://127.0.0.1:8080"],
  ])("show this installation's address in %s", (sample, expected) => {
    expect(withOwnAddresses(`\`\`\`sh\n${sample}\n\`\`\`\n`, OWN)).toBe(
      `\`\`\`sh\n${expected}\n\`\`\`\n`,
    );
  });

  it("leave the text around them as it is", () => {
    const text =
      "It is at `http://localhost:3000` by default.\n\n```sh\nnpm start\n```\n\nhttp://localhost:3001";
    expect(withOwnAddresses(text, OWN)).toBe(text);
  });
});
