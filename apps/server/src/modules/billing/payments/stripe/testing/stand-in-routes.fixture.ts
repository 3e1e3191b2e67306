import { type Form, formOf, textOf, textsOf } from "./form.fixture.ts";
import {
  cancelIntent,
  confirmIntent,
  createIntent,
  createRefund,
  makeMethod,
} from "./stand-in-payments.fixture.ts";
import {
  ApiError,
  find,
  type Session,
  type Setup,
  type StandInState,
} from "./stand-in-state.fixture.ts";

type Call = { state: StandInState; id: string; form: Form; url: string };
/** One operation of the API: which parameters it takes, and what a restricted key must be allowed. */
type Operation = {
  route: `${"GET" | "POST"} ${string}`;
  permission: string;
  parameters: string;
  run(call: Call): object;
};

type Listed = {
  id: string;
  created: number;
  payment_intent?: string;
  customer?: string | null;
  type?: string;
};
const PAGE_DEFAULT = 10;

/** A page of a list, newest first, as `starting_after` and `limit` say. */
function listPage(all: Iterable<Listed>, form: Form, path: string): object {
  const since = Number(textOf(formOf(form, "created"), "gte") ?? 0);
  const types = Object.values(textsOf(formOf(form, "types")));
  const customer = textOf(form, "customer");
  const intent = textOf(form, "payment_intent");
  const matching = [...all]
    .reverse()
    .filter(
      (each) =>
        each.created >= since &&
        (customer === undefined || each.customer === customer) &&
        (intent === undefined || each.payment_intent === intent) &&
        (types.length === 0 || types.includes(each.type ?? "")),
    );
  const after = textOf(form, "starting_after");
  const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
  const limit = Number(textOf(form, "limit") ?? PAGE_DEFAULT);
  const data = matching.slice(from, from + limit);
  return { object: "list", url: path, has_more: from + limit < matching.length, data };
}

function createCustomer({ state, form }: Call): object {
  const customer = {
    ...state.base("cus", "customer"),
    name: textOf(form, "name") ?? null,
    email: textOf(form, "email") ?? null,
    metadata: textsOf(formOf(form, "metadata")),
  };
  state.customers.set(customer.id, customer);
  return customer;
}

function createSession({ state, form, url }: Call): object {
  if (textOf(form, "mode") !== "setup") {
    throw new ApiError(400, {
      message: "The stand-in has Checkout in setup mode only.",
      param: "mode",
    });
  }
  const customer = find(state.customers, textOf(form, "customer") ?? "", "customer");
  const setup: Setup = {
    ...state.base("seti", "setup_intent"),
    customer: customer.id,
    latest_attempt: null,
    payment_method: null,
    payment_method_types: ["card"],
    metadata: textsOf(formOf(formOf(form, "setup_intent_data"), "metadata")),
    status: "requires_payment_method",
    usage: "off_session",
  };
  state.setups.set(setup.id, setup);
  const base = state.base("cs_test", "checkout.session");
  const session: Session = {
    ...base,
    mode: "setup",
    customer: customer.id,
    currency: textOf(form, "currency") ?? "",
    success_url: textOf(form, "success_url") ?? "",
    cancel_url: textOf(form, "cancel_url") ?? "",
    expires_at: base.created + 24 * 3600,
    metadata: textsOf(formOf(form, "metadata")),
    payment_method_types: ["card"],
    payment_status: "no_payment_required",
    shipping_options: [],
    automatic_tax: { enabled: false, status: null },
    setup_intent: setup.id,
    status: "open",
    url: `${url}/checkout/${base.id}`,
  };
  state.sessions.set(session.id, session);
  return session;
}

function detach({ state, id }: Call): object {
  const method = find(state.methods, id, "payment_method");
  if (method.customer === null) {
    const message = "The payment method you provided is not attached to a customer.";
    throw new ApiError(400, { message, param: "payment_method" });
  }
  method.customer = null;
  return method;
}

