// The page's words with their values filled in.
import { words } from "/words.js";

export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
