import {
  type AttemptLimits,
  createIdentityProvider,
  type IdentityProvider,
} from "#modules/identity/index.ts";
import { sendMail } from "#modules/notifications/index.ts";
import { createSingleSignOn, type SsoDeps } from "#modules/sso/index.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import type { Installation } from "./deps.ts";
import { confirmsEmail } from "./public-config.ts";

/**
 * Starts the built-in sign-in, as the configuration says.
 *
 * @returns `undefined` when only providers elsewhere vouch for people.
 * @throws {StartupError} `SECRET_FILE_UNUSABLE` when the file of its secret holds none.
 */
export async function openIdentityProvider(input: {
  installation: Pick<Installation, "config" | "services">;
  jobs: JobQueue;
  /** Public address, without a slash at the end. */
  consoleUrl: string;
  sso: SsoDeps;
  identitySecret: string;
  /** Of all threads that serve; left out: this one counts for itself. */
  attempts?: AttemptLimits | undefined;
}): Promise<IdentityProvider | undefined> {
  const { config, services } = input.installation;
  if (!config.identity.builtin) {
    return;
  }
  const mailing = { ...services, jobs: input.jobs };
  return await createIdentityProvider(
    {
      ...services,
      attempts: input.attempts,
      agents: input.sso.agents,
      singleSignOn: createSingleSignOn(input.sso),
      mailer: {
        sendMail: async (tx, mail) => {
          await sendMail(mailing, tx, mail);
        },
      },
    },
    {
      consoleUrl: input.consoleUrl,
      brand: config.brand.name,
      confirmEmail: confirmsEmail(config),
      passwordLengthMin: config.identity.passwordLengthMin,
      secondFactor: config.identity.secondFactor,
      operators: config.identity.operators,
      secret: input.identitySecret,
      trustedProxies: config.trustedProxies,
    },
  );
}
