import { t } from "@lingui/core/macro";
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
  const refused = t`A call over a rate limit or a hard quota is denied with status 429 and a response that names the limit and when to try again.`;
  return hasQuota(plans, "soft")
    ? t`${refused} Calls over a soft quota are allowed and recorded.`
    : refused;
}

/** Chooses the words of the landing page: the operator's where there are some, else words that fit any API. */
export function toLandingCopy(
  { brand, urls }: NamedApi,
  content: Pick<LandingContent, "headline" | "summary" | "plans">,
): LandingCopy {
  const start = startsFree(content.plans)
    ? t`Start for free, and choose a plan when your traffic grows.`
    : t`Choose the plan that fits your traffic.`;
  return {
    headline: content.headline ?? t`The ${brand.name} API, ready for your first call`,
    summary:
      content.summary ??
      t`Create a key in a minute, call the API from any language, and see every call, limit and cost in one console. ${start}`,
    questions: [
      {
        question: t`What do I need to make a call?`,
        answer: t`An account, a key, and any HTTP client. Send the key as a bearer token to ${urls.gateway}; there is no library to install.`,
      },
      {
        question: t`What happens at a limit?`,
        answer: explainLimits(content.plans),
      },
      {
        question: t`Which calls are counted?`,
        answer: t`Calls that succeed, with a status of 2xx or 304. Calls that fail, or are denied because of a wrong key or a limit, appear in your analytics and cost nothing.`,
      },
      {
        question: t`Can I see my usage in real time?`,
        answer: t`Yes. A call appears in the console within about a second, and the remaining limits you see are the same numbers that are enforced.`,
      },
      {
        question: t`How do I keep my key safe?`,
        answer: t`It is shown once and stored only as a hash. Roll it whenever you like, with both keys valid while you switch; a revoked key stops working within a second.`,
      },
      {
        question: t`Can my team share an account?`,
        answer: t`Yes. Keys, usage and plans belong to a tenant, not to a person. Its members have roles, so one person can read usage while another manages keys.`,
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
