import { csharpHttpclient } from "@scalar/snippetz/plugins/csharp/httpclient";
import { goNative } from "@scalar/snippetz/plugins/go/native";
import { javaNethttp } from "@scalar/snippetz/plugins/java/nethttp";
import { jsFetch } from "@scalar/snippetz/plugins/js/fetch";
import { pythonRequests } from "@scalar/snippetz/plugins/python/requests";
import { shellCurl } from "@scalar/snippetz/plugins/shell/curl";
import { type Json, recordOf } from "@turnpike/domain/routes/json";
import type { Content, ReferenceOperation } from "@turnpike/domain/routes/read-reference";
import { sampleOf } from "./sample-value.ts";

/** The languages of samples; the first one is shown unless another is asked for. `fence` is its name in Markdown. */
export const LANGUAGES = [
  { id: "curl", label: "curl", fence: "sh", write: shellCurl },
  { id: "javascript", label: "JavaScript", fence: "js", write: jsFetch },
  { id: "python", label: "Python", fence: "python", write: pythonRequests },
  { id: "go", label: "Go", fence: "go", write: goNative },
  { id: "java", label: "Java", fence: "java", write: javaNethttp },
  { id: "csharp", label: "C#", fence: "csharp", write: csharpHttpclient },
] as const;

export type Language = (typeof LANGUAGES)[number];
const [CURL] = LANGUAGES;

/** The language that an address asks for; that of the shell when it asks for none that there is. */
export function findLanguage(id: string | null): Language {
  return LANGUAGES.find((language) => language.id === id) ?? CURL;
}

/** What an operation is sent, with values that fit. */
export type SampleRequest = {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  body: { type: string; text: string } | undefined;
  /** By the names of parameters. */
  values: Readonly<Record<string, string>>;
};

const JSON_TYPE = /[/+]json(;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(;|$)/i;
const TEXT_TYPE = /^text\//i;

/** The body that samples send: JSON where the operation takes it. */
export function findSampleBody({ body }: Pick<ReferenceOperation, "body">): Content | undefined {
  return body.find(({ type }) => JSON_TYPE.test(type)) ?? body[0];
}

/** Whether a sample can hold a body of this type: it cannot hold a file. */
export function isWritable({ type }: Content): boolean {
  return [JSON_TYPE, FORM_TYPE, TEXT_TYPE].some((known) => known.test(type));
}

function toText(value: unknown): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed();
}

/** @returns The empty text for a type that samples cannot hold. */
function writeBody({ type, schema }: Content, schemas: Json): string {
  const value = isWritable({ type, schema }) ? sampleOf(schema, schemas) : "";
  if (JSON_TYPE.test(type)) {
    return JSON.stringify(value, null, 2);
  }
  const fields = Object.entries(recordOf(value)).map(([name, field]): [string, string] => [
    name,
    toText(field),
  ]);
  return FORM_TYPE.test(type) ? new URLSearchParams(fields).toString() : toText(value);
}

/** @param credential - What follows `Authorization: Bearer `; undefined when none is needed. */
export function toSampleRequest(
  operation: ReferenceOperation,
  schemas: Json,
  credential: string | undefined,
): SampleRequest {
  const query = new URLSearchParams();
  const headers: SampleRequest["headers"] = [];
  const values: Record<string, string> = {};
  let address = operation.address;
  if (credential !== undefined) {
    headers.push({ name: "Authorization", value: `Bearer ${credential}` });
  }
  for (const { name, place, isRequired, schema } of operation.parameters) {
    const text = toText(sampleOf(schema, schemas));
    values[name] = text;
    if (place === "path") {
      address = address.replaceAll(`{${name}}`, encodeURIComponent(text));
    } else if (place === "query" && isRequired) {
      query.set(name, text);
    } else if (place === "header" && isRequired) {
      headers.push({ name, value: text });
    }
  }
  const content = findSampleBody(operation);
  if (content !== undefined) {
    headers.push({ name: "Content-Type", value: content.type });
  }
  return {
    method: operation.method,
    url: query.size === 0 ? address : `${address}?${query.toString()}`,
    headers,
    values,
    body: content && { type: content.type, text: writeBody(content, schemas) },
  };
}

/** Writes a request in a language. */
export function writeSample(request: SampleRequest, { write }: Language): string {
  const { method, url, headers, body } = request;
  return write.generate({
    method,
    url,
    headers,
    ...(body && { postData: { mimeType: body.type, text: body.text } }),
  });
}
