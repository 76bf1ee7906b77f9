// The page: what its parts have in common, and the texts that are pasted.

import { fold, howKnown, tellsNothing } from "./answer.js";
import { byId, decimal, element, nameOfLanguage, say, written } from "./dom.js";
import { openFiles } from "./file.js";
import { openInbox } from "./inbox.js";
import { asked, classified, takeToken } from "./server.js";

const COMMON = ["ar", "bn", "cs", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "pl", "pt", "ro", "ru", "sv", "sw", "ta", "th", "tr", "uk", "ur", "vi", "yo", "zh"];
const OPENED = 3; // answers that are shown whole

async function about() {
  const model = await (await asked("/v1/model")).json();
  const texts = model.n_training_documents.toLocaleString("en");
  byId("model").replaceChildren(...written(model.model.name));
  const labels = model.model.labels.map(String);
  const shown = labels.slice(0, 12).join(", ") + (labels.length > 12 ? ` and ${labels.length - 12} more` : "");
  const langs = model.langs.map(nameOfLanguage).join(", ");
  byId("about").replaceChildren(...written(`Learned from ${texts} texts${langs ? ` in ${langs}` : ""}. Labels: ${shown}.`));
  document.title = `${model.model.name} · isogloss`;
  showKnown(model.known);
  return model;
}

function showKnown(known) {
  const told = Object.entries(known).filter(([, one]) => one.accuracy !== null);
  const rows = told.map(([lang, one]) => element("tr", {},
    element("th", { scope: "row" }, `${nameOfLanguage(lang)} `, element("small", {}, lang)),
    element("td", {}, howKnown(one)),
    element("td", { class: "number" }, tellsNothing(one) ? "too few texts to tell" : decimal(one.accuracy)),
    element("td", { class: "number" }, `[${decimal(one.low)}, ${decimal(one.high)}]`),
    element("td", { class: "number" }, String(one.n))));
  byId("known").replaceChildren(...rows);
  byId("known-section").hidden = !rows.length;
}

async function ask(limits) {
  const whole = byId("texts").value;
  const texts = byId("by-line").checked ? whole.split("\n").filter((line) => line.trim()) : [whole];
  if (!texts.length) return say(byId("ask-said"), "There is no text yet.", { fault: true });
  if (texts.length > limits.texts) {
    return say(byId("ask-said"), `These are ${texts.length} texts; at most ${limits.texts} are answered here. Send more as a file.`, { fault: true });
  }
  const lang = byId("lang").value.trim() || null;
  say(byId("ask-said"), texts.length === 1 ? "Asking …" : `Asking for ${texts.length} texts …`);
  const answers = await classified(texts.map((text) => ({ text, lang })), true);
  const folds = answers.map((answer, row) => fold(texts[row], answer, async () => answer));
  byId("answers").replaceChildren(...folds);
  folds.slice(0, folds.length > OPENED ? 1 : OPENED).forEach((one) => { one.open = true; });
  say(byId("ask-said"), answers.length === 1 ? "1 text answered." : `${answers.length} texts answered.`);
  showKnown((await (await asked("/v1/model")).json()).known);
}

/* Do what a form asks; a fault is said, and the button waits. */
export function onSubmit(form, said, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      say(said, error.message, { fault: true });
    } finally {
      button.disabled = false;
    }
  });
}

async function open() {
  takeToken();
  byId("langs").append(...COMMON.map((code) => element("option", { value: code }, nameOfLanguage(code))));
  byId("texts").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask-form").requestSubmit();
  });
  try {
    const model = await about();
    onSubmit(byId("ask-form"), byId("ask-said"), () => ask(model.limits));
    openFiles(onSubmit);
    await openInbox();
    document.body.dataset.ready = "";
  } catch (error) {
    say(byId("ask-said"), error.message, { fault: true });
  }
}

open();
