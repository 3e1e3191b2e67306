import { Resolver } from "node:dns/promises";
import { endAgentGrantsOf } from "#modules/agents/index.ts";
import type { FindTxtRecords, SsoDeps } from "#modules/sso/index.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { createSealer } from "#platform/sealer.ts";
import { ensureSecretFile } from "#platform/secret-file.ts";
import type { Config } from "./config.ts";
import { dataPath, type Installation } from "./deps.ts";

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/** The secret of the built-in provider. @throws {StartupError} `SECRET_FILE_UNUSABLE` when its file holds none. */
export async function readIdentitySecret(config: Config): Promise<string> {
  return (
    config.identitySecret ??
    (await ensureSecretFile(dataPath(config, "secrets"), "identity-secret"))
  );
}

/** Asks the name servers of the configuration, or of the system. */
function createTxtFinder(nameServers: readonly string[]): FindTxtRecords {
  return async (name) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (nameServers.length > 0) {
      resolver.setServers(nameServers);
    }
    // A name without records, an unknown one and a server that does not answer all say the same: it is not proven.
    const records = await resolver.resolveTxt(name).catch(() => []);
    return records.map((parts) => parts.join(""));
  };
}

/** What the single sign-on of tenants needs. */
export function openSso(
  { config, services, memberKeys }: Pick<Installation, "config" | "services" | "memberKeys">,
  { consoleUrl, identitySecret }: { consoleUrl: string; identitySecret: string },
): SsoDeps {
  const { singleSignOn } = config.identity;
  return {
    ...services,
    consoleUrl,
    isOffered: config.identity.builtin,
    operators: config.identity.operators,
    providers: createGuardedOutbound({ allowPrivate: singleSignOn.allowPrivate }),
    sealer: createSealer(identitySecret, "client secrets of single sign-on"),
    memberKeys,
    findTxtRecords: createTxtFinder(singleSignOn.nameServers),
    agents: {
      endAgentsOf: (tx, userId, why) => endAgentGrantsOf(services, tx, { userId, why }),
    },
  };
}
