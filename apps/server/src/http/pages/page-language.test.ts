import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { choosePageLanguage, findLanguageScripts } from "./page-language.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-languages-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the language of a page", () => {
  const scripts = new Map([["de", "/assets/language-de-x1.js"]]);
  const choose = (headers: Record<string, string>) => choosePageLanguage({ headers }, scripts);

  it.each([
    [{}, "en"],
    [{ "accept-language": "de-AT,de;q=0.9,en;q=0.8" }, "de"],
    [{ "accept-language": "fr, en;q=0.5, de;q=0.4" }, "en"],
    [{ "accept-language": "fr" }, "en"],
    [{ "accept-language": ";;;q=x, *" }, "en"],
    [{ "accept-language": "de", cookie: "a=b; language=en" }, "en"],
    [{ "accept-language": "en", cookie: "language=de; a=b" }, "de"],
    [{ "accept-language": "de", cookie: "language=xx" }, "de"],
    [{ "accept-language": "en", cookie: "my_language=de" }, "en"],
  ])("of %j is %s", (headers, language) => {
    expect(choose(headers)).toBe(language);
  });

  it("is English alone in a console that was built without others", () => {
    const only = choosePageLanguage({ headers: { "accept-language": "de" } }, new Map());
    expect(only).toBe("en");
  });

  it("is offered for each script that the build has", () => {
    for (const name of [
      "language-de-A_b-1.js",
      "language-de.js",
      "language-de-x.css",
      "index-x.js",
    ]) {
      writeFileSync(join(folder, name), "");
    }
    expect([...findLanguageScripts(folder)]).toEqual([["de", "/assets/language-de-A_b-1.js"]]);
  });
});
