import { html } from "../../apps/server/src/http/pages/html-page.ts";

export type Picture = {
  screen: string;
  state: string;
  look: string;
  /** Name of the file, beside the index. */
  file: string;
  /** What is wrong in it, a line each; empty when nothing is. */
  findings: readonly string[];
};

/** Renders the page that shows all pictures: a row for a screen, a column for a state, and what was found above them. */
export function renderIndex(pictures: readonly Picture[]): string {
  const screens = unique(pictures.map(({ screen }) => screen));
  const states = unique(pictures.map(({ state }) => state));
  const faulty = pictures.filter(({ findings }) => findings.length > 0);
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every screen in every state</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; }
  th { text-align: left; vertical-align: top; position: sticky; top: 0; background: #fff; }
  td { vertical-align: top; padding: 8px; border-top: 1px solid #ddd; }
  figure { display: inline-block; margin: 0 8px 8px 0; }
  img { display: block; height: 180px; max-width: 320px; object-fit: cover; object-position: top; border: 1px solid #ddd; }
  .faulty img { border: 3px solid #c00; }
</style>
<h1>Every screen in every state</h1>
<p>${pictures.length} pictures, ${faulty.length} with findings.</p>
<ul>${faulty.map(
    ({ file, findings }) =>
      html`<li><a href="${file}">${file}</a><ul>${findings.map((finding) => html`<li>${finding}</li>`)}</ul></li>`,
  )}</ul>
<table>
<thead><tr><th>Screen</th>${states.map((state) => html`<th>${state}</th>`)}</tr></thead>
<tbody>${screens.map(
    (screen) =>
      html`<tr><th>${screen}</th>${states.map(
        (state) =>
          html`<td>${pictures
            .filter((picture) => picture.screen === screen && picture.state === state)
            .map(
              ({ look, file, findings }) =>
                html`<figure class="${findings.length > 0 ? "faulty" : "clean"}"><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${look}</figcaption></figure>`,
            )}</td>`,
      )}</tr>`,
  )}</tbody>
</table>
</html>
`.html;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
