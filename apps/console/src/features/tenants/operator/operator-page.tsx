import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { EmptyState } from "@turnpike/ui/empty-state";
import Lock from "lucide-react/icons/lock";
import { Page, type PageProps } from "#components/page.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";

/** A screen of the operator. Everyone else reads that it is none of theirs; the API refuses them as well. */
export function OperatorPage({ children, ...page }: PageProps) {
  const { user } = useVerifiedUser();
  return user.isOperator ? (
    <Page {...page}>{children}</Page>
  ) : (
    <Page title={page.title} purpose={t`A screen of those who operate this installation.`}>
      <EmptyState
        icon={<Lock />}
        title={t`This screen is for operators`}
        action={
          <ButtonLink link={<Link to="/overview" />}>
            <Trans>Open your overview</Trans>
          </ButtonLink>
        }
      >
        <Trans>Operators run the API that you call. What is yours is in the other screens.</Trans>
      </EmptyState>
    </Page>
  );
}
