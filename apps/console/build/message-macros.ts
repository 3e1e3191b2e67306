import { type PluginItem, transformAsync, types } from "@babel/core";
import linguiMacro from "@lingui/babel-plugin-lingui-macro";
import { makeConfig } from "@lingui/conf";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";
import config from "../lingui.config.ts";

const USES_MACROS = /from "@lingui\/(?:core|react)\/macro"/;

/** Compiles what the macros leave as text, so that no parser of messages has to be loaded with the page. */
const compileSource: PluginItem = () => ({
  visitor: {
    Program: {
      exit(program: { traverse(visitor: object): void }) {
        program.traverse({
          ObjectProperty({ node, parent }: { node: types.ObjectProperty; parent: types.Node }) {
            const isMessage =
              parent.leadingComments?.some(({ value }) => value.includes("i18n")) === true &&
              types.isIdentifier(node.key, { name: "message" }) &&
              types.isStringLiteral(node.value);
            if (isMessage) {
              const compiled = compileMessage((node.value as types.StringLiteral).value);
              node.value = types.valueToNode(compiled);
            }
          },
        });
      },
    },
  },
});

/** Turns Lingui's macros into lookups of strings. English stays in the code: it needs no catalogue. */
export function messageMacros(): Plugin {
  const linguiConfig = makeConfig(config, { skipValidation: true });
  return {
    name: "message-macros",
    // Before types and JSX are gone.
    enforce: "pre",
    transform: {
      filter: { id: /\.tsx?(?:$|\?)/, code: USES_MACROS },
      async handler(code, id) {
        const result = await transformAsync(code, {
          filename: id.replace(/\?.*$/, ""),
          babelrc: false,
          configFile: false,
          sourceMaps: true,
          parserOpts: { plugins: ["typescript", "jsx"] },
          plugins: [[linguiMacro, { descriptorFields: "message", linguiConfig }], compileSource],
        });
        return { code: result?.code ?? code, map: result?.map ?? null };
      },
    },
  };
}
