import { t } from "@lingui/core/macro";
import type { PageProps } from "#components/page.tsx";

/** The heading of `/billings`, also while there is no tenant. */
export const BILLINGS_PAGE: Pick<PageProps, "title" | "purpose"> = {
  title: t`Billings`,
  purpose: t`What this period costs so far, your invoices, and what happens next.`,
};
