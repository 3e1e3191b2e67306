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
    "A call over a rate limit or a hard quota is refused with status 429 and a response that names the limit and when to try again.";
  return hasQuota(plans, "soft")
    ? `${refused} Calls over a soft quota are allowed and recorded.`
    : refused;
}

/** Chooses the words of the landing page: the operator's where there are some, else words that fit any API. */
export function toLandingCopy(
  { brand, urls }: NamedApi,
  content: Pick<LandingContent, "headline" | "summary" | "plans">,
): LandingCopy {
  const start = startsFree(content.plans)
    ? "Start for free, and choose a plan when your traffic grows."
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
          "Calls that succeed, with a status of 2xx or 304. Calls that fail, or are refused because of a wrong key or a limit, appear in your analytics and cost nothing.",
      },
      {
        question: "Can I see my usage in real time?",
        answer:
          "Yes. A call appears in the console within about a second, and the remaining limits you see are the same numbers that are enforced.",
      },
      {
        question: "How do I keep my key safe?",
        answer:
          "It is shown once and stored only as a hash. Roll it whenever you like, with both keys valid while you switch; a revoked key stops working within a second.",
      },
      {
        question: "Can my team share an account?",
        answer:
          "Yes. Keys, usage and plans belong to a tenant, not to a person. Its members have roles, so one person can read usage while another manages keys.",
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
