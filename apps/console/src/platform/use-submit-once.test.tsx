// @vitest-environment jsdom
import { QueryClient, QueryClientProvider, useMutation } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { type SubmitAgain, useSubmitOnce } from "./use-submit-once.ts";

afterEach(cleanup);

type SendButtonProps = { again: SubmitAgain; send: () => Promise<void> };

function SendButton({ again, send }: SendButtonProps) {
  const sending = useMutation({ mutationFn: send });
  const sendOnce = useSubmitOnce(sending.mutateAsync, again);
  return (
    <button type="button" onClick={() => sendOnce()}>
      {sending.status}
    </button>
  );
}

/** A button that sends, and the answers to what it sent, to be given by the test. */
function openButton(again: SubmitAgain) {
  const sent: PromiseWithResolvers<void>[] = [];
  const send = () => {
    const answer = Promise.withResolvers<void>();
    sent.push(answer);
    return answer.promise;
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SendButton again={again} send={send} />
    </QueryClientProvider>,
  );
  return sent;
}

/** Two presses before anything is rendered. */
function pressTwice(): void {
  fireEvent.click(screen.getByRole("button"));
  fireEvent.click(screen.getByRole("button"));
}

it("sends one request for two presses in one tick", async () => {
  const sent = openButton("settled");
  pressTwice();
  await screen.findByText("pending");
  expect(sent).toHaveLength(1);
});

it.each(["failed", "settled"] as const)("sends again once a request failed (%s)", async (again) => {
  const sent = openButton(again);
  pressTwice();
  await screen.findByText("pending");
  sent[0]?.reject(new Error("No."));
  await screen.findByText("error");
  pressTwice();
  await screen.findByText("pending");
  expect(sent).toHaveLength(2);
});

it("sends nothing more from a form that has done its work, and again from one that stays", async () => {
  for (const [again, count] of [
    ["failed", 1],
    ["settled", 2],
  ] as const) {
    const sent = openButton(again);
    pressTwice();
    await screen.findByText("pending");
    sent[0]?.resolve();
    await screen.findByText("success");
    pressTwice();
    await screen.findByText(again === "failed" ? "success" : "pending");
    expect(sent).toHaveLength(count);
    cleanup();
  }
});
