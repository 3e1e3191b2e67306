import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";

function idOf(kind: "payment" | "refund" | "statementLine", example: string) {
  return z
    .string()
    .refine((value) => isId(kind, value), {
      error: `Not an id of this kind; it looks like ${example}.`,
    })
    .meta({ examples: [example] });
}

export const paymentId = idOf("payment", "pay_0199f3b0c1d27a4e8f60112233445566");
export const refundId = idOf("refund", "rfd_0199f3b0c1d27a4e8f60112233445566");
export const statementLineId = idOf("statementLine", "bsl_0199f3b0c1d27a4e8f60112233445566");
