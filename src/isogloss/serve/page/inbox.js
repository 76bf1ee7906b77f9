// The inbox that the server was opened with, row by row; evidence comes when a row is opened.

import { fold } from "./answer.js";
import { byId, element, nameOfLanguage, say, written } from "./dom.js";
import { asked, classified } from "./server.js";

const ROWS = 50;

let n = 0;
let turn = 0; // of the rows that are shown: answers to what was asked before come too late

async function more() {
  const query = new URLSearchParams({ start: n, n: ROWS, label: byId("inbox-label").value, lang: byId("inbox-lang").value, order: byId("inbox-order").value });
  const mine = ++turn;
  const page = await (await asked(`/v1/inbox?${query}`)).json();
  if (mine !== turn) return;
  const folds = page.rows.map((row) => fold(row.text, row, async () => (await classified([{ text: row.text, lang: row.lang }], true))[0]));
  if (n === 0) byId("inbox-rows").replaceChildren(...folds);
  else byId("inbox-rows").append(...folds);
  n += folds.length;
  byId("inbox-more").hidden = n >= page.n;
  say(byId("inbox-said"), `${n.toLocaleString("en")} of ${page.n.toLocaleString("en")} rows are shown.`);
}

const again = () => {
  n = 0;
  return more();
};

const told = (work) => () => work().catch((error) => say(byId("inbox-said"), error.message, { fault: true }));

export async function openInbox() {
  const page = await (await asked("/v1/inbox?n=0")).json();
  if (page.name === null) return;
  byId("inbox-section").hidden = false;
  byId("inbox-about").replaceChildren(...written(page.about));
  const counts = (found) => Object.entries(found).sort((a, b) => b[1] - a[1]);
  byId("inbox-label").append(...counts(page.labels).map(([label, count]) => element("option", { value: label }, ...written(`${label} (${count})`))));
  byId("inbox-lang").append(...counts(page.langs).map(([lang, count]) => element("option", { value: lang }, `${nameOfLanguage(lang === "und" ? null : lang)} (${count})`)));
  for (const id of ["inbox-label", "inbox-lang", "inbox-order"]) byId(id).addEventListener("change", told(again));
  byId("inbox-more").addEventListener("click", told(more));
  byId("inbox-form").addEventListener("submit", (event) => event.preventDefault());
  await again();
}
