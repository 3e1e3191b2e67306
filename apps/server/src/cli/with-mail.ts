import type { NotifyDeps } from "#modules/tenants/index.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import { readOwnUrls } from "./read-own-urls.ts";
import type { CommandSession } from "./run-command.ts";

/**
 * Does work that may write mails, with the queue from which the running product, or the next one that starts, sends them. Without
 * a mail server there is no queue: people see it in the console alone.
 */
export async function withMail<Result>(
  { deps, config, target }: CommandSession,
  work: (mail: Pick<NotifyDeps, "jobs" | "notices"> | undefined) => Promise<Result>,
): Promise<Result> {
  if (config.mail.smtp === undefined) {
    return await work(undefined);
  }
  const jobs = await openJobQueue({ target, logger: deps.logger });
  try {
    return await work({
      jobs,
      notices: {
        sendsMail: true,
        brandName: config.brand.name,
        consoleUrl: (await readOwnUrls(config)).console,
      },
    });
  } finally {
    await jobs.close();
  }
}
