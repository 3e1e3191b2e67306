import { describe, expect, it } from "vitest";
import { parseCamt } from "./parse-camt.ts";
import { parseCsvStatement } from "./parse-csv-statement.ts";
import { parseStatementAmount } from "./parse-statement-amount.ts";
import { findDateOrder, parseStatementDate } from "./parse-statement-date.ts";

const EUR = { code: "EUR", digits: 2 };

describe("an amount of a bank", () => {
  it.each([
    ["1.234,56", 123_456n],
    ["1,234.56", 123_456n],
    ["1'234.50", 123_450n],
    ["1 234,5", 123_450n],
    ["1.234", 123_400n],
    ["1.234.567", 123_456_700n],
    ["-12,00", -1_200n],
    ["12,00-", -1_200n],
    ["+300", 30_000n],
    ["0,01", 1n],
    ["1,005", 100_500n],
    ["0,00", undefined],
    ["12,3456", undefined],
    ["twelve", undefined],
    ["", undefined],
    ["--1", undefined],
  ])("%s is %s cents", (text, minor) => {
    expect(parseStatementAmount(text, EUR)).toBe(minor);
  });

  it("has the decimals of its currency", () => {
    expect(parseStatementAmount("5,000", { code: "JPY", digits: 0 })).toBe(5_000n);
    expect(parseStatementAmount("1,250", { code: "KWD", digits: 3 })).toBe(1_250n);
    expect(parseStatementAmount("10,5", { code: "JPY", digits: 0 })).toBeUndefined();
  });
});

describe("a day of a bank", () => {
  it("is read by its column: the month is never above 12", () => {
    expect(findDateOrder(["01/02/2026", "25/12/2026"])).toBe("dmy");
    expect(findDateOrder(["01/02/2026", "12/25/2026"])).toBe("mdy");
    expect(parseStatementDate("02.01.26", "dmy")).toBe("2026-01-02");
    expect(parseStatementDate("1/2/2026", "mdy")).toBe("2026-01-02");
    expect(parseStatementDate("20260102", "dmy")).toBe("2026-01-02");
    expect(parseStatementDate("2026-01-02T10:00:00Z", "dmy")).toBe("2026-01-02");
    expect(parseStatementDate("31.02.2026", "dmy")).toBeUndefined();
  });
});

const SPARKASSE = `"Kontoinhaber: Example";"IBAN DE89"

"Buchungstag";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"Verwendungszweck";"Betrag";"Waehrung"
"26.11.26";"Müller; & Söhne GmbH";"DE02120300000000202051";"RF18 5390 0754 7034
zweite Zeile";"1.234,56";"EUR"
"25.11.26";"Stadtwerke";"";"Strom";"-80,00";"EUR"
"";"Summe";"";"";"1.154,56";"EUR"
`;

describe("a CSV of a bank", () => {
  it("is found below other lines, with its separator, decimals, dates and quotes", () => {
    const read = parseCsvStatement(SPARKASSE, {});
    expect(read.columns).toMatchObject({
      date: "Buchungstag",
      amount: "Betrag",
      currency: "Waehrung",
    });
    expect(read.lines).toEqual([
      {
        bookedOn: "2026-11-26",
        amount: 123_456n,
        currency: "EUR",
        payer: "Müller; & Söhne GmbH",
        payerAccount: "DE02120300000000202051",
        purpose: "RF18 5390 0754 7034\nzweite Zeile",
        bankReference: "",
      },
      expect.objectContaining({ amount: -8_000n, payer: "Stadtwerke" }),
    ]);
    expect(read.problems).toEqual([expect.objectContaining({ message: '"" is no date.' })]);
  });

  it("with headings of its own is read as the operator says", () => {
    const content = "When,How much,Who\n2026-11-26,12.50,Ada\n";
    const unknown = parseCsvStatement(content, {});
    expect(unknown.lines).toEqual([]);
    expect(unknown.headings).toEqual(["When", "How much", "Who"]);
    expect(unknown.problems[0]?.message).toContain("say which columns");
    const columns = { date: "When", amount: "How much", payer: "Who" };
    expect(parseCsvStatement(content, { columns }).problems[0]?.message).toContain("currency");
    const { lines } = parseCsvStatement(content, { columns, currency: "USD" });
    expect(lines).toEqual([
      expect.objectContaining({ amount: 1_250n, currency: "USD", payer: "Ada" }),
    ]);
  });
});

