import type { MailTest } from "@turnpike/contract/outbox";
import { z } from "zod";
import { createMailTransport, testMail } from "#modules/notifications/index.ts";
import { createLogoDrawer } from "#modules/tenants/index.ts";
import { createBrandLogo } from "../brand-logo.ts";
import { toMailSettings } from "../to-mail-settings.ts";
import { type Cli, examples } from "./cli.ts";
import { parseInput } from "./parse-input.ts";
import { toRecord } from "./print.ts";

const EXIT_FAILED = 1;
const testInput = z.strictObject({ to: z.email().max(320) });

function toText({ outcome, explanation, answer, mailId }: MailTest): string {
  return toRecord([
    ["Result", outcome === "accepted" ? "accepted" : "not sent"],
    ["Meaning", explanation],
    ["Server", answer ?? "-"],
    ["Mail", mailId],
  ]);
}

/** `turnpike mail …`: whether mails leave this installation. */
export function addMailCommands(cli: Cli): void {
  cli.program
    .command("mail")
    .description("try the mail server")
    .command("test")
    .description(
      "send a test mail now, through the configured mail server, and say what it answered",
    )
    .argument("<address>", "e-mail address that gets it")
    .addHelpText("after", examples("mail test you@example.com"))
    .action(async (address) => {
      const input = parseInput(testInput, { to: address }, { to: "<address>" });
      const { outcome } = await cli.run(async ({ deps, context, config }) => {
        const mailTransport = createMailTransport(toMailSettings(config), {
          logger: deps.logger,
          findLogo: createBrandLogo({
            mark: config.brand.mark,
            drawer: createLogoDrawer(),
            logger: deps.logger,
          }),
        });
        try {
          const sending = { ...deps, mailTransport, brandName: config.brand.name };
          return await testMail(sending, context, input);
        } finally {
          mailTransport.close();
        }
      }, toText);
      if (outcome === "failed") {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });
}
