import { createTurnpike } from "@turnpike/sdk";

/** One for the program: it holds the cache and what is to be caught up after an outage. */
export const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});
