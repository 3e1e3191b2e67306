import { type Form, textOf } from "./form.fixture.ts";
import { finishAuthentication, makeMethod } from "./stand-in-payments.fixture.ts";
import { ApiError, find, type SetupAttempt, type StandInState } from "./stand-in-state.fixture.ts";

/** A page, or where the browser goes next. */
export type PageAnswer = { html: string } | { location: string };

const page = (title: string, body: string) => ({
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body><h1>${title}</h1>${body}</body></html>`,
});

function cardForm(message: string): { html: string } {
  return page(
    "Save a payment method",
    `<p role="alert">${message}</p><form method="post"><label>Card number <input name="number" required></label> <button>Save</button></form>`,
  );
}

/** Checkout in setup mode: takes a card and goes back to the shop. */
export function showCheckout(state: StandInState, id: string, form: Form | undefined): PageAnswer {
  const session = find(state.sessions, id);
  if (session.status !== "open") {
    return { location: session.success_url };
  }
  if (form === undefined) {
    return cardForm("");
  }
  try {
    const number = (textOf(form, "number") ?? "").replaceAll(" ", "");
    const method = makeMethod(state, number, session.customer);
    const setup = find(state.setups, session.setup_intent ?? "");
    const attempt: SetupAttempt = {
      ...state.base("setatt", "setup_attempt"),
      application: null,
      customer: session.customer,
      on_behalf_of: null,
      payment_method: method.id,
      payment_method_details: { type: method.type },
      setup_error: null,
      setup_intent: setup.id,
      status: "succeeded",
      usage: setup.usage,
    };
    state.setupAttempts.set(attempt.id, attempt);
    const payment_method = method.id;
    Object.assign(setup, { payment_method, latest_attempt: attempt.id, status: "succeeded" });
    Object.assign(session, { status: "complete", url: null });
    state.emit("setup_intent.succeeded", setup);
    return { location: session.success_url };
  } catch (error) {
    if (error instanceof ApiError) {
      return cardForm(error.message);
    }
    throw error;
  }
}

/** 3-D Secure: the customer authenticates, or not, and goes back to the shop. */
export function showAuthentication(
  state: StandInState,
  id: string,
  form: Form | undefined,
): PageAnswer {
  const intent = find(state.intents, id);
  const back = intent.next_action?.redirect_to_url.return_url;
  if (form === undefined || back === undefined) {
    return page(
      "Authenticate the payment",
      '<form method="post"><button name="answer" value="yes">Complete</button> <button name="answer" value="no">Fail</button></form>',
    );
  }
  finishAuthentication(state, id, textOf(form, "answer") === "yes");
  const location = new URL(back);
  location.searchParams.set("payment_intent", id);
  return { location: location.href };
}
