import { expect, it } from "vitest";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { toOverviewFailure } from "./overview-failure.ts";

function refusal(code: string): RequestError {
  const message = "Ask for a shorter range.";
  return new RequestError(message, { data: { body: { code, message, requestId: "req_1" } } });
}

it("leads to a shorter range, which this screen cannot choose", () => {
  const failure = toOverviewFailure(refusal("QUERY_TOO_COSTLY"));
  expect(toErrorMessage(failure)).toMatch(/last 30 days.* Open Analytics/);
  expect(failure).toMatchObject({ requestId: "req_1" });
});

it("says every other failure as the server says it", () => {
  const failure = refusal("OVERLOADED");
  expect(toOverviewFailure(failure)).toBe(failure);
  expect(toOverviewFailure(null)).toBe(null);
});
