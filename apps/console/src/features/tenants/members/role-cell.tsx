import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { nameOfRole, type RoleName } from "@turnpike/domain/access/scopes";
import { inSentence } from "@turnpike/ui/language";
import { Select } from "@turnpike/ui/select";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { titleRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import {
  findRoleRefusal,
  isGrantable,
  type MemberQuestion,
  mayDo,
} from "../standing.view-model.ts";
import { type Member, type TenantId, tenantsQueries } from "../tenants.queries.ts";
import { nameMember } from "./name-member.ts";
import { useRoleOffers } from "./use-roles.ts";

export type RoleCellProps = {
  tenant: OwnTenant;
  member: Member;
  question: MemberQuestion;
  cursor: string | undefined;
};

/** A member's role: a choice if it can be changed, else its name and the reason. */
export function RoleCell({ tenant, member, question, cursor }: RoleCellProps) {
  const change = useChangeRole(tenant.tenantId, cursor, question.isSelf);
  const roles = useRoleOffers(tenant.tenantId);
  const refusal = findRoleRefusal(question);
  if (refusal !== undefined) {
    return (
      <div className="min-w-0 max-md:text-right">
        <p>{titleRole(member)}</p>
        {/* A note above the list explains a missing permission once. */}
        {mayDo(question.standing, "members:write") && (
          <p className="text-ink-muted text-xs">{refusal}</p>
        )}
      </div>
    );
  }
  return (
    <Select
      label={t`Role of ${nameMember(member)}`}
      className="w-40"
      value={member.role}
      choices={roles.map(({ held, title, note }) => ({
        value: nameOfRole(held),
        label: title,
        note,
        isDisabled: !isGrantable(question.standing, held),
      }))}
      onValueChange={(role) => {
        const offer = roles.find(({ held }) => nameOfRole(held) === role);
        if (role !== member.role && offer !== undefined) {
          change.mutate({ member, role, title: offer.title });
        }
      }}
    />
  );
}

/** Shows a new role at once, and reverts it with the reason when the server refuses. */
function useChangeRole(tenantId: TenantId, cursor: string | undefined, isSelf: boolean) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  const { queryKey } = tenantsQueries.members(api, tenantId, cursor);
  return useMutation({
    mutationKey: ["members", "change-role"],
    mutationFn: ({ member, role }: { member: Member; role: RoleName; title: string }) =>
      api.tenants.putMember({ tenantId, userId: member.userId, role }),
    onMutate: async ({ member, role }) => {
      await client.cancelQueries({ queryKey });
      const write = (shown: RoleName) =>
        client.setQueryData(queryKey, (page) =>
          page === undefined
            ? undefined
            : {
                ...page,
                items: page.items.map((one) =>
                  one.userId === member.userId ? { ...one, role: shown } : one,
                ),
              },
        );
      write(role);
      return { takeBack: () => write(member.role) };
    },
    onSuccess: (_, { member, title }) => {
      const role = inSentence(title);
      toast.success(isSelf ? t`You are now ${role}.` : t`${nameMember(member)} is now ${role}.`);
    },
    onError: (error, { member }, before) => {
      before?.takeBack();
      toast.error(t`The role of ${nameMember(member)} was not changed: ${toErrorMessage(error)}`);
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ["tenants", tenantId, "members"] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      if (isSelf) {
        await refresh();
      }
    },
  });
}
