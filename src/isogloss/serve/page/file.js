// A file: its columns are guessed and chosen, and its rows come back with their answers.

import { byId, element, say, written } from "./dom.js";
import { asked } from "./server.js";

const DETECT = "\u0000detect"; // no column has this name

let file = null;

function choice(select, columns, chosen, more = []) {
  select.replaceChildren(
    ...more.map(([value, name]) => element("option", { value }, name)),
    ...columns.map((name) => element("option", { value: name }, ...written(name))));
  if (chosen !== null) select.value = chosen;
}

function chosen() {
  byId("encoding-choice").hidden = true;
  byId("encoding").value = "";
  byId("excel").checked = /\.xlsx$/i.test(byId("file").value);
  return look();
}

async function look() {
  const looked = byId("file").files[0] ?? null;
  const encoding = byId("encoding").value;
  file = looked;
  byId("columns").hidden = true;
  if (file === null) return say(byId("file-said"), "");
  say(byId("file-said"), "Reading the file …");
  const form = new FormData();
  if (encoding) form.append("encoding", encoding);
  form.append("file", file);
  const { columns, rows, guess, prefix } = await (await asked("/v1/columns", { method: "POST", body: form })).json();
  if (file !== looked || byId("encoding").value !== encoding) return; // another was chosen meanwhile
  byId("file-name").replaceChildren(...written(file.name));
  choice(byId("column-text"), columns, guess.text ?? columns[0]);
  choice(byId("column-lang"), columns, guess.lang ?? DETECT, [[DETECT, "detect each"]]);
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, ...written(name))));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, ...written(cell)))));
  byId("first-rows").replaceChildren(element("caption", {}, "Its first rows"), element("thead", {}, head), element("tbody", {}, ...body));
  byId("prefix").value = prefix;
  byId("columns").hidden = false;
  say(byId("file-said"), "Choose the columns; what is chosen now is a guess.");
}

async function answer() {
  const form = new FormData();
  const lang = byId("column-lang").value;
  const fields = { text: byId("column-text").value, lang_column: lang === DETECT ? "" : lang, prefix: byId("prefix").value, format: byId("format").value, encoding: byId("encoding").value };
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, value);
  for (const name of ["scores", "excel"]) if (byId(name).checked) form.append(name, "true");
  form.append("file", file);
  say(byId("file-said"), "Answering the rows; a thousand short texts take about a minute …");
  const reply = await asked("/v1/file", { method: "POST", body: form });
  const name = nameIn(reply.headers.get("Content-Disposition") ?? "");
  const link = element("a", { href: URL.createObjectURL(await reply.blob()), download: name }, `Save ${name}`);
  say(byId("file-said"), "The rows are answered. ");
  byId("file-said").append(link);
  link.focus();
}

function nameIn(header) {
  const coded = /filename\*=utf-8''([^;]+)/i.exec(header)?.[1];
  return coded ? decodeURIComponent(coded) : (/filename="([^"]+)"/.exec(header)?.[1] ?? "answered.csv");
}

/* A file of text may be of another encoding; which one, who sends it knows. */
function refused(error) {
  byId("encoding-choice").hidden = !/\.(csv|tsv|txt|jsonl|ndjson)$/i.test(byId("file").value);
  say(byId("file-said"), error.message, { fault: true });
}

export function openFiles(onSubmit) {
  byId("file").addEventListener("change", () => chosen().catch(refused));
  byId("encoding").addEventListener("change", () => look().catch(refused));
  onSubmit(byId("file-form"), byId("file-said"), answer);
}
