import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CodeBlock } from "@turnpike/ui/code-block";
import { EmptyState } from "@turnpike/ui/empty-state";
import ListTree from "lucide-react/icons/list-tree";
import { DocsLink } from "#components/docs-link.tsx";

const SETTING = `clickhouse:
  url: https://clickhouse.internal:8443
  callsDays: 30`;

/** How the log of calls is switched on. */
export function CallsAreOff() {
  return (
    <EmptyState
      icon={<ListTree />}
      title={t`Calls of all tenants are not logged`}
      action={
        <div className="w-full max-w-md text-left">
          <CodeBlock code={SETTING} subject="turnpike.yaml" />
        </div>
      }
    >
      <Trans>
        A ClickHouse can keep every call for as many days as you say. Name it in the configuration,
        and start again: calls are logged from then on.{" "}
        <DocsLink page="scale#every-call">What is logged</DocsLink>
      </Trans>
    </EmptyState>
  );
}
