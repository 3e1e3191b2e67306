import { describe, expect, it } from "vitest";
import { describeUserAgent } from "./describe-user-agent.ts";

const KIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

describe("describeUserAgent", () => {
  it("names browsers by their own sign, not by those that they are like", () => {
    const described = Object.fromEntries(
      [
        `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
        `Mozilla/5.0 (X11; Linux x86_64) ${KIT} HeadlessChrome/140.0.0.0 Safari/537.36`,
        "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
        `Mozilla/5.0 (Linux; Android 15; SM-S921B) ${KIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
        `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0`,
        "curl/8.9.1",
        "",
      ].map((text) => {
        const { browser, system } = describeUserAgent(text);
        return [text.slice(0, 24) + text.slice(-14), `${browser ?? "?"} on ${system ?? "?"}`];
      }),
    );
    expect(Object.values(described)).toEqual([
      "Edge on Windows",
      "Chrome on Linux",
      "Firefox on Linux",
      "Safari on macOS",
      "Chrome on iPhone",
      "Samsung Internet on Android",
      "Opera on ChromeOS",
      "? on ?",
      "? on ?",
    ]);
  });

  it("takes no longer for a text made to be slow", () => {
    const text = `Version/${"1.".repeat(100_000)} Safari`;
    expect(describeUserAgent(text)).toEqual({ browser: null, system: null });
  });
});
