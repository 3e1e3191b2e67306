/**
 * Sends the calls of a reference from its pages. The key stays in the memory of the page; nothing is sent but to the address
 * that the operation shows.
 */
const TIMEOUT_MS = 30_000;
const SHOWN_CHARACTERS = 100_000;
/** Of an answer, what a caller looks at first. */
const SHOWN_HEADERS = [
  "content-type",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "x-request-id",
];

let key = "";

/** @param {string} text */
function toReadable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {HTMLElement} form */
function toRequest(form) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let address = form.dataset["address"] ?? "";
  for (const input of form.querySelectorAll("[data-place]")) {
    const { name, value, dataset } = /** @type {HTMLInputElement} */ (input);
    if (dataset["place"] === "path") {
      address = address.replaceAll(`{${name}}`, encodeURIComponent(value));
    } else if (value !== "" && dataset["place"] === "query") {
      query.append(name, value);
    } else if (value !== "" && dataset["place"] === "header") {
      headers.set(name, value);
    }
  }
  const body = /** @type {HTMLTextAreaElement | null} */ (form.querySelector("textarea"));
  if (body !== null) {
    headers.set("content-type", body.dataset["type"] ?? "application/json");
  }
  if (key !== "") {
    headers.set("authorization", `Bearer ${key}`);
  }
  return {
    url: query.size === 0 ? address : `${address}?${query.toString()}`,
    init: { method: form.dataset["method"], headers, ...(body && { body: body.value }) },
  };
}

/** @param {HTMLElement} form */
async function send(form) {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  const { url, init } = toRequest(form);
  button.disabled = true;
  output.textContent = "Sending…";
  const startedAt = performance.now();
  try {
    // biome-ignore lint/plugin: a script of a public page, sent as it is; it has no client of the console.
    const response = await fetch(url, {
      ...init,
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const lines = [
      `${response.status} ${response.statusText} (${Math.round(performance.now() - startedAt)} ms)`,
      ...SHOWN_HEADERS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [`${name}: ${value}`];
      }),
      "",
      toReadable(text).slice(0, SHOWN_CHARACTERS),
    ];
    output.textContent = lines.join("\n");
  } catch (error) {
    const isSlow = error instanceof DOMException && error.name === "TimeoutError";
    output.textContent = isSlow
      ? `No answer within ${TIMEOUT_MS / 1000} seconds.`
      : "The call did not get through. Check the values, and whether the address can be reached from this browser.";
  } finally {
    button.disabled = false;
  }
}

for (const form of document.querySelectorAll(".try")) {
  const own = /** @type {HTMLElement} */ (form);
  own.hidden = false;
  const keyInput = /** @type {HTMLInputElement | null} */ (own.querySelector("[data-key]"));
  own.addEventListener("toggle", () => {
    if (keyInput !== null) {
      keyInput.value = key;
    }
  });
  keyInput?.addEventListener("input", () => {
    key = keyInput.value.trim();
  });
  own.querySelector("button")?.addEventListener("click", () => void send(own));
}
