import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createCredentialStore } from "#platform/credential.ts";
import { createQueryClient } from "#platform/query-client.ts";
import { createSetupLink } from "#platform/setup-link.ts";
import { App } from "./app.tsx";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no #root");
}

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <App credentials={createCredentialStore()} setupLink={createSetupLink(window)} />
    </QueryClientProvider>
  </StrictMode>,
);
