import { formatMinor } from "../../money/currency.ts";
import { fromScaled, SCALE } from "../../money/decimal.ts";
import {
  ALLOWANCE_REASON,
  type EAddress,
  type EInvoice,
  type ELine,
  type EParty,
  type ETaxKind,
  paymentTermsOf,
  SPECIFICATION,
  UNIT_CODE,
} from "./e-invoice.ts";
import { leaf, node, toXmlDocument, type Xml } from "./xml.ts";

const TYPE_CODES = { invoice: "380", creditNote: "381" } as const;

/** @param prefix - Of the element inside: `udt`, or `qdt` for the date of another document. */
function writeDay(name: string, ms: number | undefined, prefix: "udt" | "qdt" = "udt"): Xml {
  const day = ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 10);
  return node(name, [
    leaf(`${prefix}:DateTimeString`, day?.replaceAll("-", ""), { format: "102" }),
  ]);
}

/** The rate is left out where nothing is subject to VAT. */
function writeKind({ category, rate }: ETaxKind): Xml[] {
  return [
    leaf("ram:CategoryCode", category),
    category === "O" ? undefined : leaf("ram:RateApplicablePercent", fromScaled(rate)),
  ];
}

function writeAddress({
  lines: [first, second, third],
  city,
  postalCode,
  region,
  country,
}: EAddress): Xml {
  return node("ram:PostalTradeAddress", [
    leaf("ram:PostcodeCode", postalCode),
    leaf("ram:LineOne", first),
    leaf("ram:LineTwo", second),
    leaf("ram:LineThree", third),
    leaf("ram:CityName", city),
    leaf("ram:CountryID", country),
    leaf("ram:CountrySubDivisionName", region),
  ]);
}

function writeParty(name: string, party: EParty): Xml {
  return node(name, [
    leaf("ram:ID", party.id),
    leaf("ram:Name", party.name),
    node("ram:DefinedTradeContact", [
      node("ram:EmailURIUniversalCommunication", [leaf("ram:URIID", party.email)]),
    ]),
    writeAddress(party.address),
    node("ram:URIUniversalCommunication", [leaf("ram:URIID", party.email, { schemeID: "EM" })]),
    node("ram:SpecifiedTaxRegistration", [leaf("ram:ID", party.vatId, { schemeID: "VA" })]),
  ]);
}

/** The price is that of the whole quantity, so that their product is the net to the cent. */
function writeLine(line: ELine, number: number, { currency }: EInvoice): Xml {
  const quantity = fromScaled(line.quantity > 0n ? line.quantity : SCALE);
  const last = line.toMs === undefined ? undefined : line.toMs - 1;
  return node("ram:IncludedSupplyChainTradeLineItem", [
    node("ram:AssociatedDocumentLineDocument", [leaf("ram:LineID", String(number))]),
    node("ram:SpecifiedTradeProduct", [leaf("ram:Name", line.name)]),
    node("ram:SpecifiedLineTradeAgreement", [
      node("ram:NetPriceProductTradePrice", [
        leaf("ram:ChargeAmount", formatMinor(line.net, currency)),
        leaf("ram:BasisQuantity", quantity, { unitCode: UNIT_CODE }),
      ]),
    ]),
    node("ram:SpecifiedLineTradeDelivery", [
      leaf("ram:BilledQuantity", quantity, { unitCode: UNIT_CODE }),
    ]),
    node("ram:SpecifiedLineTradeSettlement", [
      node("ram:ApplicableTradeTax", [leaf("ram:TypeCode", "VAT"), ...writeKind(line)]),
      node("ram:BillingSpecifiedPeriod", [
        writeDay("ram:StartDateTime", line.fromMs),
        writeDay("ram:EndDateTime", last),
      ]),
      node("ram:SpecifiedTradeSettlementLineMonetarySummation", [
        leaf("ram:LineTotalAmount", formatMinor(line.net, currency)),
      ]),
    ]),
  ]);
}

