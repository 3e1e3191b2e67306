import type { AnswerRow, AskedQuery } from "@turnpike/contract/questions";
import { parseDecimal, toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import { CannotAnswer } from "./cannot-answer.ts";

/** The measures that billing answers. */
export const MONEY = ["spend", "revenue", "mrr", "invoices"];

type Threshold = { field: string; op: AskedQuery["filters"][number]["op"]; scaled: bigint };

/** The filters by an amount or a count. @throws {CannotAnswer} when one names no number. */
export function readThresholds({ filters }: AskedQuery): Threshold[] {
  return filters
    .filter(({ field }) => MONEY.includes(field))
    .map(({ field, op, value }) => {
      const text = String([value].flat()[0]);
      const parsed = parseDecimal(text);
      if ("fault" in parsed) {
        throw new CannotAnswer(
          said('"{0}" is no amount that {1} can be compared with.'),
          text,
          field,
        );
      }
      return { field, op, scaled: parsed.scaled };
    });
}

/** True for a row of amounts for which all comparisons hold. */
export function holds(row: Pick<AnswerRow, "values">, thresholds: readonly Threshold[]): boolean {
  return thresholds.every(({ field, op, scaled }) => {
    const difference = toScaled(String(row.values[field] ?? "0")) - scaled;
    switch (op) {
      case "gt":
        return difference > 0n;
      case "gte":
        return difference >= 0n;
      case "lt":
        return difference < 0n;
      case "lte":
        return difference <= 0n;
      default:
        return difference === 0n;
    }
  });
}
