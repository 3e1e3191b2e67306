import { messages } from "./de.po";

globalThis.turnpikeLanguage = { language: "de", messages };
