import type { Page, Route } from "playwright-core";

/** What a screen asked of the API, by path. */
export type Asked = ReadonlySet<string>;

const FAILURE = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "about:blank",
    title: "Something went wrong",
    status: 500,
    code: "INTERNAL_ERROR",
    detail: "Something went wrong. The request id finds it in the log.",
    error: "Something went wrong. The request id finds it in the log.",
    message: "Something went wrong. The request id finds it in the log.",
    requestId: "req_00000000000000000000000000000000",
    errors: [],
  }),
};

/** Notes the paths of the API that the page asks for, until `stop` is called. */
export function noteAsked(page: Page): { stop(): Asked } {
  const asked = new Set<string>();
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) {
      asked.add(pathname);
    }
  };
  page.on("request", note);
  return {
    stop: () => {
      page.off("request", note);
      return asked;
    },
  };
}

/** Breaks the answers that a page gets to some paths: they never come, or say that the server has failed. */
export async function breakAnswers(
  page: Page,
  { paths, how }: { paths: Asked; how: "held" | "failed" },
): Promise<void> {
  const concerns = (url: URL) => paths.has(url.pathname);
  const answer = async (route: Route) => {
    if (how === "failed") {
      await route.fulfill(FAILURE);
    }
  };
  await page.route(concerns, answer);
}
