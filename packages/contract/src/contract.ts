import { setupContract } from "./auth.ts";
import { catalogContract } from "./catalog.ts";
import { documentsContract } from "./documents.ts";
import { filesContract } from "./files.ts";
import { invitationsContract } from "./invitations.ts";
import { keyImportContract } from "./key-import.ts";
import { keysContract, serviceKeysContract } from "./keys.ts";
import { notificationsContract, outboxContract } from "./notifications.ts";
import { tenantsContract } from "./tenants.ts";
import { usageContract } from "./usage.ts";

/** Everything under `/v1`, by module. */
export const contract = {
  setup: setupContract,
  tenants: tenantsContract,
  invitations: invitationsContract,
  catalog: catalogContract,
  keys: { ...keysContract, ...keyImportContract },
  serviceKeys: serviceKeysContract,
  usage: usageContract,
  files: filesContract,
  documents: documentsContract,
  notifications: notificationsContract,
  outbox: outboxContract,
};
