import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { createdKey, createKeyRequest } from "./keys.ts";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, tenantId } from "./shapes.ts";
import { capAmount } from "./spend-cap.ts";

/** The most that wait for a decision in one tenant. */
export const PROPOSALS_MAX = 20;

const proposalId = z
  .string()
  .refine((value) => isId("proposal", value), {
    error: "Not the id of a proposal; it looks like prp_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["prp_0199f3b0c1d27a4e8f60112233445566"] });

const { name, environment, scopes, allowedNetworks, expiresAt } = createKeyRequest.shape;
/** What may be proposed of a key. */
export const proposedKey = z.strictObject({
  name,
  environment,
  scopes,
  allowedNetworks,
  expiresAt,
});

export const proposedCap = z.strictObject({ amount: capAmount });

/** The change, in the words of the operation that makes it. */
const change = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("create_key"), key: proposedKey }),
  z.strictObject({ do: z.literal("set_spend_cap"), ...proposedCap.shape }),
]);
export type ProposedChange = z.output<typeof change>;

export const proposalReason = displayText(500).describe(
  "Why, for the person who decides. It is shown as text.",
);

export const PROPOSAL_STATES = ["open", "accepted", "declined", "expired"] as const;

export const proposal = z.strictObject({
  proposalId,
  tenantId,
  change,
  reason: z.string(),
  state: z.enum(PROPOSAL_STATES),
  /** Kind and id of the actor, such as `key:key_…`. */
  proposedBy: z.string(),
  createdAt: instant,
  /** An open proposal can be accepted until then. */
  expiresAt: instant,
  /** Kind and id of the person. */
  decidedBy: z.string().nullable(),
  decidedAt: instant.nullable(),
});
export type Proposal = z.infer<typeof proposal>;

export const acceptedProposal = z.strictObject({
  proposal,
  /** The new key with its text, which is shown only here; null for another change. */
  createdKey: createdKey.nullable(),
});
export type AcceptedProposal = z.infer<typeof acceptedProposal>;

export const createProposalRequest = z.strictObject({ tenantId, change, reason: proposalReason });
export type CreateProposalRequest = z.output<typeof createProposalRequest>;

const tags = ["Proposals"];
const path = "/tenants/{tenantId}/proposals";

/** Changes that programs propose and people decide on. */
export const proposalsContract = {
  list: operation({ scope: "proposals:read" })
    .route({ method: "GET", path, summary: "List proposals, newest first", tags })
    .input(
      z.strictObject({ tenantId, state: z.enum(["open", "all"]).default("open"), ...pageQuery }),
    )
    .output(pageOf(proposal)),
  create: operation({ scope: "proposals:write" })
    .route({
      method: "POST",
      path,
      summary: "Propose a change",
      description: `Nothing changes before a person accepts, within seven days. At most ${String(PROPOSALS_MAX)} wait at a time.`,
      successStatus: 201,
      tags,
    })
    .input(createProposalRequest)
    .output(proposal),
  accept: operation({ scope: "proposals:write" })
    .route({
      method: "POST",
      path: `${path}/{proposalId}/accept`,
      summary: "Accept a proposal: makes the change",
      description:
        "Only a person may, with the scope that the change itself needs: `keys:write` for a key, `billing:write` for a cap.",
      tags,
    })
    .input(z.strictObject({ tenantId, proposalId }))
    .output(acceptedProposal),
  decline: operation({ scope: "proposals:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/{proposalId}/decline`,
      summary: "Decline a proposal",
      description: "A person may, and the program that made it takes it back this way.",
      tags,
    })
    .input(z.strictObject({ tenantId, proposalId }))
    .output(proposal),
};