/** Two entries: one transfer in the words of version 08, and a batch of two of version 02; and one that is only announced. */
const CAMT = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>
<Ntry><Amt Ccy="EUR">300.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-26</Dt></BookgDt>
<AcctSvcrRef>BANK-1</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>Ada &amp; Co</Nm></Pty></Dbtr>
<DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct></RltdPties>
<RmtInf><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd><Ustrd>thanks</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-11-25T10:00:00</DtTm></BookgDt>
<AcctSvcrRef>BATCH</AcctSvcrRef><NtryDtls>
<TxDtls><Refs><AcctSvcrRef>B-1</AcctSvcrRef></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">10.00</Amt></TxAmt></AmtDtls>
<RltdPties><Dbtr><Nm>One</Nm></Dbtr></RltdPties></TxDtls>
<TxDtls><Refs><AcctSvcrRef>B-2</AcctSvcrRef></Refs><Amt Ccy="EUR">20.00</Amt><RltdPties><Dbtr><Nm>Two</Nm></Dbtr></RltdPties></TxDtls>
</NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>
<AddtlNtryInf>Returned</AddtlNtryInf></Ntry>
<Ntry><Amt Ccy="EUR">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts><BookgDt><Dt>2026-11-26</Dt></BookgDt></Ntry>
</Stmt></BkToCstmrStmt></Document>`;

describe("a camt.053", () => {
  it("is read in any version: batches line by line, reversals as money that left", () => {
    const { lines, problems } = parseCamt(CAMT);
    expect(lines).toEqual([
      {
        bookedOn: "2026-11-26",
        amount: 30_000n,
        currency: "EUR",
        payer: "Ada & Co",
        payerAccount: "DE02120300000000202051",
        purpose: "RF18539007547034 thanks",
        bankReference: "BANK-1",
      },
      expect.objectContaining({ amount: 1_000n, payer: "One", bankReference: "B-1" }),
      expect.objectContaining({ amount: 2_000n, payer: "Two", bankReference: "B-2" }),
      expect.objectContaining({ amount: -500n, purpose: "Returned" }),
    ]);
    expect(problems).toEqual([{ line: 4, message: "It is not booked yet." }]);
  });

  it("takes a payment that was reversed as money that left, however the bank marks it", () => {
    const { lines } = parseCamt(
      CAMT.replace("<CdtDbtInd>CRDT</CdtDbtInd><RvslInd>", "<CdtDbtInd>DBIT</CdtDbtInd><RvslInd>"),
    );
    expect(lines.at(-1)).toMatchObject({ amount: -500n, purpose: "Returned" });
  });

  it("counts a batch once when not all of its payments name their amount", () => {
    const { lines } = parseCamt(CAMT.replace('<Amt Ccy="EUR">20.00</Amt>', ""));
    expect(lines.map(({ amount, bankReference }) => [amount, bankReference])).toEqual([
      [30_000n, "BANK-1"],
      [3_000n, "BATCH"],
      [-500n, ""],
    ]);
  });

  it.each([
    ["<!DOCTYPE a [<!ENTITY b 'c'>]><Document/>", /document type/],
    ["<Document><", /no XML/],
    ["<Document><Other/></Document>", /no statement/],
  ])("%s is refused with a reason", (content, says) => {
    const { lines, problems } = parseCamt(content);
    expect(lines).toEqual([]);
    expect(problems[0]?.message).toMatch(says);
  });
});
