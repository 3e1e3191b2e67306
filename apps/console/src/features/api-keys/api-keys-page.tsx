import { Page } from "#components/page.tsx";

/** `/api-keys` */
export function ApiKeysPage() {
  return <Page title="API keys" purpose="The keys with which this tenant calls the API." />;
}
