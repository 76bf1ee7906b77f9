// One answer with its evidence: the text with its names marked, classes, nearest examples, trust.

import { apart, decimal, directionOf, element, labelled, nameOfLanguage, share, written } from "./dom.js";

const MOST_CLASSES = 8;
const STATES = {
  empty: "the text is empty: the label is a guess from nothing",
  cut: "longer than the encoder reads: its beginning was read",
  unknown_language: "its language could not be told: no names are linked in it",
  abstained: "too unsure for a label",
};

/* A fold: in a line what was answered, inside the evidence, which `explained` may bring later. */
export function fold(text, answer, explained) {
  const inside = element("div", { class: "inside" });
  const made = element("details", { class: "answer" }, summary(text, answer), inside);
  let isFilled = false;
  made.addEventListener("toggle", async () => {
    if (!made.open || isFilled) return;
    isFilled = true;
    inside.replaceChildren(element("p", { class: "muted" }, "…"));
    try {
      inside.replaceChildren(...evidence(text, await explained()));
    } catch (error) {
      isFilled = false;
      inside.replaceChildren(element("p", { class: "fault", role: "alert" }, ...written(error.message)));
    }
  });
  return made;
}

function summary(text, answer) {
  const start = Array.from(text.slice(0, 400)).slice(0, 160).join("").replace(/\s+/g, " ");
  return element("summary", {},
    apart(labelled(answer.label), { class: "label" }),
    element("span", { class: "number" }, share(answer.probability)),
    element("span", { class: "of-language" }, nameOfLanguage(answer.lang)),
    element("span", { class: "excerpt", dir: directionOf(answer.lang), lang: answer.lang }, ...written(start.trim() === "" ? "(no text)" : start)));
}

function evidence(text, answer) {
  const states = answer.status.split("+").filter((state) => state in STATES).map((state) => STATES[state]);
  return [
    marked(text, answer),
    ...(states.length ? [element("p", { class: "note" }, `Note: ${states.join("; ")}.`)] : []),
    element("p", {}, ...languageOf(answer), " ", ...knownOf(answer)),
    element("div", { class: "evidences" },
      element("div", {}, element("h3", {}, "Probability of each label"), classes(answer), ...withoutEntities(answer)),
      element("div", {}, ...names(text, answer), ...nearest(answer))),
  ];
}

/* The text with its names marked. Offsets count code points, and strings here count UTF-16. */
function marked(text, answer) {
  const letters = Array.from(text);
  const mentions = answer.entities ?? [];
  const cuts = [...new Set([0, letters.length, ...mentions.flatMap((one) => [one.start, one.end])])].sort((a, b) => a - b);
  const runs = cuts.slice(0, -1).map((start, at) => {
    const end = cuts[at + 1];
    const over = mentions.filter((one) => one.start <= start && one.end >= end);
    const parts = written(letters.slice(start, end).join(""));
    if (!over.length) return parts;
    const spans = new Set(over.map((one) => `${one.start} ${one.end}`));
    const begins = over.some((one) => one.start === start);
    const titles = [...new Set(over.map((one) => one.title))].join(", ");
    const mark = element("mark", { class: `${begins ? "begin" : ""} ${spans.size > 1 ? "nested" : ""}`, title: titles }, ...parts);
    mark.style.setProperty("--weight", Math.max(...over.map((one) => one.weight)));
    return [mark];
  });
  return element("div", { class: "text", dir: directionOf(answer.lang), lang: answer.lang }, ...runs.flat());
}

function languageOf(answer) {
  const how = { given: "as given", detected: "detected", column: "by its column", unknown: "" }[answer.lang_by];
  return [`Language: ${nameOfLanguage(answer.lang)}${how ? ` (${how})` : ""}.`];
}

export function howKnown(known) {
  if (known.by !== "audit") return "forecast, not audited";
  return known.is_blind === false ? "audit, not blind" : "audit";
}

/* A forecast so wide that a number would say more than is known. */
export const tellsNothing = (known) => known.by === "forecast" && known.high - known.low > 0.5;

export function knownOf(answer) {
  const known = answer.known;
  const between = `[${decimal(known.low)}, ${decimal(known.high)}]`;
  const few = tellsNothing(known);
  if (known.by === "audit") {
    const seen = known.is_blind === false ? " Who labelled them saw the answers: it may look better than it is." : "";
    return [element("b", {}, `Audited: accuracy ${decimal(known.accuracy)} ${between}`), ` on ${known.n} labelled rows.${seen}`];
  }
  if (known.by === "forecast" && known.accuracy === null) {
    const why = few ? " Too few texts were asked to tell the accuracy in it:" : ` The accuracy in it is forecast between ${decimal(known.low)} and ${decimal(known.high)};`;
    return [element("b", {}, "Not audited."), `${why} a forecast needs 50 different ones, of which ${known.n} came so far.`];
  }
  if (known.by === "forecast" && few) {
    return [element("b", {}, "Not audited."), ` The training texts and the ${known.n} texts asked are too few to tell the accuracy in it: anything ${between} may come.`];
  }
  if (known.by === "forecast") {
    return [element("b", {}, "Not audited."), ` Forecast: accuracy ${decimal(known.accuracy)} ${between}, from ${known.n} texts.`];
  }
  return [element("b", {}, "Nothing is known"), " of the accuracy in it."];
}

