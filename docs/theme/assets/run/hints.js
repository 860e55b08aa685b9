// What helps with an error, beyond what Python says: what is particular to this page, and the
// slips that Python names only by a code number. Its text in both languages is in words.js.

// What Python wants in place of a character; NFKC knows those that are only wider.
const MEANT = {
  "“": '"', "”": '"', "‘": "'", "’": "'", "、": ",", "。": ".", "【": "[", "】": "]", "《": "<", "》": ">",
  "×": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=",
}; // prettier-ignore

// error: see driver.py. code: what the reader ran. word: of words.js. Answers "" where there is none.
export function hintFor({ kind, message, line }, code, word) {
  const character = kind === "SyntaxError" && /\bU\+([0-9A-F]+)/.exec(message);
  if (character) return aboutCharacter(String.fromCodePoint(parseInt(character[1], 16)), word);
  if (kind === "ModuleNotFoundError" || isInstall(code, line)) return word.noModule;
  if (kind === "NameError" && !message.includes("Did you mean")) return word.noName;
  if (kind === "TabError") return word.tabs;
  if (kind === "OutputTooLong") return word.tooLong;
  if (message.startsWith("input(): ")) return word.noInput;
  return "";
}

function aboutCharacter(character, word) {
  const meant = MEANT[character] ?? character.normalize("NFKC");
  if (/^[\s\p{Cf}]$/u.test(character)) return word.invisible;
  return /^[!-~]+$/.test(meant) ? word.fullWidth(character, meant) : word.foreign(character);
}

const isInstall = (code, line) => /^\s*[!%]?\s*(pip3?|conda) install\b/.test(code.split("\n")[line - 1] ?? "");
