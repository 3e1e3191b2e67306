import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type OwnAddresses, withOwnAddresses } from "./own-addresses.ts";
import { type RenderedMarkdown, renderMarkdown } from "./render-markdown.ts";

/** The folders whose pages are served; nothing else in the repository can be reached. */
export const SECTIONS = { guides: ".", errors: "errors", decisions: "decisions" } as const;
export type Section = keyof typeof SECTIONS;

export type DocumentationPage = RenderedMarkdown & {
  section: Section;
  /** File name without `.md`. */
  name: string;
  /** Its address, such as `/docs/errors/rate-limited`. */
  href: string;
  /** Path below `docs/`, such as `errors/rate-limited.md`. */
  file: string;
  /** Its Markdown, with samples for this installation. */
  source: string;
};

export type DocumentationPages = {
  /** Undefined when there is no such page, or no page can have that name. */
  find(section: Section, name: string): Promise<DocumentationPage | undefined>;
  /** All pages of a section, by name. */
  list(section: Section): Promise<DocumentationPage[]>;
};

/** No dots and no slashes: a name cannot leave its folder. */
const NAME = /^[a-z0-9][a-z0-9-]{0,99}$/;
/** Several times the longest page. */
const PAGE_BYTES_MAX = 512 * 1024;
const PAGES_MAX = 500;

function toHref(section: Section, name: string): string {
  return section === "guides" ? `/docs/${name}` : `/docs/${section}/${name}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * Reads the Markdown pages of the repository, each rendered once and again when its file has changed.
 *
 * @param folder - Absolute path of `docs`.
 * @param own - The addresses for code samples; left out where only the addresses of pages matter.
 */
export function createDocumentationPages(folder: string, own?: OwnAddresses): DocumentationPages {
  const rendered = new Map<string, { version: string; page: DocumentationPage }>();

  async function find(section: Section, name: string): Promise<DocumentationPage | undefined> {
    if (!NAME.test(name)) {
      return;
    }
    const path = join(folder, SECTIONS[section], `${name}.md`);
    const file = await lstat(path).catch((error: unknown) => {
      if (isMissing(error)) {
        return;
      }
      throw error;
    });
    // A link could lead anywhere.
    if (file === undefined || !file.isFile() || file.size > PAGE_BYTES_MAX) {
      return;
    }
    const version = `${String(file.mtimeMs)} ${String(file.size)}`;
    const known = rendered.get(path);
    if (known?.version === version) {
      return known.page;
    }
    const text = await readFile(path, "utf8");
    const source = own === undefined ? text : withOwnAddresses(text, own);
    const relative = join(SECTIONS[section], `${name}.md`);
    const content = renderMarkdown(relative, source);
    const page = { ...content, section, name, href: toHref(section, name), file: relative, source };
    if (rendered.size < PAGES_MAX || rendered.has(path)) {
      rendered.set(path, { version, page });
    }
    return page;
  }

  return {
    find,
    list: async (section) => {
      const files = await readdir(join(folder, SECTIONS[section])).catch((error: unknown) => {
        if (isMissing(error)) {
          return [];
        }
        throw error;
      });
      const names = files
        .filter((file) => file.endsWith(".md"))
        .map((file) => file.slice(0, -".md".length))
        .sort()
        .slice(0, PAGES_MAX);
      const pages = await Promise.all(names.map((name) => find(section, name)));
      return pages.filter((page) => page !== undefined);
    },
  };
}