function writeSettlement(invoice: EInvoice): Xml {
  const { currency, totals, preceding, accounting } = invoice;
  const amount = (name: string, minor: bigint) => leaf(name, formatMinor(minor, currency));
  return node("ram:ApplicableHeaderTradeSettlement", [
    leaf("ram:TaxCurrencyCode", accounting?.currency.code),
    leaf("ram:InvoiceCurrencyCode", currency.code),
    ...invoice.taxes.map((tax) =>
      node("ram:ApplicableTradeTax", [
        amount("ram:CalculatedAmount", tax.amount),
        leaf("ram:TypeCode", "VAT"),
        leaf("ram:ExemptionReason", tax.reason?.text),
        amount("ram:BasisAmount", tax.base),
        leaf("ram:CategoryCode", tax.category),
        leaf("ram:ExemptionReasonCode", tax.reason?.code),
        tax.category === "O" ? undefined : leaf("ram:RateApplicablePercent", fromScaled(tax.rate)),
      ]),
    ),
    ...invoice.allowances.map((allowance) =>
      node("ram:SpecifiedTradeAllowanceCharge", [
        node("ram:ChargeIndicator", [leaf("udt:Indicator", "false")]),
        amount("ram:ActualAmount", allowance.amount),
        leaf("ram:ReasonCode", ALLOWANCE_REASON.code),
        leaf("ram:Reason", ALLOWANCE_REASON.text),
        node("ram:CategoryTradeTax", [leaf("ram:TypeCode", "VAT"), ...writeKind(allowance)]),
      ]),
    ),
    node("ram:SpecifiedTradePaymentTerms", [
      leaf("ram:Description", paymentTermsOf(invoice)),
      writeDay("ram:DueDateDateTime", invoice.dueAtMs),
    ]),
    node("ram:SpecifiedTradeSettlementHeaderMonetarySummation", [
      amount("ram:LineTotalAmount", totals.lines),
      totals.allowances === 0n ? undefined : amount("ram:AllowanceTotalAmount", totals.allowances),
      amount("ram:TaxBasisTotalAmount", totals.net),
      leaf("ram:TaxTotalAmount", formatMinor(totals.tax, currency), { currencyID: currency.code }),
      accounting === undefined
        ? undefined
        : leaf("ram:TaxTotalAmount", formatMinor(accounting.tax, accounting.currency), {
            currencyID: accounting.currency.code,
          }),
      amount("ram:GrandTotalAmount", totals.total),
      totals.prepaid === 0n ? undefined : amount("ram:TotalPrepaidAmount", totals.prepaid),
      amount("ram:DuePayableAmount", totals.due),
    ]),
    node("ram:InvoiceReferencedDocument", [
      leaf("ram:IssuerAssignedID", preceding?.number),
      writeDay("ram:FormattedIssueDateTime", preceding?.issuedAtMs, "qdt"),
    ]),
  ]);
}

/** Writes an e-invoice in the syntax Cross Industry Invoice (D16B). The same document gives the same bytes. */
export function writeCii(invoice: EInvoice): string {
  const schema = "urn:un:unece:uncefact:data:standard";
  return toXmlDocument(
    node(
      "rsm:CrossIndustryInvoice",
      [
        node("rsm:ExchangedDocumentContext", [
          node("ram:GuidelineSpecifiedDocumentContextParameter", [leaf("ram:ID", SPECIFICATION)]),
        ]),
        node("rsm:ExchangedDocument", [
          leaf("ram:ID", invoice.number),
          leaf("ram:TypeCode", TYPE_CODES[invoice.kind]),
          writeDay("ram:IssueDateTime", invoice.issuedAtMs),
          node("ram:IncludedNote", [leaf("ram:Content", invoice.note)]),
        ]),
        node("rsm:SupplyChainTradeTransaction", [
          ...invoice.lines.map((line, index) => writeLine(line, index + 1, invoice)),
          node("ram:ApplicableHeaderTradeAgreement", [
            writeParty("ram:SellerTradeParty", invoice.seller),
            writeParty("ram:BuyerTradeParty", invoice.buyer),
          ]),
          "<ram:ApplicableHeaderTradeDelivery/>",
          writeSettlement(invoice),
        ]),
      ],
      {
        "xmlns:rsm": `${schema}:CrossIndustryInvoice:100`,
        "xmlns:ram": `${schema}:ReusableAggregateBusinessInformationEntity:100`,
        "xmlns:qdt": `${schema}:QualifiedDataType:100`,
        "xmlns:udt": `${schema}:UnqualifiedDataType:100`,
      },
    ),
  );
}
