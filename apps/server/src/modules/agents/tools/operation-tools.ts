import { contract } from "@turnpike/contract/contract";
import type { OperationMeta } from "@turnpike/contract/operation";
import { proposalReason, proposedCap, proposedKey } from "@turnpike/contract/proposals";
import { z } from "zod";

/** Rows and items of one answer: a model reads all of them. */
const ROWS_MAX = 200;
const ITEMS_MAX = 50;

type Module = keyof typeof contract;

/** A tool that is an operation of the API, for the agent's own tenant. */
export type OperationTool = {
  name: string;
  title: string;
  description: string;
  /** Such as `usage.query`. */
  operation: string;
  /** Undefined for what everyone may read. */
  scope: string | undefined;
  /** The operation's own input without the tenant. */
  input: z.ZodObject;
  /** Fields that are narrower than in the API, with defaults of their own. */
  bounds: z.ZodObject;
  /** False when the operation has no tenant. */
  isOfTenant: boolean;
};

/** An operation as a tool. */
function fromOperation<Name extends Module>(
  module: Name,
  operation: keyof (typeof contract)[Name] & string,
  tool: Pick<OperationTool, "name" | "title" | "description"> & {
    bounds?: Readonly<Record<string, z.ZodType>>;
  },
): OperationTool {
  const procedures: Readonly<Record<string, unknown>> = contract[module];
  const { inputSchema, meta } = (
    procedures[operation] as { "~orpc": { inputSchema: unknown; meta: OperationMeta } }
  )["~orpc"];
  if (!(inputSchema instanceof z.ZodObject)) {
    throw new Error(`The input of ${module}.${operation} is no object.`);
  }
  const isOfTenant = "tenantId" in inputSchema.shape;
  const { tenantId: _, ...fields } = inputSchema.shape;
  const { bounds = {}, ...named } = tool;
  return {
    ...named,
    operation: `${module}.${operation}`,
    scope: meta.scope === "public" ? undefined : meta.scope,
    input: z.strictObject({ ...fields, ...bounds }),
    bounds: z.object(bounds),
    isOfTenant,
  };
}

const items = { limit: z.int().min(1).max(ITEMS_MAX).default(20).describe("Items on a page.") };

/** Tools that read, each an operation of the API. */
export const OPERATION_TOOLS: readonly OperationTool[] = [
  fromOperation("usage", "query", {
    name: "query_usage",
    title: "Query usage",
    description:
      "Counts calls, errors, refusals, latency, bytes and meters by dimensions and time. For one figure ask without grain and dimensions; for a ranking name a dimension and order by the measure descending, such as order=-requests.",
    bounds: {
      limit: z.int().min(1).max(ROWS_MAX).default(50).describe("The most rows to return."),
    },
  }),
  fromOperation("usage", "limits", {
    name: "get_limits",
    title: "Get limits",
    description:
      "Every quota and rate limit of the plan, what is used of it in this period, what is left, and when it starts anew.",
  }),
  fromOperation("insights", "list", {
    name: "explain_changes",
    title: "Explain what changed",
    description:
      "What is unusual in the usage and what needs attention, each with since when, how much, the key, route or status that explains it, and what to do.",
  }),
  fromOperation("questions", "ask", {
    name: "ask",
    title: "Ask in plain English",
    description:
      'Answers a question such as "errors last week by route" or "why did usage rise on Tuesday", without a language model: with the query that was run, what was assumed, and the figures. It asks back where it must.',
  }),
  fromOperation("forecasts", "usage", {
    name: "forecast_usage",
    title: "Forecast usage",
    description: "What usage will come to, with intervals, and how wrong past forecasts were.",
  }),
  fromOperation("forecasts", "invoice", {
    name: "forecast_invoice",
    title: "Forecast the invoice",
    description: "What the running invoice will come to at the end of its period, with intervals.",
  }),
  fromOperation("forecasts", "exhaustion", {
    name: "forecast_exhaustion",
    title: "Forecast what runs out",
    description: "When quotas, the spend cap and prepaid credit will run out.",
  }),
  fromOperation("keys", "list", {
    name: "list_keys",
    title: "List API keys",
    description:
      "The API keys with their names, states, scopes and limits. A key's text is never shown; its id is what usage is filtered by.",
    bounds: items,
  }),
  fromOperation("billing", "getSubscription", {
    name: "get_subscription",
    title: "Get the subscription",
    description: "The plan that is paid for, its period, and what is planned.",
  }),
  fromOperation("billing", "getUpcomingInvoice", {
    name: "get_upcoming_invoice",
    title: "Get the running invoice",
    description: "What the next invoice comes to so far, line by line.",
  }),
  fromOperation("billing", "listInvoices", {
    name: "list_invoices",
    title: "List invoices",
    description: "Invoices with number, state, sum and due date, newest first.",
    bounds: items,
  }),
  fromOperation("billing", "getInvoice", {
    name: "get_invoice",
    title: "Get an invoice",
    description: "One invoice with its lines, taxes and payments.",
  }),
  fromOperation("billing", "getSpendCap", {
    name: "get_spend_cap",
    title: "Get the spend cap",
    description: "The cap in money, if there is one, and what counts against it.",
  }),
  fromOperation("advice", "plans", {
    name: "compare_plans",
    title: "Compare plans",
    description:
      "What the usage of the last closed months would have cost on every plan, month by month, what hard limits would have refused, and the plan that fits best. List prices before coupons, credit, add-ons and tax.",
  }),
  fromOperation("proposals", "list", {
    name: "list_proposals",
    title: "List proposals",
    description: "Changes that were proposed, and what was decided.",
    bounds: items,
  }),
  fromOperation("catalog", "listPlans", {
    name: "list_plans",
    title: "List plans",
    description: "Every plan that is offered, with limits, prices and tiers.",
  }),
];

/** A tool that stores a change for a person to decide on. */
export type ProposalTool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** The change in the words of the API. */
  toChange(input: Readonly<Record<string, unknown>>): Record<string, unknown>;
};

const WAITS =
  "Nothing changes before a member of the tenant accepts it in the console, within seven days. Say so to the person.";

export const PROPOSAL_TOOLS: readonly ProposalTool[] = [
  {
    name: "propose_key",
    title: "Propose a new API key",
    description: `Proposes a new API key. ${WAITS} The text of the key is shown to that member alone.`,
    input: z.strictObject({ ...proposedKey.shape, reason: proposalReason }),
    toChange: (key) => ({ do: "create_key", key }),
  },
  {
    name: "propose_spend_cap",
    title: "Propose a spend cap",
    description: `Proposes a cap on what a period may cost: at the cap calls are refused. ${WAITS}`,
    input: z.strictObject({ ...proposedCap.shape, reason: proposalReason }),
    toChange: (cap) => ({ do: "set_spend_cap", ...cap }),
  },
];

export const searchDocsInput = z.strictObject({
  query: z.string().min(1).max(300).describe("Words to look for."),
  limit: z.int().min(1).max(10).default(5),
});

export const readDocInput = z.strictObject({
  page: z
    .string()
    .min(1)
    .max(200)
    .describe("The path of a page that search_docs named, such as keys or errors/expired."),
});
