import { implement } from "@orpc/server";
import { ID_TOKEN_LENGTH_MAX, verifyTokenRequest } from "@turnpike/contract/auth";
import { invitationsContract } from "@turnpike/contract/invitations";
import { tenantsContract } from "@turnpike/contract/tenants";
import type { HttpContext } from "#http/http-context.ts";
import { readJson } from "#http/json-body.ts";
import { findRequestLanguage } from "#http/pages/page-language.ts";
import { type RawRoute, sendJson } from "#http/raw-route.ts";
import { type AttemptLimits, ensureUser, toNetwork } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { acceptInvitation, previewInvitation } from "./accept-invitation.ts";
import { createInvitation } from "./create-invitation.ts";
import { createInvitations } from "./create-invitations.ts";
import { type CreateTenantDeps, createTenant } from "./create-tenant.ts";
import { type DeleteTenantDeps, deleteTenant } from "./delete-tenant.ts";
import { getTenant } from "./get-tenant.ts";
import { listDeletedTenants } from "./list-deleted-tenants.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { listTenants } from "./list-tenants.ts";
import { putMember } from "./put-member.ts";
import { type RemoveMemberDeps, removeMember } from "./remove-member.ts";
import { resendInvitation } from "./resend-invitation.ts";
import { restoreTenant } from "./restore-tenant.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import type { InvitationsDeps } from "./send-invitation.ts";
import type { WithPlans } from "./to-tenant-reply.ts";
import { type UpdateTenantDeps, updateTenant } from "./update-tenant.ts";
import { type VerifySignInDeps, verifySignIn } from "./verify-sign-in.ts";

export function createTenantsRoutes(
  deps: CreateTenantDeps & RemoveMemberDeps & DeleteTenantDeps & UpdateTenantDeps,
) {
  const os = implement(tenantsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) => createTenant(deps, context.call(), input)),
    list: os.list.handler(({ input, context }) => listTenants(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getTenant(deps, context.call(), input)),
    update: os.update.handler(({ input, context }) => updateTenant(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) => deleteTenant(deps, context.call(), input)),
    listDeleted: os.listDeleted.handler(({ input, context }) =>
      listDeletedTenants(deps, context.call(), input),
    ),
    restore: os.restore.handler(({ input, context }) => restoreTenant(deps, context.call(), input)),
    listMembers: os.listMembers.handler(({ input, context }) =>
      listMembers(deps, context.call(), input),
    ),
    putMember: os.putMember.handler(({ input, context }) => putMember(deps, context.call(), input)),
    removeMember: os.removeMember.handler(({ input, context }) =>
      removeMember(deps, context.call(), input),
    ),
    ensureUser: os.ensureUser.handler(({ input, context }) =>
      ensureUser(deps, context.call(), input),
    ),
  });
}

export type InvitationsRoutesDeps = AppServices &
  InvitationsDeps &
  WithPlans & { attempts: AttemptLimits };

export function createInvitationsRoutes(deps: InvitationsRoutesDeps) {
  const os = implement(invitationsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) =>
      createInvitation(deps, context.call(), input),
    ),
    createMany: os.createMany.handler(({ input, context }) =>
      createInvitations(deps, context.call(), input),
    ),
    resend: os.resend.handler(({ input, context }) =>
      resendInvitation(deps, context.call(), input),
    ),
    list: os.list.handler(({ input, context }) => listInvitations(deps, context.call(), input)),
    revoke: os.revoke.handler(({ input, context }) =>
      revokeInvitation(deps, context.call(), input),
    ),
    preview: os.preview.handler(async ({ input, context }) => {
      const attempt = { network: toNetwork(context.clientAddress()) };
      await deps.attempts.take("link", attempt);
      const preview = await previewInvitation(deps, input);
      // Reloading the page of a valid link is not guessing.
      deps.attempts.giveBack("link", attempt);
      return preview;
    }),
    accept: os.accept.handler(({ input, context }) =>
      acceptInvitation(deps, context.call(), input),
    ),
  });
}

const VERIFY_BYTES_MAX = ID_TOKEN_LENGTH_MAX + 1_024;

/** `POST /auth/verify`, to which the console sends each ID token. */
export function createSignInRawRoutes(deps: VerifySignInDeps): RawRoute[] {
  return [
    {
      method: "POST",
      path: "/auth/verify",
      async handle({ req, res }) {
        const input = await readJson(req, verifyTokenRequest, VERIFY_BYTES_MAX);
        const language = findRequestLanguage(req);
        sendJson(res, 200, await verifySignIn(deps, { ...input, language }));
      },
    },
  ];
}