function classes(answer) {
  const without = answer.without_entities?.probabilities;
  const all = Object.entries(answer.probabilities).sort((a, b) => b[1] - a[1]);
  const chosen = new Set([answer.label].flat().map(String));
  const cells = ([label, value]) => element("tr", { class: chosen.has(label) ? "chosen" : "" },
    element("th", { scope: "row" }, apart(label)),
    element("td", { class: "bars" }, bar(value, ""), without ? bar(without[label], "without") : null),
    element("td", { class: "number" }, share(value, 3)),
    without ? element("td", { class: "number" }, share(without[label], 3)) : null);
  const head = element("tr", {}, element("th", { scope: "col" }, "label"), element("td", { class: "bars" }),
    element("th", { scope: "col", class: "number" }, without ? "with names" : "probability"),
    without ? element("th", { scope: "col", class: "number" }, "without") : null);
  const left = all.length - MOST_CLASSES;
  const caption = left > 0 ? element("caption", {}, `${left} less probable labels are left out.`) : null;
  return element("table", { class: "classes" }, caption, element("thead", {}, head), element("tbody", {}, ...all.slice(0, MOST_CLASSES).map(cells)));
}

function bar(value, kind) {
  const made = element("span", { class: `bar ${kind}` });
  made.style.setProperty("--share", value);
  return made;
}

function withoutEntities(answer) {
  const alone = answer.without_entities;
  if (!alone) return [];
  const same = labelled(alone.label) === labelled(answer.label);
  const probability = alone.probability === null ? "" : ` (${share(alone.probability)})`;
  return [element("p", {}, "Without its names the answer would be ", element("b", {}, apart(labelled(alone.label))), `${probability}${same ? ", too" : ""}.`)];
}

function names(text, answer) {
  if (answer.entities === null) return [];
  const letters = Array.from(text);
  const byEntity = new Map();
  for (const one of answer.entities) {
    const entry = byEntity.get(one.id) ?? { ...one, surfaces: new Set() };
    entry.surfaces.add(letters.slice(one.start, one.end).join(""));
    byEntity.set(one.id, entry);
  }
  const rows = [...byEntity.values()].sort((a, b) => b.weight - a.weight);
  if (!rows.length) return [element("h3", {}, "Names in the text"), element("p", { class: "muted" }, "None was found: the encoder alone answers.")];
  return [element("h3", {}, "Names in the text"),
    element("ul", { class: "near" }, ...rows.map((one) => element("li", {},
      ...[...one.surfaces].flatMap((name, at) => [at ? ", " : "", apart(name, { lang: answer.lang })]), " → ", apart(one.title),
      element("small", {}, ...directed(one, answer), link(one), " · share among the names ", decimal(one.weight))))),
    ...(rows.some(moves) ? [element("p", { class: "muted" }, "Each name is left out in turn; what it adds is in log-odds: +0.69 doubles the odds of a label, −0.69 halves them.")] : [])];
}

const moves = (one) => one.adds !== 0 || one.raises !== null;

const signed = (value) => `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;

/* What an entity does: to the likeliest label, and to the one that it raises most. */
function directed(one, answer) {
  if (!moves(one)) return [];
  const [best] = Object.entries(answer.probabilities).sort((a, b) => b[1] - a[1])[0];
  const other = one.raises !== null && String(one.raises) !== best;
  return [
    one.adds < 0 ? "against " : "for ", apart(best), ` ${signed(one.adds)}`,
    ...(other ? [", most for ", apart(String(one.raises)), ` ${signed(one.raises_by)}`] : []), " · ",
  ];
}

function link(one) {
  if (one.link === null) return apart(one.id);
  return element("a", { href: one.link, rel: "noreferrer noopener", target: "_blank" }, one.id);
}

function nearest(answer) {
  if (answer.examples === null) return [];
  const support = answer.support === null ? [] : [element("p", {}, `Of the nearest training texts (10 at most), ${Math.round(100 * answer.support)} % carry this label.`)];
  return [element("h3", {}, "Nearest training texts"), ...support,
    element("ol", { class: "near" }, ...answer.examples.map((one) => element("li", { dir: "auto" },
      ...written(one.text.length > 400 ? `${Array.from(one.text).slice(0, 400).join("")} …` : one.text),
      element("small", { dir: "ltr" }, apart(labelled(one.label)), ` · ${nameOfLanguage(one.lang)} · similarity ${decimal(one.similarity)}`))))];
}
