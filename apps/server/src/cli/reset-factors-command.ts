import type { Command, OptionValues } from "@commander-js/extra-typings";
import { endAgentGrantsOf } from "#modules/agents/index.ts";
import { getUserByName, resetFactors } from "#modules/identity/index.ts";
import { sendMail } from "#modules/notifications/index.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import { type Cli, examples } from "./cli.ts";
import { readOwnUrls } from "./read-own-urls.ts";
import type { CommandSession } from "./run-command.ts";

async function reset({ deps, context, config, target }: CommandSession, idOrEmail: string) {
  const { userId } = await getUserByName(deps, context, { idOrEmail });
  const urls = await readOwnUrls(config);
  const jobs = await openJobQueue({ target, logger: deps.logger });
  try {
    return await resetFactors(
      {
        ...deps,
        stage: { brand: config.brand.name, consoleUrl: urls.console },
        agents: {
          endAgentsOf: (tx, id, why) => endAgentGrantsOf(deps, tx, { userId: id, why }),
        },
        mailer: {
          sendMail: async (tx, mail) => {
            await sendMail({ ...deps, jobs }, tx, mail);
          },
        },
      },
      context,
      { userId },
    );
  } finally {
    await jobs.close();
  }
}

/** `turnpike users reset-factors`: for people who lost their second factors. */
export function addResetFactorsCommand(cli: Cli, users: Command<[], OptionValues>): void {
  users
    .command("reset-factors")
    .description("remove all second factors of a person who lost them, and end their sessions")
    .argument("<user>", "e-mail address or id of the person, who gets a mail about it")
    .addHelpText("after", examples("users reset-factors ada@example.com"))
    .action(async (idOrEmail) => {
      await cli.run(
        (session) => reset(session, idOrEmail),
        (user) => `${user.email ?? user.userId} signs in with the password alone now.`,
      );
    });
}
