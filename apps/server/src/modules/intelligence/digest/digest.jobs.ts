import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { type DigestDeps, sendDigests } from "./send-digests.ts";

export function createDigestJobs(deps: DigestDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "insights.digest",
      // Eight in the morning is at a quarter of an hour in every zone; the scan of the hour before is at seven minutes past.
      cron: "*/15 * * * *",
      run: ({ signal }) => sendDigests(deps, signal),
    }),
  ];
}
