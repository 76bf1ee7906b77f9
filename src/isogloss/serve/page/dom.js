// Elements and texts: whatever a text or a label holds, it is shown as text.

const CONTROLS = /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069])/;
const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"]);
const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/* A text as nodes: what moves letters or cannot be seen is spelt out. */
export function written(text) {
  return text.split(CONTROLS).map((part, at) =>
    at % 2 ? element("span", { class: "code" }, `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`) : part,
  );
}

export const apart = (text, attributes = {}) => element("bdi", attributes, ...written(String(text)));

export function nameOfLanguage(code) {
  if (code === null) return "unknown language";
  try {
    return NAMES.of(code) ?? code;
  } catch {
    return code;
  }
}

export function directionOf(code) {
  if (code === null) return "auto";
  const [language, script] = code.split("-");
  if (script === "Arab" || script === "Hebr") return "rtl";
  if (script?.length === 4) return "ltr";
  return RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

export const decimal = (value, digits = 2) => (value === null ? "–" : value.toFixed(digits));

/* A probability, which is neither 0 nor 1 where it only comes close. */
export function share(value, digits = 2) {
  const step = 10 ** -digits;
  if (value > 0 && value < step / 2) return `< ${(step).toFixed(digits)}`;
  if (value < 1 && value >= 1 - step / 2) return `> ${(1 - step).toFixed(digits)}`;
  return decimal(value, digits);
}

export const labelled = (label) => (Array.isArray(label) ? label.join(", ") || "no label" : String(label));

export function say(place, sentence, { fault = false } = {}) {
  place.classList.toggle("fault", fault);
  place.replaceChildren(...written(sentence));
}
