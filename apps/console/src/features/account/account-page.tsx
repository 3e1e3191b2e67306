import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@turnpike/ui/error-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import { lazy, Suspense } from "react";
import { Page } from "#components/page.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { accountQuery, type OwnAccount } from "./account.queries.ts";
import { AddressNotice } from "./address-notice.tsx";
import { DataSection } from "./data-section.tsx";
import { DeleteSection } from "./delete-section.tsx";
import { EmailSection } from "./email-section.tsx";
import { IdentitiesSection } from "./identities-section.tsx";
import { LanguageSection } from "./language-section.tsx";
import { NameSection } from "./name-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProviderSection } from "./provider-section.tsx";
import { SignInsSection } from "./sign-ins-section.tsx";

const SecondFactorsSection = lazy(async () => ({
  default: (await import("./second-factors/second-factors-section.tsx")).SecondFactorsSection,
}));

/** `/account`: what people change about their own accounts, one section each. */
export function AccountPage() {
  const { api } = usePlatform();
  const account = useQuery(accountQuery(api));
  return (
    <Page
      title={t`Your account`}
      purpose={t`Your name, how you sign in, and where you are signed in.`}
    >
      <div className="max-w-3xl space-y-4">
        {account.data === undefined ? (
          <Waiting query={account} />
        ) : (
          <Sections account={account.data} />
        )}
      </div>
    </Page>
  );
}

/** The order is that of the page. */
function Sections({ account }: { account: OwnAccount }) {
  const isHere = account.kind === "builtin";
  return (
    <>
      <AddressNotice account={account} />
      <ProviderSection account={account} />
      {isHere && (
        <>
          <NameSection account={account} />
          <EmailSection account={account} />
          <PasswordSection account={account} />
          <Suspense fallback={<Skeleton className="h-40 w-full" />}>
            <SecondFactorsSection />
          </Suspense>
          <SignInsSection />
        </>
      )}
      <LanguageSection account={account} />
      <IdentitiesSection account={account} />
      <DataSection />
      <DeleteSection />
    </>
  );
}

type WaitingProps = { query: { isError: boolean; error: Error | null; refetch: () => unknown } };

function Waiting({ query }: WaitingProps) {
  return query.isError ? (
    <ErrorState
      title={t`Your account could not be loaded.`}
      reason={toErrorMessage(query.error)}
      onRetry={() => void query.refetch()}
    />
  ) : (
    <Skeleton className="h-64 w-full" />
  );
}
