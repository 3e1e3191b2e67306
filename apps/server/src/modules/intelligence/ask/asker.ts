import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { BillingDeps } from "#modules/billing/index.ts";
import type { TenantPlans } from "#modules/tenants/index.ts";
import type { Forecaster } from "../forecasts/forecaster.ts";
import type { AnswerWords } from "./answer-words.ts";
import type { VocabularyCache } from "./named-vocabulary.ts";

/** What answers need. */
export type AskDeps = BillingDeps & {
  forecaster: Forecaster;
  plans: TenantPlans;
  vocabularies: VocabularyCache;
};

/** The caller, the tenant that is asked about, the time and the language. */
export type Asker = {
  readonly context: CallContext;
  /** Null for all tenants, which only operators may ask about. */
  readonly tenantId: TenantId | null;
  readonly timeZone: string;
  readonly nowMs: number;
  /** In the language of the answer. */
  readonly words: AnswerWords;
};
