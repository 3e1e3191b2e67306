import type { ReactNode } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { AlertProposal } from "./alert-proposal.view-model.ts";

type Open = { tenant: OwnTenant; onClose: () => void };

/** The dialogs in which an insight is acted on without leaving its place. They belong to other screens, so the route passes them. */
export type InsightDialogs = {
  renderKey: (
    input: Open & { keyId: string; task: "edit" | "revoke"; onDone: () => void },
  ) => ReactNode;
  renderAlert: (input: Open & { proposal: AlertProposal }) => ReactNode;
};
