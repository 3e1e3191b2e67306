import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";

/** A question as a screen of the console sends it: the parameters of `GET /v1/tenants/{tenantId}/usage`. */
export type ScreenQuestion = { name: string; parameters: Readonly<Record<string, string>> };

const FIGURES = "requests,errors,error_rate,denied,latency_p50,latency_p95,latency_p99";
const TOP = { order: "-requests", limit: "10" };
const CHOICES = { order: "-requests", limit: "100", measures: "requests" };

function overview(toMs: number, timeZone: string): ScreenQuestion[] {
  const range = { from: new Date(toMs - 30 * DAY_MS).toISOString(), grain: "day", timeZone };
  return [
    {
      name: `overview figures, ${timeZone}`,
      parameters: {
        ...range,
        measures: "requests,errors,error_rate,denied,latency_p95",
        compare: "previous",
      },
    },
    {
      name: `overview outcomes, ${timeZone}`,
      parameters: { ...range, measures: "requests", dimensions: "outcome" },
    },
  ];
}

function analytics(
  toMs: number,
  { label, lastMs, grain }: { label: string; lastMs: number; grain: string },
): ScreenQuestion[] {
  const range = { from: new Date(toMs - lastMs).toISOString(), timeZone: "Europe/Berlin" };
  const of = (name: string, parameters: Record<string, string>) => ({
    name: `analytics ${label}, ${name}`,
    parameters: { ...range, ...parameters },
  });
  return [
    of("figures", { measures: FIGURES, grain, compare: "previous" }),
    of("outcomes over time", { measures: "requests", dimensions: "outcome", grain }),
    of("statuses", { measures: "requests", dimensions: "status", order: "-requests" }),
    of("denials", { measures: "requests,denied", dimensions: "outcome", order: "-denied" }),
    of("top routes", { measures: "requests", dimensions: "route", ...TOP }),
    of("top keys", { measures: "requests", dimensions: "key", ...TOP }),
    of("choices of routes", { dimensions: "route", ...CHOICES }),
    of("choices of keys", { dimensions: "key", ...CHOICES }),
    of("filtered figures", {
      measures: FIGURES,
      grain,
      compare: "previous",
      outcome: "VALID",
      status_class: "2xx",
    }),
  ];
}

/** What Overview and Analytics ask for one tenant, with the ranges that people choose. @param toMs - The end of all ranges. */
export function listScreenQuestions(toMs: number): ScreenQuestion[] {
  const questions = [
    ...overview(toMs, "Europe/Berlin"),
    // Where days begin at half an hour, an hour of each day is read by the minute.
    ...overview(toMs, "Asia/Kolkata"),
    ...analytics(toMs, { label: "1 hour", lastMs: HOUR_MS, grain: "minute" }),
    ...analytics(toMs, { label: "24 hours", lastMs: DAY_MS, grain: "hour" }),
    ...analytics(toMs, { label: "7 days", lastMs: 7 * DAY_MS, grain: "hour" }),
    ...analytics(toMs, { label: "30 days", lastMs: 30 * DAY_MS, grain: "day" }),
  ];
  const to = new Date(toMs).toISOString();
  return questions.map(({ name, parameters }) => ({ name, parameters: { ...parameters, to } }));
}

export function toQuestionPath(tenantId: string, question: ScreenQuestion): string {
  return `/v1/tenants/${tenantId}/usage?${new URLSearchParams(question.parameters).toString()}`;
}
