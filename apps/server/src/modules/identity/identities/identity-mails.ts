import { said } from "@turnpike/domain/text/said";
import { type AccountMail, type MailStage, writeToOwner } from "../accounts/account-mails.ts";

type Owner = { name: string | null; email_verified: boolean };

/** Says that a provider was connected or disconnected, so that no one can do it unnoticed. */
export function identityMail(
  { brand, consoleUrl }: MailStage,
  owner: Owner,
  event: { kind: "connected" | "disconnected"; provider: string },
): AccountMail {
  const { provider } = event;
  const isConnected = event.kind === "connected";
  return {
    kind: "connected-provider",
    subject: isConnected
      ? said(`${provider} was connected to your account at ${brand}`)
      : said(`${provider} was disconnected from your account at ${brand}`),
    content: writeToOwner(owner, [
      isConnected
        ? said(
            `${provider} was connected to your account at ${brand}: an account there signs in to yours from now on.`,
          )
        : said(
            `${provider} was disconnected from your account at ${brand}. It no longer signs in to it.`,
          ),
      said(
        "If it was you, there is nothing to do. If it was not you, look at your account and sign out everywhere. Resetting your password disconnects every provider:",
      ),
      { label: "Look at your account", address: `${consoleUrl}/account` },
    ]),
  };
}
