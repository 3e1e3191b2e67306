import type { PaymentProposal } from "@turnpike/contract/bank-statements";
import type { Tx } from "@turnpike/db/client";
import { findReferenceBodies } from "@turnpike/domain/billing/payments/check-digits";
import { formatMinor } from "@turnpike/domain/money/currency";
import { currencyOf } from "../../invoices/to-invoice.ts";
import { type CandidateRow, type LineRow, listCandidates } from "./statement-lines.store.ts";

/** More than these make it no easier to choose. */
const PROPOSALS_MAX = 5;
const BASES = ["reference", "number", "amount_and_name", "amount"] as const;
/** Shorter words are in many names. */
const WORD_MIN = 4;

function wordsOf(name: string): string[] {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= WORD_MIN);
}

/** True when a word of a customer's name is in what the bank says of the payer. */
function isNamed({ names }: CandidateRow, { payer, purpose }: LineRow): boolean {
  const written = new Set(wordsOf(`${payer} ${purpose}`));
  return names.some((name) => wordsOf(name).some((word) => written.has(word)));
}

function basisOf(candidate: CandidateRow, line: LineRow): PaymentProposal["basis"] {
  if (candidate.hasReference) {
    return "reference";
  }
  if (candidate.hasNumber) {
    return "number";
  }
  return isNamed(candidate, line) ? "amount_and_name" : "amount";
}

function toProposals(line: LineRow, candidates: readonly CandidateRow[]): PaymentProposal[] {
  const references = candidates.filter(({ hasReference }) => hasReference);
  return candidates
    .map((candidate) => {
      const { invoiceId, number, tenantId, tenantName, currency, due, hasReference } = candidate;
      return {
        invoiceId,
        number,
        tenantId,
        tenantName,
        due: formatMinor(BigInt(due), currencyOf(currency)),
        currency,
        basis: basisOf(candidate, line),
        // Two references, or more than is due, are for a person to decide.
        isCertain: hasReference && references.length === 1 && BigInt(line.amount) <= BigInt(due),
      };
    })
    .sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis))
    .slice(0, PROPOSALS_MAX);
}

/** What open lines may pay, the most likely first, by the id of the line. Money that left pays nothing. */
export async function proposePayments(
  tx: Tx,
  lines: readonly LineRow[],
): Promise<ReadonlyMap<string, PaymentProposal[]>> {
  const open = lines.filter(({ state, amount }) => state === "open" && BigInt(amount) > 0n);
  const asked = open.map(({ lineId, purpose, bankReference }) => ({
    lineId,
    bodies: findReferenceBodies(`${purpose} ${bankReference}`),
  }));
  const candidates = asked.length === 0 ? [] : await listCandidates(tx, asked);
  return new Map(
    open.map((line) => [
      line.lineId,
      toProposals(
        line,
        candidates.filter(({ lineId }) => lineId === line.lineId),
      ),
    ]),
  );
}