const OPERATIONS: readonly Operation[] = [
  {
    route: "POST /v1/customers",
    permission: "customer_write",
    parameters: "name email metadata",
    run: createCustomer,
  },
  {
    route: "POST /v1/checkout/sessions",
    permission: "checkout_session_write",
    parameters: "mode customer currency success_url cancel_url metadata setup_intent_data",
    run: createSession,
  },
  {
    route: "GET /v1/setup_intents/:id",
    permission: "setup_intent_read",
    parameters: "",
    run: ({ state, id }) => find(state.setups, id, "intent"),
  },
  {
    route: "GET /v1/payment_methods/:id",
    permission: "payment_method_read",
    parameters: "",
    run: ({ state, id }) => find(state.methods, id, "payment_method"),
  },
  {
    route: "POST /v1/payment_methods/:id/attach",
    permission: "payment_method_write",
    parameters: "customer",
    // A named test method becomes one of the customer's own.
    run: ({ state, id, form }) => makeMethod(state, id, textOf(form, "customer") ?? null),
  },
  {
    route: "POST /v1/payment_methods/:id/detach",
    permission: "payment_method_write",
    parameters: "",
    run: detach,
  },
  {
    route: "POST /v1/payment_intents",
    permission: "payment_intent_write",
    parameters:
      "amount currency customer payment_method confirm off_session return_url description metadata",
    run: ({ state, form, url }) => createIntent(state, form, url),
  },
  {
    route: "GET /v1/payment_intents",
    permission: "payment_intent_read",
    parameters: "customer limit starting_after created",
    run: ({ state, form }) => listPage(state.intents.values(), form, "/v1/payment_intents"),
  },
  {
    route: "GET /v1/payment_intents/:id",
    permission: "payment_intent_read",
    parameters: "",
    run: ({ state, id }) => find(state.intents, id, "intent"),
  },
  {
    route: "POST /v1/payment_intents/:id/confirm",
    permission: "payment_intent_write",
    parameters: "payment_method return_url off_session",
    run: ({ state, id, form, url }) => confirmIntent(state, id, form, url),
  },
  {
    route: "POST /v1/payment_intents/:id/cancel",
    permission: "payment_intent_write",
    parameters: "cancellation_reason",
    run: ({ state, id }) => cancelIntent(state, id),
  },
  {
    route: "POST /v1/refunds",
    permission: "charge_write",
    parameters: "payment_intent amount metadata reason",
    run: ({ state, form }) => createRefund(state, form),
  },
  {
    route: "GET /v1/refunds",
    permission: "charge_read",
    parameters: "payment_intent limit starting_after",
    run: ({ state, form }) => listPage(state.refunds.values(), form, "/v1/refunds"),
  },
  {
    route: "GET /v1/refunds/:id",
    permission: "charge_read",
    parameters: "",
    run: ({ state, id }) => find(state.refunds, id),
  },
  {
    route: "GET /v1/disputes",
    permission: "dispute_read",
    parameters: "payment_intent limit starting_after",
    run: ({ state, form }) => listPage(state.disputes.values(), form, "/v1/disputes"),
  },
  {
    route: "GET /v1/events",
    permission: "event_read",
    parameters: "created types limit starting_after",
    run: ({ state, form }) => listPage(state.events, form, "/v1/events"),
  },
];

/** @throws {ApiError} 404 for what the stand-in does not have. */
export function findOperation(method: string, path: string): { operation: Operation; id: string } {
  const parts = path.split("/");
  for (const operation of OPERATIONS) {
    const [verb, pattern = ""] = operation.route.split(" ");
    const wanted = pattern.split("/");
    const isMatch =
      verb === method &&
      wanted.length === parts.length &&
      wanted.every((part, index) => part === ":id" || part === parts[index]);
    if (isMatch) {
      return { operation, id: parts[wanted.indexOf(":id")] ?? "" };
    }
  }
  throw new ApiError(404, { message: `Unrecognized request URL (${method}: ${path}).` });
}

/** @throws {ApiError} As Stripe does for a parameter that the operation does not have. */
export function assertParameters({ parameters }: Operation, form: Form): void {
  const known = new Set([...parameters.split(" "), "expand"]);
  const unknown = Object.keys(form).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const message = `Received unknown parameter: ${unknown}`;
    throw new ApiError(400, { code: "parameter_unknown", message, param: unknown });
  }
}

/** Puts objects where the API answers their ids, as `expand` asks. */
export function expand(state: StandInState, answer: object, form: Form): object {
  const paths = Object.values(textsOf(formOf(form, "expand")));
  const expandOne = (object: object, field: string) => {
    const id = Reflect.get(object, field);
    const all =
      { latest_charge: state.charges, latest_attempt: state.setupAttempts }[field] ?? state.methods;
    return { ...object, [field]: (typeof id === "string" ? all.get(id) : undefined) ?? null };
  };
  let expanded = answer;
  for (const path of paths) {
    if (path.startsWith("data.")) {
      const data: object[] = Reflect.get(expanded, "data");
      const field = path.slice("data.".length);
      expanded = { ...expanded, data: data.map((each) => expandOne(each, field)) };
    } else {
      expanded = expandOne(expanded, path);
    }
  }
  return expanded;
}
