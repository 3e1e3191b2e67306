import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { Subject } from "./call-to-decide.ts";
import type { LimitView } from "./limits/limit-view.ts";

export type Denial = {
  allowed: false;
  code: ErrorCode;
  /** One sentence for the caller. */
  detail: string;
  /** Undefined only when the key is unknown. */
  subject: Subject | undefined;
  /** The limit that refused. */
  limit: LimitView | undefined;
  /** The state of every limit when one refused or the call asked for them; otherwise empty. */
  limits: readonly LimitView[];
  /** Scopes that the call needs and the key does not have; empty when it is refused for another reason. */
  missingScopes: readonly string[];
  /** Milliseconds after which trying again can help. */
  retryAfterMs: number | undefined;
};

/** Refuses a call for a reason that no limit knows of, unless `more` names one. */
export function deny(
  code: ErrorCode,
  detail: string,
  more: Partial<
    Pick<Denial, "subject" | "limit" | "limits" | "missingScopes" | "retryAfterMs">
  > = {},
): Denial {
  return {
    allowed: false,
    code,
    detail,
    subject: more.subject,
    limit: more.limit,
    limits: more.limits ?? [],
    missingScopes: more.missingScopes ?? [],
    retryAfterMs: more.retryAfterMs,
  };
}
