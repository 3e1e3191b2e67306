/** What agents read of the documentation, which the pages own. */
export type Documentation = {
  search(
    query: string,
    options: { limit: number },
  ): Promise<readonly { title: string; address: string; excerpt: string }[]>;
  /** A page in Markdown. */
  read(path: string): Promise<string | undefined>;
};
