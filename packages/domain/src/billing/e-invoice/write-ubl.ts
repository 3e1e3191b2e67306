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

const NAMES = {
  invoice: {
    root: "Invoice",
    type: "InvoiceTypeCode",
    code: "380",
    line: "InvoiceLine",
    quantity: "InvoicedQuantity",
  },
  creditNote: {
    root: "CreditNote",
    type: "CreditNoteTypeCode",
    code: "381",
    line: "CreditNoteLine",
    quantity: "CreditedQuantity",
  },
} as const;

function toDay(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 10);
}

/** The rate is left out where nothing is subject to VAT. */
function writeCategory(
  name: string,
  { category, rate }: ETaxKind,
  reason: readonly Xml[] = [],
): Xml {
  return node(name, [
    leaf("cbc:ID", category),
    category === "O" ? undefined : leaf("cbc:Percent", fromScaled(rate)),
    ...reason,
    node("cac:TaxScheme", [leaf("cbc:ID", "VAT")]),
  ]);
}

function writeAddress({
  lines: [street, additional, third],
  city,
  postalCode,
  region,
  country,
}: EAddress): Xml {
  return node("cac:PostalAddress", [
    leaf("cbc:StreetName", street),
    leaf("cbc:AdditionalStreetName", additional),
    leaf("cbc:CityName", city),
    leaf("cbc:PostalZone", postalCode),
    leaf("cbc:CountrySubentity", region),
    node("cac:AddressLine", [leaf("cbc:Line", third)]),
    node("cac:Country", [leaf("cbc:IdentificationCode", country)]),
  ]);
}

function writeParty(name: string, { name: partyName, address, vatId, id, email }: EParty): Xml {
  return node(name, [
    node("cac:Party", [
      leaf("cbc:EndpointID", email, { schemeID: "EM" }),
      node("cac:PartyIdentification", [leaf("cbc:ID", id)]),
      writeAddress(address),
      vatId === undefined
        ? undefined
        : node("cac:PartyTaxScheme", [
            leaf("cbc:CompanyID", vatId),
            node("cac:TaxScheme", [leaf("cbc:ID", "VAT")]),
          ]),
      node("cac:PartyLegalEntity", [leaf("cbc:RegistrationName", partyName)]),
      node("cac:Contact", [leaf("cbc:ElectronicMail", email)]),
    ]),
  ]);
}

/** The price is that of the whole quantity, so that their product is the net to the cent. */
function writeLine(line: ELine, number: number, { kind, currency }: EInvoice): Xml {
  const { line: name, quantity: quantityName } = NAMES[kind];
  const money = { currencyID: currency.code };
  const quantity = line.quantity > 0n ? line.quantity : SCALE;
  const last = line.toMs === undefined ? undefined : line.toMs - 1;
  return node(`cac:${name}`, [
    leaf("cbc:ID", String(number)),
    leaf(`cbc:${quantityName}`, fromScaled(quantity), { unitCode: UNIT_CODE }),
    leaf("cbc:LineExtensionAmount", formatMinor(line.net, currency), money),
    node("cac:InvoicePeriod", [
      leaf("cbc:StartDate", toDay(line.fromMs)),
      leaf("cbc:EndDate", toDay(last)),
    ]),
    node("cac:Item", [
      leaf("cbc:Name", line.name),
      writeCategory("cac:ClassifiedTaxCategory", line),
    ]),
    node("cac:Price", [
      leaf("cbc:PriceAmount", formatMinor(line.net, currency), money),
      leaf("cbc:BaseQuantity", fromScaled(quantity), { unitCode: UNIT_CODE }),
    ]),
  ]);
}

/** Writes an e-invoice in the syntax UBL 2.1. The same document gives the same bytes. */
export function writeUbl(invoice: EInvoice): string {
  const { kind, currency, preceding, totals, accounting } = invoice;
  const { root, type, code } = NAMES[kind];
  const money = { currencyID: currency.code };
  const amount = (name: string, minor: bigint) => leaf(name, formatMinor(minor, currency), money);
  const schema = "urn:oasis:names:specification:ubl:schema:xsd";
  return toXmlDocument(
    node(
      root,
      [
        leaf("cbc:CustomizationID", SPECIFICATION),
        leaf("cbc:ID", invoice.number),
        leaf("cbc:IssueDate", toDay(invoice.issuedAtMs)),
        kind === "invoice" ? leaf("cbc:DueDate", toDay(invoice.dueAtMs)) : undefined,
        leaf(`cbc:${type}`, code),
        leaf("cbc:Note", invoice.note),
        leaf("cbc:DocumentCurrencyCode", currency.code),
        leaf("cbc:TaxCurrencyCode", accounting?.currency.code),
        node("cac:BillingReference", [
          node("cac:InvoiceDocumentReference", [
            leaf("cbc:ID", preceding?.number),
            leaf("cbc:IssueDate", toDay(preceding?.issuedAtMs)),
          ]),
        ]),
        writeParty("cac:AccountingSupplierParty", invoice.seller),
        writeParty("cac:AccountingCustomerParty", invoice.buyer),
        node("cac:PaymentTerms", [leaf("cbc:Note", paymentTermsOf(invoice))]),
        ...invoice.allowances.map((allowance) =>
          node("cac:AllowanceCharge", [
            leaf("cbc:ChargeIndicator", "false"),
            leaf("cbc:AllowanceChargeReasonCode", ALLOWANCE_REASON.code),
            leaf("cbc:AllowanceChargeReason", ALLOWANCE_REASON.text),
            amount("cbc:Amount", allowance.amount),
            writeCategory("cac:TaxCategory", allowance),
          ]),
        ),
        node("cac:TaxTotal", [
          amount("cbc:TaxAmount", totals.tax),
          ...invoice.taxes.map((tax) =>
            node("cac:TaxSubtotal", [
              amount("cbc:TaxableAmount", tax.base),
              amount("cbc:TaxAmount", tax.amount),
              writeCategory("cac:TaxCategory", tax, [
                leaf("cbc:TaxExemptionReasonCode", tax.reason?.code),
                leaf("cbc:TaxExemptionReason", tax.reason?.text),
              ]),
            ]),
          ),
        ]),
        accounting === undefined
          ? undefined
          : node("cac:TaxTotal", [
              leaf("cbc:TaxAmount", formatMinor(accounting.tax, accounting.currency), {
                currencyID: accounting.currency.code,
              }),
            ]),
        node("cac:LegalMonetaryTotal", [
          amount("cbc:LineExtensionAmount", totals.lines),
          amount("cbc:TaxExclusiveAmount", totals.net),
          amount("cbc:TaxInclusiveAmount", totals.total),
          totals.allowances === 0n
            ? undefined
            : amount("cbc:AllowanceTotalAmount", totals.allowances),
          totals.prepaid === 0n ? undefined : amount("cbc:PrepaidAmount", totals.prepaid),
          amount("cbc:PayableAmount", totals.due),
        ]),
        ...invoice.lines.map((line, index) => writeLine(line, index + 1, invoice)),
      ],
      {
        xmlns: `${schema}:${root}-2`,
        "xmlns:cac": `${schema}:CommonAggregateComponents-2`,
        "xmlns:cbc": `${schema}:CommonBasicComponents-2`,
      },
    ),
  );
}
