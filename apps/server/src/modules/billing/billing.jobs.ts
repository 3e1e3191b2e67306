import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { closeDue } from "./closing/close-due.ts";
import { lapseTopUps, topUpLowAccounts } from "./credits/top-up-low-accounts.ts";
import { refreshFigures } from "./customers/refresh-figures.ts";
import { createDocumentPrinter } from "./documents/document-printer.ts";
import { mailDocuments } from "./documents/mail/mail-documents.ts";
import { type MigrateDeps, migrateJob, moveSubscribers } from "./migration/move-subscribers.ts";
import { applyProviderObject } from "./payments/apply-provider-object.ts";
import { collectDue } from "./payments/collect-due.ts";
import { applyEvent, applyEventJob } from "./payments/events/apply-event.ts";
import { sweepEvents } from "./payments/events/sweep-events.ts";
import { sendDueRefunds } from "./payments/send-refund.ts";
import { watchSpend } from "./spend-cap/watch-spend.ts";

export function createBillingJobs(
  deps: MigrateDeps & Required<Pick<BillingDeps, "mail">>,
): RegisteredJob[] {
  const printer = createDocumentPrinter(deps.billing);
  return [
    registerSchedule({
      name: "billing.close",
      cron: "* * * * *",
      run: ({ signal }) => closeDue(deps, { signal }),
    }),
    registerSchedule({
      name: "billing.collect",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await collectDue(deps, { signal });
        await sendDueRefunds(deps);
      },
    }),
    registerSchedule({
      name: "billing.topUps",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await lapseTopUps(deps);
        await topUpLowAccounts(deps, { signal });
      },
    }),
    registerSchedule({
      name: "billing.mail",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await mailDocuments({ ...deps, printer }, { signal });
      },
    }),
    registerSchedule({
      name: "billing.spend",
      cron: "* * * * *",
      run: ({ signal }) => watchSpend(deps, { signal }),
    }),
    registerSchedule({
      name: "billing.figures",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await refreshFigures(deps, { signal });
      },
    }),
    registerSchedule({
      name: "payments.sweep",
      cron: "*/5 * * * *",
      run: () => sweepEvents(deps),
    }),
    registerJob({
      job: applyEventJob,
      run: async (key, { signal }) => {
        const kind = await applyEvent(
          { ...deps, applyProviderObject: (applied) => applyProviderObject(deps, applied) },
          key,
        );
        // The customer who has just entered a card looks at the open invoice: it is not left for the next minute.
        if (kind === "method") {
          await collectDue(deps, { signal });
        }
      },
    }),
    registerJob({
      job: migrateJob,
      run: (payload, attempt) => moveSubscribers(deps, payload, attempt),
    }),
  ];
}
