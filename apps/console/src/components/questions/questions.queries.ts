import { queryOptions } from "@tanstack/react-query";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import { isLanguage } from "@turnpike/domain/text/languages";
import { LANGUAGE } from "@turnpike/ui/language";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export type QuestionReply = Awaited<ReturnType<ApiClient["questions"]["ask"]>>;
export type QuestionChoices = Awaited<ReturnType<ApiClient["questions"]["choices"]>>;
export type QuestionQuery = NonNullable<QuestionReply["query"]>;
export type Answer = NonNullable<QuestionReply["answer"]>;

type TenantId = OwnTenant["tenantId"];
type Owner = { tenantId: TenantId; userId: string };
/** A question and what it goes on from. */
export type KeptQuestion = { question: string; after: readonly string[] };
type List = "recent" | "pinned";

const PURPOSE = "questions";
const KEPT_MAX = 10;

export type AskInput = {
  tenantId: TenantId;
  question: string;
  after: readonly string[];
  /** The query of an answer, edited; checked by the API. */
  edited: unknown;
  isOfAll: boolean;
  timeZone: string;
};

const language = isLanguage(LANGUAGE) ? LANGUAGE : undefined;
const isExplained = (question: string) => /^\s*(?:why|what caused|explain)\b/i.test(question);

export const questionsQueries = {
  ask: (api: ApiClient, { tenantId, question, after, edited, isOfAll, timeZone }: AskInput) =>
    queryOptions({
      queryKey: ["questions", tenantId, { question, after, edited, isOfAll, timeZone }],
      queryFn: ({ signal }): Promise<QuestionReply> => {
        const asked = {
          question,
          after: [...after],
          timeZone,
          language,
          ...(edited === undefined
            ? {}
            : {
                query: edited as QuestionQuery,
                kind: isExplained(question) ? ("explain" as const) : ("query" as const),
              }),
        };
        return isOfAll
          ? api.allQuestions.ask(asked, { signal })
          : api.questions.ask({ tenantId, ...asked }, { signal });
      },
      // Each asking is about now.
      staleTime: 60_000,
    }),

  choices: (api: ApiClient, tenantId: TenantId, timeZone: string) =>
    queryOptions({
      queryKey: ["questions", tenantId, "choices", timeZone],
      queryFn: ({ signal }): Promise<QuestionChoices> =>
        api.questions.choices({ tenantId, timeZone, language }, { signal }),
      staleTime: 5 * 60_000,
    }),

  /** What this person asked lately, or wants to see on the overview; newest first. */
  kept: (api: ApiClient, owner: Owner, list: List) =>
    queryOptions({
      queryKey: ["questions", owner.tenantId, owner.userId, list],
      queryFn: async ({ signal }): Promise<KeptQuestion[]> => {
        // The collection: asked for a document that is not there yet, a browser would log an error.
        const { tenantId, collection } = placeOf(owner, list);
        const { items } = await api.documents.list({ tenantId, collection }, { signal });
        return toKept(items.find(({ documentId }) => documentId === list)?.body["questions"]);
      },
    }),
};

function placeOf({ tenantId, userId }: Owner, list: List) {
  return { tenantId, collection: ownCollection(PURPOSE, userId), documentId: list };
}

/** What another program wrote is left out where it is no question. */
function toKept(value: unknown): KeptQuestion[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one): KeptQuestion[] => {
    const { question, after } = (one ?? {}) as Record<string, unknown>;
    const before: unknown[] = Array.isArray(after) ? after : [];
    return typeof question === "string"
      ? [{ question, after: before.filter((text) => typeof text === "string") }]
      : [];
  });
}

/** A list with a question in front, once. */
export function withQuestion(list: readonly KeptQuestion[], one: KeptQuestion): KeptQuestion[] {
  const others = list.filter(({ question }) => question !== one.question);
  return [one, ...others].slice(0, KEPT_MAX);
}

export async function saveKept(
  api: ApiClient,
  owner: Owner,
  { list, questions }: { list: List; questions: readonly KeptQuestion[] },
): Promise<void> {
  const body = {
    questions: questions.map(({ question, after }) => ({ question, after: [...after] })),
  };
  await api.documents.put({ ...placeOf(owner, list), body });
}
