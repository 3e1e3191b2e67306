import { agentsOfPerson } from "#modules/agents/index.ts";
import { movesOfPerson } from "#modules/cells/index.ts";
import { documentsOfPerson } from "#modules/documents/index.ts";
import type { PersonResource } from "#modules/identity/index.ts";
import { noticesOfPerson } from "#modules/notifications/index.ts";

/** What modules keep about a person: it is in the export of an account, and goes with it. */
export const PERSON_RESOURCES: readonly PersonResource[] = [
  documentsOfPerson,
  noticesOfPerson,
  agentsOfPerson,
  movesOfPerson,
];
