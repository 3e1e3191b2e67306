/** Whether this is the published npm package: its modules are compiled, and the folder that they lie in belongs to npm. */
export const IS_PUBLISHED = import.meta.filename.endsWith(".js");

/** What a person types to start the product. */
export const START_COMMAND = IS_PUBLISHED ? "npx turnpike start" : "npm start";

/** What a person types in front of a command. */
export const COMMAND_LINE = IS_PUBLISHED ? "npx turnpike" : "npm run turnpike --";
