import type { LandingContent } from "@turnpike/contract/public-pages";

/** What the product is called, and where it is called. */
type NamedApi = { brand: { name: string }; urls: { gateway: string } };

export type LandingCopy = {
  headline: string;
  summary: string;
  questions: readonly { question: string; answer: string }[];
};

/** True when the plan that everybody starts on costs nothing. */
function startsFree(plans: LandingContent["plans"]): boolean {
  const start = plans.find((plan) => plan.isDefault);
  return start !== undefined && Number(start.pricePerMonth) === 0;
}

function hasQuota(plans: LandingContent["plans"], kind: "hard" | "soft"): boolean {
  return plans.some((plan) => plan.quotas.some((quota) => quota.kind === kind));
}

/** Says what happens at the limits that this catalogue really has. */
function explainLimits(plans: LandingContent["plans"]): string {
  const refused =
    "A call beyond a rate limit or a hard quota is refused with status 429 and a document that names the limit and when there is room again.";
  return hasQuota(plans, "soft")
    ? `${refused} Beyond a soft quota calls go on and are recorded.`
    : refused;
}

/** Chooses the words of the landing page: the operator's where there are some, else words that fit any API. */
export function toLandingCopy(
  { brand, urls }: NamedApi,
  content: Pick<LandingContent, "headline" | "summary" | "plans">,
): LandingCopy {
  const start = startsFree(content.plans)
    ? "Start for free, and choose a plan when your traffic asks for one."
    : "Choose the plan that fits your traffic.";
  return {
    headline: content.headline ?? `The ${brand.name} API, ready for your first call`,
    summary:
      content.summary ??
      `Create a key in a minute, call the API from any language, and see every call, limit and cost in one console. ${start}`,
    questions: [
      {
        question: "What do I need to make a call?",
        answer: `An account, a key, and any HTTP client. Send the key as a bearer token to ${urls.gateway}; there is no library to install.`,
      },
      {
        question: "What happens at a limit?",
        answer: explainLimits(content.plans),
      },
      {
        question: "Which calls are counted?",
        answer:
          "Those that the API answers well, with a status of 2xx or 304. Calls that it answers with an error, and those that are refused for a wrong key or a limit, are shown in your analytics and cost nothing.",
      },
      {
        question: "Can I see what I use as I use it?",
        answer:
          "Yes. A call appears in the console within about a second, and what is left of your limits is the very number that they are held against.",
      },
      {
        question: "How do I keep my key safe?",
        answer:
          "It is shown once and kept only as a hash. Roll it whenever you like, with both keys valid while you change over; a revoked key stops working within a second.",
      },
      {
        question: "Can my team share an account?",
        answer:
          "Keys, usage and plan belong to a tenant, not to a person. A tenant has members with roles, so that reading usage and managing keys can be different people’s work.",
      },
    ],
  };
}

/** What search engines and previews say about the landing page. */
export function toLandingHead(
  config: NamedApi,
  content: Pick<LandingContent, "headline" | "summary" | "plans">,
): { title: string; description: string } {
  const { headline, summary } = toLandingCopy(config, content);
  const title = headline.includes(config.brand.name)
    ? headline
    : `${headline} · ${config.brand.name}`;
  return { title, description: summary };
}
