import type {
  Charge,
  DocumentParty,
  FrozenDocument,
} from "@turnpike/domain/billing/e-invoice/to-e-invoice";
import { isCharge } from "@turnpike/domain/billing/rating/line";
import type { Party } from "../billing-settings.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import type { NamedLine, StoredDocument } from "./stored-document.ts";

/** Invoices that are older than addresses in parts have their lines alone. */
function toDocumentParty({ name, lines, address, country, taxId, email }: Party): DocumentParty {
  return {
    name,
    address: {
      lines: address?.lines ?? lines,
      postalCode: address?.postalCode ?? undefined,
      city: address?.city ?? undefined,
      region: address?.region ?? undefined,
      country: country ?? undefined,
    },
    taxId: taxId ?? undefined,
    email: email ?? undefined,
  };
}

function toCharge({ line, name }: NamedLine): Charge {
  const { quantity, amount, discount, taxes, span } = line;
  return { name, quantity, amount, discount, taxes, fromMs: span?.fromMs, toMs: span?.toMs };
}

/** What e-invoices are written from. */
export function toFrozenDocument({
  invoice,
  totals,
  lines,
  note,
  accountingTax,
}: StoredDocument): FrozenDocument {
  const { number, issuedAt, dueAt, fromBalance, prepaid, seller, customer, currency } = invoice;
  const common = {
    currency: currencyOf(currency),
    seller: toDocumentParty(seller),
    customer: toDocumentParty(customer),
    exemption: customer.exemption ?? undefined,
    accountingTax,
  };
  if (note === undefined) {
    return {
      ...common,
      kind: "invoice",
      number,
      issuedAtMs: issuedAt.getTime(),
      dueAtMs: dueAt.getTime(),
      preceding: undefined,
      note: undefined,
      charges: lines.filter(({ line }) => isCharge(line)).map(toCharge),
      totals,
      prepaid: BigInt(fromBalance) + BigInt(prepaid),
    };
  }
  const { lines: credited, ...creditTotals } = note.credited;
  return {
    ...common,
    kind: "creditNote",
    number: note.row.number,
    issuedAtMs: note.row.issuedAt.getTime(),
    dueAtMs: undefined,
    preceding: { number, issuedAtMs: issuedAt.getTime() },
    note: note.row.reason,
    charges: credited.flatMap(({ line: index, amount }) => {
      const named = lines[index];
      // A part of a line has no quantity of its own.
      return named === undefined
        ? []
        : [{ ...toCharge(named), quantity: undefined, amount, discount: 0n }];
    }),
    totals: creditTotals,
    prepaid: 0n,
  };
}
