import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findNameFault, toMailedName, toPlainName } from "./name-fault.ts";

const faultOf = (name: string) => findNameFault(name)?.split(/[:.]/)[0];
const ADDRESS = "Must not contain a web or e-mail address";
const UNSEEN = "Must not contain invisible characters";
const CONTROL = "Must not contain control characters";
const LOOK_ALIKE = "Must not use letters that look like those of another alphabet";

const GOOD = [
  "Blue Heron Maps",
  "Acme Inc.",
  "J. P. Morgan & Co",
  "S.p.A. Rossi",
  "Bäckerei Müller e.V.",
  "Node.js worker",
  "billing.worker-1",
  "release v1.2.3",
  "v1.beta2",
  "prod (eu-west-1) #3, €/£ 100 %",
  "Acme @ Berlin",
  "@acme",
  "10.0.0.1 scraper",
  "O’Brien–Smith",
  "Nguyễn Thị Minh Khai",
  "Łódź Żółw",
  "Яндекс Maps",
  "Московский хор",
  "Αθήνα Weather",
  "Երևան",
  "საქართველო",
  "東京データ株式会社",
  "ABC株式会社",
  "서울 API팀",
  "شرکت می\u200cخواهم",
  "क्\u200dष विज्ञान",
  "ไทย แมพ",
  "שלום ABC",
  "№ 5, 1ª, Nº 2, Maps™, E=mc²",
  "Тарас",
  "Сара",
  "АННА",
  "МТС",
  "РОСТЕХ",
  "1С",
  "ООО ВОСТОК",
  "ΟΤΕ",
  "Марс",
  "γ Labs",
  "J.P.Morgan",
  "Dr.Müller",
  "St.Gallen",
  "GmbH & Co.KG",
  "will.i.am",
  "Acme.Inc",
  "葛\u{e0100}城市",
  "ភាសា\u200bខ្មែរ",
  "ภาษา\u200bไทย",
  "ພາສາ\u200bລາວ",
  "မြန်မာ\u200bစာ",
  "Rocket 🚀 and 👩🏽‍🚀 and ❤️",
];

describe("a name", () => {
  it("may be any that people and companies have", () => {
    expect(GOOD.filter((name) => findNameFault(name) !== undefined)).toEqual([]);
  });

  it.each([
    ["Win at evil.com", ADDRESS],
    ["evil.com/prize today", ADDRESS],
    ["www.evil.example.org", ADDRESS],
    ["https://192.0.2.1", ADDRESS],
    ["EVIL.COM", ADDRESS],
    ["evil.com-", ADDRESS],
    ["evil.com--", ADDRESS],
    ["evil.com-prize", ADDRESS],
    ["evil.co.kg", ADDRESS],
    ["ASP.NET", ADDRESS],
    ["t.ly", ADDRESS],
    ["пример.онлайн", ADDRESS],
    ["evil．com", ADDRESS],
    ["evil。com", ADDRESS],
    ["ｅｖｉｌ.ｃｏｍ", ADDRESS],
    ["почта.рф", ADDRESS],
    ["xn--80a.xn--p1ai", ADDRESS],
    ["t.co", ADDRESS],
    ["ada@example.test", ADDRESS],
    ["ada@localhost", ADDRESS],
    ["mailto:ada", ADDRESS],
    ["Ac\u200bme", UNSEEN],
    ["Ac\u00adme", UNSEEN],
    ["Ac\u200dme", UNSEEN],
    ["Acme\u2060", UNSEEN],
    ["Acme\u00a0Corp", UNSEEN],
    ["\u3164", UNSEEN],
    ["\u2800", UNSEEN],
    ["Acme\u{e0041}", UNSEEN],
    ["Acme\ue000", UNSEEN],
    ["Acme\ufe0f", UNSEEN],
    ["Acme\u202egro", CONTROL],
    ["Acme\nCorp", CONTROL],
    ["Acme\ud800", CONTROL],
    ["P\u0430ypal", LOOK_ALIKE],
    ["ACM\u0395", LOOK_ALIKE],
    ["\u041c\u0422C", LOOK_ALIKE],
    ["A\u{e0100}cme", UNSEEN],
    ["葛\u{e0100}\u{e0101}", UNSEEN],
    ["ไทย\u200b", UNSEEN],
    ["ไ\u200b\u200bทย", UNSEEN],
    ["ไทย\u200bAcme", UNSEEN],
    ["\u{1d400}\u{1d41c}me", LOOK_ALIKE],
    ["Ａｃｍｅ", LOOK_ALIKE],
    ["G\u0585\u0585gle", LOOK_ALIKE],
  ])("%j is refused", (name, fault) => {
    expect(faultOf(name)).toBe(fault);
  });

  it("contains no address, wherever it stands", () => {
    const around = fc.constantFrom("", "Win ", "(", "Acme, ", "«");
    const ending = fc.constantFrom("com", "de", "co.uk", "XYZ", "zip", "рф", "xn--p1ai");
    const host = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/), ending);
    const address = fc.oneof(
      fc.emailAddress(),
      fc.webUrl(),
      host.map((labels) => labels.join(".")),
    );
    fc.assert(
      fc.property(
        around,
        address,
        fc.constantFrom("", " now", ")", "!", "-", ".", "/x"),
        (before, at, after) => {
          expect(faultOf(`${before}${at}${after}`)).toBe(ADDRESS);
        },
      ),
    );
  });

  it("contains nothing invisible, wherever it stands between letters", () => {
    const unseen = fc.constantFrom(
      ..."\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200e\u202a\u202e\u2060\u2066\u206f\u3000\u3164\ufeff\uffa0\u{e0020}",
    );
    const letters = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(letters, unseen, letters, (before, hidden, after) => {
        expect([UNSEEN, CONTROL]).toContain(faultOf(`${before}${hidden}${after}`));
      }),
    );
  });

  it("of a file or a key may be one that looks like an address, and has no other fault", () => {
    const options = { mayHoldAddress: true };
    const technical = ["report.pdf", "АКТ.pdf", "acme.com", "data:read", "ada@acme.com"];
    expect(technical.filter((name) => findNameFault(name, options) !== undefined)).toEqual([]);
    expect(findNameFault("report\u202efdp.exe", options)).toBe(`${CONTROL}.`);
    expect(findNameFault("Rep\u043ert.pdf", options)).toContain(LOOK_ALIKE);
  });

  it("in a mail gives way to another text when it could become a link", () => {
    expect(toMailedName("orders.production", "key_1")).toBe("orders.production");
    expect(toMailedName("Acme\u00a0Corp", "key_1")).toBe("Acme Corp");
    expect(toMailedName("ada@evil.com", "key_1")).toBe("key_1");
  });
});

describe("a plain name", () => {
  it.each([
    ["Screenshot 9.41.00\u202fAM.png", "Screenshot 9.41.00 AM.png"],
    ["Acme\u00a0Corp", "Acme Corp"],
    ["山田\u3000太郎", "山田 太郎"],
    ["Ｓｔａｔｉｏｎ　１～", "Station 1~"],
    ["データ・ﾃﾞｰﾀ", "データ・ﾃﾞｰﾀ"],
  ])("of %j is %j", (name, plain) => {
    expect(toPlainName(name)).toBe(plain);
    expect(findNameFault(plain, { mayHoldAddress: true })).toBeUndefined();
  });

  it("hides no address", () => {
    expect(faultOf(toPlainName("ｅｖｉｌ．ｃｏｍ"))).toBe(ADDRESS);
  });
});
