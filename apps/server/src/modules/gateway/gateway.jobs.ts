import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { Transact } from "#platform/transact.ts";
import { forgetOldAnswers } from "./run-once.ts";

/** Every ten minutes: an answer that is a day old is not given again, and must not take room. */
export function createGatewayJobs(deps: { transact: Transact }): RegisteredJob[] {
  return [
    registerSchedule({
      name: "gateway.forget-answers",
      cron: "*/10 * * * *",
      run: () => forgetOldAnswers(deps),
    }),
  ];
}
