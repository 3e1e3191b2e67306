import { useQueryClient } from "@tanstack/react-query";
import type { ModelEvent } from "@turnpike/contract/model-answers";
import { useEffect, useRef, useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { modelStateKey } from "./model.queries.ts";
import { type ModelAnswer, NO_ANSWER, withEvent } from "./model-answer.view-model.ts";

export type ModelQuestion = { question: string; after: readonly string[]; timeZone: string };

type Asking = {
  state: "idle" | "running" | "stopped" | "failed" | "ended";
  answer: ModelAnswer;
  /** Why the stream could not be read. */
  failure?: string;
};

/** Asks the language model and gathers what it streams; leaving the screen stops it. */
export function useModelAnswer(tenant: OwnTenant, question: ModelQuestion) {
  const { events, config } = usePlatform();
  const client = useQueryClient();
  const [asking, setAsking] = useState<Asking>({ state: "idle", answer: NO_ANSWER });
  const running = useRef<AbortController>(undefined);
  // The outside system is the stream.
  useEffect(() => () => running.current?.abort(), []);

  async function ask(): Promise<void> {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    let answer = NO_ANSWER;
    setAsking({ state: "running", answer });
    try {
      const url = `${config.urls.api}/v1/tenants/${tenant.tenantId}/questions/model`;
      for await (const { name, data } of events(url, stop.signal, question)) {
        if (typeof data === "object") {
          answer = withEvent(answer, { kind: name, ...data } as ModelEvent);
          setAsking({ state: "running", answer });
        }
      }
      if (!stop.signal.aborted) {
        setAsking({ state: answer.end === undefined ? "stopped" : "ended", answer });
      }
    } catch (error) {
      setAsking({ state: "failed", answer, failure: toErrorMessage(error) });
    }
    await client.invalidateQueries({ queryKey: modelStateKey() });
  }

  return {
    ...asking,
    ask: () => void ask(),
    stop: () => {
      running.current?.abort();
      setAsking(({ answer }) => ({ state: "stopped", answer }));
    },
  };
}
