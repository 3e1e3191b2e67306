import type { PersonAgents } from "#modules/identity/index.ts";
import type { MemberKeys } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { GuardedOutbound } from "#platform/guarded-outbound.ts";
import type { Sealer } from "#platform/sealer.ts";

/** Finds the TXT records of a name; an empty list when there are none. */
export type FindTxtRecords = (name: string) => Promise<string[]>;

export type SsoDeps = AppServices & {
  /** False where the built-in sign-in is off: sign-ins of tenants go through it. */
  isOffered: boolean;
  /** E-mail addresses of operators in the configuration. */
  operators: readonly string[];
  /** Calls providers: their addresses come from tenants. */
  providers: Pick<GuardedOutbound, "exchange">;
  /** For client secrets. */
  sealer: Sealer;
  findTxtRecords: FindTxtRecords;
  /** Sign-ins that end take the person's agents with them. */
  agents: PersonAgents;
  /** A directory that removes a member leaves their keys, and names them. */
  memberKeys: MemberKeys;
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
};
