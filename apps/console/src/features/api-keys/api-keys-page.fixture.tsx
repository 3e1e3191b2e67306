import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { act, cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { type ReactNode, useEffect, useState } from "react";
import { afterEach, beforeEach, vi } from "vitest";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { ToastArea } from "#components/toast-area.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { PlatformProvider, usePlatform } from "#platform/platform.tsx";
import {
  type FakeAnswer,
  type FakeAnswers,
  renderWithPlatform,
} from "#platform/render-with-platform.tsx";
import type { Key } from "./api-keys.queries.ts";
import { ApiKeysPage } from "./api-keys-page.tsx";
import type { ApiKeysSearch } from "./api-keys-search.view-model.ts";
import { answerSummaries, MAKER_ID, makeKey, makeOwnTenant, TENANT_ID } from "./keys.fixture.ts";

export const AT = `/tenants/${TENANT_ID}`;
export const SECRET = `tp_live_${"s".repeat(38)}`;

/** What jsdom lacks for the page, and a clean page for each test. */
export function stagePages(): void {
  beforeEach(() => {
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
    Element.prototype.scrollIntoView = () => undefined;
    Element.prototype.getAnimations = () => [];
    Element.prototype.setPointerCapture = () => undefined;
  });
  afterEach(() => {
    cleanup();
    localStorage.clear();
    sessionStorage.clear();
    vi.unstubAllGlobals();
  });
}

export type Stage = {
  user: ReturnType<typeof userEvent.setup>;
  /** The current search parameters of the address. */
  address: () => ApiKeysSearch;
  /** Search parameters of each list request. */
  lists: URLSearchParams[];
  /** Makes the person a viewer, as someone else changing their role would. */
  demote: () => void;
  /** Changes the address from outside the page, as Back does. */
  back: (search: ApiKeysSearch) => void;
  /** Goes to another screen. */
  leave: () => void;
};

type StageProps = {
  tenant: OwnTenant;
  search: ApiKeysSearch;
  /** Receives a function that changes the address, or leaves the page when given undefined. */
  onReady: (go: (search: ApiKeysSearch | undefined) => void) => void;
  onAddress: (search: ApiKeysSearch) => void;
  onDemotable: (demote: () => void) => void;
};

/** The page with an address that it can change. */
function StagedPage({ tenant: first, search, onReady, onAddress, onDemotable }: StageProps) {
  const [current, setCurrent] = useState<ApiKeysSearch | undefined>(search);
  const [tenant, setTenant] = useState(first);
  onDemotable(() => setTenant(makeOwnTenant("viewer")));
  useEffect(() => onReady(setCurrent), [onReady]);
  return (
    <>
      {current !== undefined && (
        <ApiKeysPage
          tenant={tenant}
          search={current}
          onSearchChange={(next) => {
            onAddress(next);
            setCurrent(next);
          }}
        />
      )}
      <ToastArea />
    </>
  );
}

/** The page of an installation whose operator has said, or has not, where calls with test keys go. */
function InInstallation({
  refusesTestKeys,
  children,
}: {
  refusesTestKeys: boolean;
  children: ReactNode;
}) {
  const platform = usePlatform();
  const gateway = { ...platform.config.gateway, refusesTestKeys };
  return (
    <PlatformProvider value={{ ...platform, config: { ...platform.config, gateway } }}>
      {children}
    </PlatformProvider>
  );
}

type Options = {
  refusesTestKeys?: boolean;
  keys?: readonly Key[];
  nextCursor?: string | null;
  search?: ApiKeysSearch;
  role?: OwnTenant["role"];
  list?: (request: Request) => FakeAnswer | Promise<FakeAnswer>;
  answers?: FakeAnswers;
};

/** Opens the page of keys with a faked API. */
export function openPage(options: Options = {}): Stage {
  const lists: URLSearchParams[] = [];
  let address = options.search ?? {};
  let demote: () => void = () => undefined;
  let go: (search: ApiKeysSearch | undefined) => void = () => undefined;
  const setGo = (next: typeof go) => {
    go = next;
  };
  // Charts of the panel link to Ask.
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  renderWithPlatform(
    <RouterContextProvider router={router}>
      <InInstallation refusesTestKeys={options.refusesTestKeys === true}>
        <StagedPage
          tenant={makeOwnTenant(options.role)}
          search={address}
          onReady={setGo}
          onAddress={(next) => {
            address = next;
          }}
          onDemotable={(next) => {
            demote = next;
          }}
        />
      </InInstallation>
    </RouterContextProvider>,
    {
      [`GET ${AT}/keys`]: (request) => {
        lists.push(new URL(request.url).searchParams);
        return (
          options.list?.(request) ?? {
            items: options.keys ?? [makeKey(1), makeKey(2)],
            nextCursor: options.nextCursor ?? null,
          }
        );
      },
      [`GET ${AT}/usage/keys`]: answerSummaries,
      [`GET ${AT}/members`]: () => ({
        items: [
          {
            userId: MAKER_ID,
            role: "owner",
            email: "ada@example.com",
            name: "Ada",
            createdAt: "2026-11-01T00:00:00.000Z",
          },
        ],
        nextCursor: null,
      }),
      [`GET ${AT}/key-scopes`]: () => ({
        management: ["keys:read"],
        custom: ["maps:read", "maps:write"],
      }),
      [`GET ${AT}/insights`]: () => makeInsightList(),
      "GET /plans": () => ({ items: [] }),
      "GET /meters": () => ({
        items: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
      }),
      "GET /page-data/landing": () => ({ samplePath: "/v1/quote" }),
      ...options.answers,
    },
  );
  return {
    user: userEvent.setup(),
    address: () => address,
    lists,
    back: (search) => go(search),
    leave: () => go(undefined),
    demote: () => act(demote),
  };
}

export const findRow = (name: RegExp) => screen.findByRole("row", { name });
